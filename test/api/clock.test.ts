import { getEventListeners } from "node:events";
import { expect, test } from "@jest/globals";
import { withTimeout } from "../../src/api/clock.ts";
import { FakeClock } from "../support/fake-clock.ts";

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("the signal aborts together with the outer one, for the same reason", async () => {
  const reason = new Error("shutdown");
  const outer = new AbortController();
  const running = withTimeout(new FakeClock(), 1_000, outer.signal, untilAborted).catch((error) => error);
  outer.abort(reason);
  const late = withTimeout(new FakeClock(), 1_000, outer.signal, async (signal) => signal.reason);

  expect([await running, await late]).toEqual([reason, reason]);
});

test("neither a timer nor a listener is left behind", async () => {
  const clock = new FakeClock();
  const outer = new AbortController();

  expect(await withTimeout(clock, 1_000, outer.signal, async () => "done")).toBe("done");
  await expect(withTimeout(clock, 1_000, outer.signal, () => Promise.reject(new Error("no")))).rejects.toThrow("no");

  expect(clock.sleepers).toBe(0);
  expect(getEventListeners(outer.signal, "abort")).toHaveLength(0);
});
