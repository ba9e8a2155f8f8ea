// Requests beside the polls, with a deadline of their own.
import type { PollOptions } from "../api/client.ts";
import type { Clock } from "../api/clock.ts";

/** The clock, and what ends everything. */
export interface Surroundings {
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

/** The part of a logger that upstreams need. */
export interface UpstreamLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

// As long as a poll has by default.
const TIMEOUT_MS = 10_000;

/** Runs requests of one priority with a deadline, as a poll of their own. Settles as `ask` does. */
export async function within<Result>(
  { clock, stop }: Surroundings,
  priority: number,
  ask: (poll: PollOptions & { readonly deadline: number }) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const late = new AbortController();
  clock
    .sleep(TIMEOUT_MS, over.signal)
    .then(() => late.abort(new DOMException("the upstream did not answer in time", "TimeoutError")))
    .catch(() => undefined); // it ended in time
  try {
    const signal = AbortSignal.any([late.signal, stop]);
    return await ask({ priority, signal, deadline: clock.now() + TIMEOUT_MS });
  } finally {
    over.abort();
  }
}
