// One call: attempts until one succeeds, nothing can succeed any more, or the deadline is near.
import { isTimeout } from "./abort.ts";
import { attempt } from "./attempt.ts";
import { ApiError } from "./errors.ts";
import { type Failed, Judge } from "./judge.ts";
import type { Answer } from "./operation.ts";
import type { Call, Parts } from "./parts.ts";
import { type RetryPolicy, retryDelay } from "./retry.ts";

const MOST_REDIRECTS = 3;

/** Makes calls on one network, each with its retries and redirects. */
export class Caller {
  readonly #parts: Parts;
  readonly #judge: Judge;
  readonly #policy: RetryPolicy;
  readonly #random: () => number;

  constructor(parts: Parts, policy: RetryPolicy, random: () => number) {
    this.#parts = parts;
    this.#judge = new Judge(parts);
    this.#policy = policy;
    this.#random = random;
  }

  /**
   * Asks until there is a valid answer. Every attempt and every hop takes its own request from the budget.
   * @throws ApiError for every failure; the reason of the signal when the call was aborted for anything but its deadline.
   */
  async ask(call: Omit<Call, "lease">, url: URL): Promise<Answer<unknown>> {
    const { retirement, clock } = this.#parts;
    const lease = retirement.begin(call.operation.name, clock.now());
    if (lease === undefined) {
      const message = "retired by the server (410), asked again within the hour";
      throw new ApiError("gone", call.operation.name, message, { status: 410 });
    }
    try {
      return await this.#untilAnswered({ ...call, lease }, url);
    } finally {
      lease.end();
    }
  }

  async #untilAnswered(asked: Call, first: URL): Promise<Answer<unknown>> {
    let call = asked;
    let url = first;
    let hops = 0;
    let failed = 0;
    let staleSockets = 0;
    for (;;) {
      const judged = await attempt(this.#parts, this.#judge, call, url);
      if (judged.kind === "answer") return judged.answer;
      if (judged.kind === "redirect") {
        hops += 1;
        if (hops > MOST_REDIRECTS) {
          throw new ApiError("redirect", call.operation.name, `more than ${MOST_REDIRECTS} redirects`);
        }
        url = judged.to;
        continue;
      }
      // A connection that had idled for too long says nothing of the server, so this try is not counted; but only
      // once, a second reset in a row is no longer chance.
      if (judged.again === "at_once" && staleSockets === 0) {
        staleSockets += 1;
        this.#noteRetry(call, judged);
        continue;
      }
      if (judged.again === "without_validator") {
        call = { ...call, isPlain: true };
        this.#noteRetry(call, judged);
        continue;
      }
      failed += 1;
      await this.#beforeRetry(call, judged, failed);
    }
  }

  async #beforeRetry(call: Call, failure: Failed, failed: number): Promise<void> {
    const { clock, budget } = this.#parts;
    const again = failure.again === "at_once" ? "backoff" : failure.again;
    const delay = retryDelay(this.#policy, again, failed, failure.waitMs, this.#random);
    if (delay === undefined || clock.now() + delay >= call.deadline) throw failure.error;
    if (again === "pause" && (budget.pausedUntil ?? 0) >= call.deadline) throw failure.error;
    this.#noteRetry(call, failure);
    if (delay === 0) return;
    try {
      await clock.sleep(delay, call.signal);
    } catch (reason) {
      if (!isTimeout(reason)) throw reason;
      const options = { status: failure.error.status, cause: failure.error };
      throw new ApiError("timeout", call.operation.name, "the deadline passed before another try", options);
    }
  }

  #noteRetry(call: Call, failure: Failed): void {
    this.#parts.observer.onRetry?.({ operation: call.operation.name, reason: failure.error.reason });
  }
}
