import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Call } from "../../../src/collectors/contract-calls/source.ts";
import { addCalls, NO_CALLS, withNames } from "../../../src/collectors/contract-calls/totals.ts";
import { keyOf } from "../../../src/collectors/counters.ts";
import { restarted } from "../../support/plain-data.ts";

const PLENTY = { functions: 50, errors: 50, spareSeries: 1000 };
const call = (name: string, error?: string, status = error === undefined ? "success" : "abort_by_response"): Call => ({
  function: name,
  status,
  error,
  caller: "SP1",
  fee: 100,
});
const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

test("calls count by function and status, failed ones also by error, with their fees", () => {
  const calls = [call("swap"), call("swap", "u101"), call("swap", "u101"), { ...call("add"), fee: undefined }];
  const totals = addCalls(NO_CALLS, calls, PLENTY);

  expect(totals.calls).toEqual({
    [keyOf("swap", "success")]: 1,
    [keyOf("swap", "abort_by_response")]: 2,
    [keyOf("swap", "abort_by_post_condition")]: 0,
    [keyOf("add", "success")]: 1,
    [keyOf("add", "abort_by_response")]: 0,
    [keyOf("add", "abort_by_post_condition")]: 0,
  });
  expect(totals.errors).toEqual({ [keyOf("swap", "u101")]: 2 });
  expect(totals.fees).toBe(300n);
  expect(totals.overflow).toBe(0);
  expect(NO_CALLS.calls).toEqual({});
});

test("calls that are not counted have series with 0", () => {
  const totals = withNames(NO_CALLS, [call("swap"), call("swap", "u7")], PLENTY);

  expect(sumOf(totals.calls)).toBe(0);
  expect(Object.keys(totals.calls)).toHaveLength(3);
  expect(totals.errors).toEqual({ [keyOf("swap", "u7")]: 0 });
  expect(totals.fees).toBe(0n);
});

test("a status that is not known becomes a label value, up to a limit", () => {
  const calls = Array.from({ length: 20 }, (_, n) => call("swap", undefined, `new_${n}`));
  const totals = addCalls(NO_CALLS, calls, PLENTY);

  expect(Object.keys(totals.calls)).toHaveLength(3 + 8 + 1);
  expect(totals.calls[keyOf("swap", "other")]).toBe(12);
});

test("an error without a code keeps its function; a function that is not valid counts as other", () => {
  const totals = addCalls(NO_CALLS, [call("swap", "other"), call("other", "u1")], PLENTY);

  expect(totals.errors).toEqual({ [keyOf("swap", "other")]: 1, [keyOf("other", "other")]: 1 });
  expect(totals.calls[keyOf("other", "abort_by_response")]).toBe(1);
  expect(totals.overflow).toBe(2);
});

describe("beyond a limit", () => {
  test("a more frequent function takes the series of the least frequent one, which moves to other", () => {
    const limits = { ...PLENTY, functions: 2 };
    let totals = addCalls(NO_CALLS, [call("a"), call("a"), call("b", "u1"), call("c")], limits);

    expect(totals.calls[keyOf("other", "success")]).toBe(1);
    totals = addCalls(totals, [call("c"), call("c")], limits);

    expect(Object.keys(totals.functions.own).sort()).toEqual(["a", "c"]);
    expect(totals.calls[keyOf("other", "abort_by_response")]).toBe(1);
    expect(sumOf(totals.calls)).toBe(6);
    expect(totals.overflow).toBe(3);
  });

  test("other errors count as other", () => {
    const totals = addCalls(NO_CALLS, [call("a", "u1"), call("a", "u2")], { ...PLENTY, errors: 1 });

    expect(totals.errors).toEqual({ [keyOf("a", "u1")]: 1, [keyOf("other", "other")]: 1 });
    expect(totals.overflow).toBe(1);
  });

  test("without spare series, new labels get none", () => {
    const totals = addCalls(NO_CALLS, [call("a", "u1")], { ...PLENTY, spareSeries: 0 });

    expect(Object.keys(totals.functions.own)).toEqual([]);
    expect(totals.errors).toEqual({ [keyOf("other", "other")]: 1 });
  });

  test("that is lowered, excess labels move to other", () => {
    const before = addCalls(NO_CALLS, [call("a", "u1"), call("a"), call("b", "u2")], PLENTY);
    const totals = addCalls(before, [], { functions: 1, errors: 1, spareSeries: 0 });

    expect(Object.keys(totals.functions.own)).toEqual(["a"]);
    expect(totals.calls[keyOf("other", "abort_by_response")]).toBe(1);
    expect(sumOf(totals.errors)).toBe(2);
  });
});

test("sums are exact, series are bounded, and only counters that end decrease", () => {
  const calls = fc.array(
    fc.record({ name: fc.constantFrom("a", "b", "c", "d", "other"), error: fc.constantFrom(undefined, "u1", "u2") }),
    { maxLength: 30 },
  );
  const limits = { functions: 2, errors: 3, spareSeries: 30 };
  fc.assert(
    fc.property(fc.array(calls), (polls) => {
      let totals = NO_CALLS;
      let [count, failed] = [0, 0];
      for (const poll of polls) {
        const before = totals;
        totals = restarted(
          addCalls(
            totals,
            poll.map(({ name, error }) => call(name, error)),
            limits,
          ),
        );
        count += poll.length;
        failed += poll.filter(({ error }) => error !== undefined).length;
        for (const [key, value] of Object.entries(totals.calls)) {
          const { [key]: was = 0 } = before.calls;
          const kept = key.startsWith("other") || Object.hasOwn(before.functions.own, key.split("\t")[0] ?? "");
          if (kept) expect(value).toBeGreaterThanOrEqual(was);
        }
      }
      expect(sumOf(totals.calls)).toBe(count);
      expect(sumOf(totals.errors)).toBe(failed);
      expect(totals.fees).toBe(BigInt(count) * 100n);
      expect(Object.keys(totals.calls).length).toBeLessThanOrEqual(3 * 3);
      expect(Object.keys(totals.errors).length).toBeLessThanOrEqual(4);
    }),
    { seed: 7 },
  );
});
