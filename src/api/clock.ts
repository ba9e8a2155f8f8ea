// Time: the clock as a parameter, so that tests need neither wait nor replace globals, and deadlines by it. An abort
// with a `TimeoutError` means that time ran out; any other abort is a cancellation.
import { setTimeout } from "node:timers/promises";

/** The time, and a way to wait. */
export interface Clock {
  /** Unix time, milliseconds. */
  now(): number;
  /** Monotonic clock, milliseconds: for durations that must not change when the system time is set. */
  elapsed(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

// setTimeout overflows at 2^31 ms and would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (milliseconds, signal) =>
    setTimeout(Math.min(Math.max(0, milliseconds), LONGEST_TIMER_MS), undefined, signal && { signal }).catch(() => {
      throw signal?.reason;
    }),
};

/** Whether an abort reason is a timeout, as that of `AbortSignal.timeout` is. */
export const isTimeout = (reason: unknown): boolean =>
  typeof reason === "object" && reason !== null && "name" in reason && reason.name === "TimeoutError";

/** The abort reason of something that took too long. */
export const timeoutReason = (milliseconds: number): DOMException =>
  new DOMException(`no response within ${milliseconds} ms`, "TimeoutError");

/**
 * Runs `start` with a signal that aborts together with `outer`, or after `milliseconds` with a `TimeoutError`. It
 * leaves no timer and no listener behind, which `AbortSignal.any` and `AbortSignal.timeout` would. Settles as `start`
 * does.
 */
export async function withTimeout<Result>(
  clock: Clock,
  milliseconds: number,
  outer: AbortSignal,
  start: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const inner = new AbortController();
  const ended = new AbortController();
  const onAbort = () => inner.abort(outer.reason);
  if (outer.aborted) onAbort();
  outer.addEventListener("abort", onAbort, { once: true });
  clock.sleep(milliseconds, ended.signal).then(
    () => inner.abort(timeoutReason(milliseconds)),
    () => {}, // ended in time
  );
  try {
    return await start(inner.signal);
  } finally {
    ended.abort();
    outer.removeEventListener("abort", onAbort);
  }
}
