import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "@jest/globals";
import { withTimeout } from "../../src/api/clock.ts";
import { FakeClock, turn } from "../support/fake-clock.ts";

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
  setFlagsFromString("--expose-gc");
  const clock = new FakeClock();
  const outer = new AbortController();

  expect(await withTimeout(clock, 1_000, outer.signal, async () => "done")).toBe("done");
  await expect(withTimeout(clock, 1_000, outer.signal, () => Promise.reject(new Error("no")))).rejects.toThrow("no");

  // At the same time, while garbage is collected.
  const collect = async () => {
    await turn();
    runInNewContext("gc")();
  };
  await Promise.all([collect, collect, collect].map((start) => withTimeout(clock, 1_000, outer.signal, start)));

  expect(clock.sleepers).toBe(0);
  expect(getEventListeners(outer.signal, "abort")).toHaveLength(0);
});
