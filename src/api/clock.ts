// Time as a parameter, so that tests need neither wait nor replace globals.

/** The time, and a way to wait. */
export interface Clock {
  /** Unix time, milliseconds. */
  now(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

// setTimeout overflows at 2^31 ms and would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
        Math.min(Math.max(0, milliseconds), LONGEST_TIMER_MS),
      );
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};

/**
 * The clock as it would be had nobody ever set it back: where the limits of a budget are kept, a clock corrected by an hour
 * would otherwise close the window for that hour.
 */
export function steady(clock: Clock): () => number {
  let latest = clock.now();
  let shift = 0;
  return () => {
    const now = clock.now() + shift;
    if (now < latest) shift += latest - now;
    else latest = now;
    return latest;
  };
}
