// The clock as a parameter, so that tests need neither wait nor replace globals.
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
  sleep: async (milliseconds, signal) => {
    try {
      await setTimeout(Math.min(Math.max(0, milliseconds), LONGEST_TIMER_MS), undefined, signal && { signal });
    } catch {
      throw signal?.reason;
    }
  },
};
