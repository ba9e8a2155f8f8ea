// Deadlines. An abort with a `TimeoutError` means that time ran out; any other abort is a cancellation.
import type { Clock } from "./clock.ts";

/** Whether an abort reason is a timeout, as that of `AbortSignal.timeout` is. */
export function isTimeout(reason: unknown): boolean {
  return typeof reason === "object" && reason !== null && "name" in reason && reason.name === "TimeoutError";
}

/** The abort reason of something that took too long. */
export function timeoutReason(milliseconds: number): DOMException {
  return new DOMException(`no response within ${milliseconds} ms`, "TimeoutError");
}

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
