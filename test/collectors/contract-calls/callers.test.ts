import { expect, test } from "@jest/globals";
import { MAX_CALLERS, withCallers } from "../../../src/collectors/contract-calls/callers.ts";

const NOW = 1_795_219_200;
const by = (caller: string | undefined, ago: number | undefined) => ({
  caller,
  time: ago === undefined ? undefined : NOW - ago,
});

test("a caller counts for an hour after its newest call", () => {
  const callers = withCallers({}, [by("a", 3599), by("b", 3600), by("c", 10), by("c", 5000), by("c", 20)], NOW);

  expect(callers).toEqual({ a: NOW - 3599, c: NOW - 10 });
  expect(withCallers(callers, [by("a", 4000)], NOW + 1)).toEqual({ c: NOW - 10 });
  expect(withCallers(callers, [], NOW + 3590)).toEqual({});
});

test("calls without a valid caller or time are left out", () => {
  expect(withCallers({}, [by(undefined, 1), by("a", undefined)], NOW)).toEqual({});
});

test("the newest ones are kept, up to the maximum", () => {
  const calls = Array.from({ length: MAX_CALLERS + 5 }, (_, n) => by(`c${n}`, n / 10));
  const callers = withCallers({}, calls, NOW);

  expect(Object.keys(callers)).toHaveLength(MAX_CALLERS);
  expect(callers.c0).toBe(NOW);
  expect(callers[`c${MAX_CALLERS}`]).toBeUndefined();
});
