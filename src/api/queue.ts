// The queue of one server: every request waits here until the budget, a pause and the connections admit it.
import PQueue from "p-queue";
import type { Budget } from "./budget.ts";
import { type Clock, isTimeout } from "./clock.ts";

/** A request that waits for admission. */
export interface QueuedRequest {
  /** 0 is admitted first. */
  readonly priority: number;
  /** Time of the abort of the signal. Unix time, milliseconds; Infinity for none. */
  readonly deadline: number;
  /** Aborted at the deadline (with a `TimeoutError`), or to cancel the request. */
  readonly signal: AbortSignal;
  /** The error to fail with at once, if the request has become useless; undefined as long as it has not. */
  readonly refusal?: (() => Error | undefined) | undefined;
}

const REFUSALS = {
  budget: "no request left in the budget",
  rate_limited: "the network is paused after a 429",
  timeout: "no connection was free",
} as const;

/** The request cannot be admitted before its deadline. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: keyof typeof REFUSALS;

  constructor(reason: keyof typeof REFUSALS, waitMs: number) {
    const isKnown = waitMs > 0 && Number.isFinite(waitMs);
    const wait = isKnown ? `; the next request is possible in ${Math.ceil(waitMs / 1000)} s` : "";
    super(`${REFUSALS[reason]} before the deadline${wait}`);
    this.reason = reason;
  }
}

/** A request in the queue; its deadline is in the time of `Clock.elapsed`. */
interface Waiting extends QueuedRequest {
  readonly cancel: AbortController;
}

/**
 * Admits requests by priority, then first come, first served. The first request in the queue blocks all others, which
 * costs nothing: what holds it back holds back every request of a lower priority too.
 */
export class RequestQueue {
  readonly #budget: Budget;
  readonly #clock: Clock;
  readonly #connections: number;
  // Paused, but for the moment in which its first request is admitted.
  readonly #queue = new PQueue({ autoStart: false });
  readonly #waiting = new Set<Waiting>();
  #isServing = false;
  #timer = new AbortController();

  constructor(budget: Budget, clock: Clock, connections: number) {
    this.#budget = budget;
    this.#clock = clock;
    this.#connections = connections;
    this.#queue.addEventListener("next", () => this.serve());
  }

  /**
   * Calls `start` when the request is admitted, synchronously with that decision, so that no pause can begin in
   * between. Settles as `start` does.
   * @throws Refusal when the request cannot be admitted before its deadline; the error of `refusal`; the abort reason
   * when the request is cancelled.
   */
  async run<T>(request: QueuedRequest, start: () => Promise<T>): Promise<T> {
    const { priority, deadline, signal } = request;
    if (signal.aborted) throw this.#abortError(request);
    const cancel = new AbortController();
    const waiting = { ...request, cancel, deadline: this.#clock.elapsed() + (deadline - this.#clock.now()) };
    const onAbort = () => {
      // First, because the abort serves the queue.
      leave();
      cancel.abort(this.#abortError(request));
      this.serve();
    };
    const leave = () => {
      this.#waiting.delete(waiting);
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#waiting.add(waiting);
    const admit = async () => {
      this.#queue.pause();
      leave();
      const end = this.#budget.send(priority);
      try {
        return await start();
      } finally {
        end();
      }
    };
    const result = this.#queue.add(admit, { priority: -priority, signal: cancel.signal });
    this.serve();
    try {
      return await result;
    } finally {
      leave();
    }
  }

  /** Requests that wait, and requests in flight. */
  snapshot() {
    return { waiting: this.#waiting.size, inFlight: this.#queue.pending };
  }

  /** Admits and refuses what can be. To be called when the budget has changed. */
  serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      for (let first = this.#first(); first !== undefined; first = this.#first()) {
        if (this.#refuse(first, this.#budget.waitFor(first.priority))) continue;
        if (!this.#hasConnection(first.priority) || this.#budget.waitFor(first.priority) > 0) break;
        this.#queue.start();
        if (this.#waiting.has(first)) throw new Error("the queue has not started its first request");
      }
      for (const [priority, waiting] of Map.groupBy(this.#waiting, (one) => one.priority)) {
        const wait = this.#budget.waitFor(priority);
        for (const one of waiting) this.#refuse(one, wait);
      }
    } finally {
      this.#isServing = false;
    }
    this.#schedule();
  }

  #first(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const waiting of this.#waiting) if (waiting.priority < (first?.priority ?? Infinity)) first = waiting;
    return first;
  }

  // One connection is reserved for each higher priority, so that slow responses to lower ones do not delay it.
  #hasConnection(priority: number): boolean {
    const reserved = Math.min(priority, Math.floor(this.#connections / 2));
    return this.#queue.pending < this.#connections - reserved;
  }

  // Refuses it if it has become useless, or cannot be admitted before its deadline.
  #refuse(waiting: Waiting, wait: number): boolean {
    const { priority, deadline, refusal, cancel } = waiting;
    const left = deadline - this.#clock.elapsed();
    const error = refusal?.() ?? (wait < left ? undefined : this.#shortage(priority, wait, left));
    if (error === undefined) return false;
    this.#waiting.delete(waiting);
    cancel.abort(error);
    return true;
  }

  // At the deadline, the budget is the cause only if a connection was free. Otherwise pending requests held it up.
  #shortage(priority: number, wait: number, left: number): Refusal {
    const pause = (this.#budget.pausedUntil ?? 0) - this.#clock.now();
    if (pause > 0 && pause >= left) return new Refusal("rate_limited", wait);
    if (left <= 0 && (wait === 0 || !this.#hasConnection(priority))) return new Refusal("timeout", 0);
    return new Refusal("budget", wait);
  }

  #abortError({ signal, priority, refusal }: QueuedRequest): unknown {
    if (!isTimeout(signal.reason)) return signal.reason;
    return refusal?.() ?? this.#shortage(priority, this.#budget.waitFor(priority), 0);
  }

  // One timer for the whole queue, for the next change that no event announces.
  #schedule(): void {
    this.#timer.abort();
    const first = this.#first();
    if (first === undefined || !this.#hasConnection(first.priority)) return;
    const wait = this.#budget.waitFor(first.priority);
    if (wait === Number.POSITIVE_INFINITY) return;
    this.#timer = new AbortController();
    // At least a millisecond, because timers may fire a little early and must not spin.
    this.#clock.sleep(Math.max(1, wait), this.#timer.signal).then(
      () => this.serve(),
      () => {}, // replaced by another timer
    );
  }
}
