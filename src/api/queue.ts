// The queue of one server: every request waits here until the budget, a pause and the connections admit it.
import PQueue from "p-queue";
import type { Budget } from "./budget.ts";
import { type Clock, isTimeout } from "./clock.ts";
import { ApiError } from "./errors.ts";

// More requests than a process sends: the part of a place below 1.
const MAX_REQUESTS = 2 ** 40;

/** A request that waits for admission. */
export interface QueuedRequest {
  readonly name: string;
  /** 0 is admitted first. */
  readonly priority: number;
  /** Time of the abort of the signal, by `Clock.elapsed`; Infinity for none. */
  readonly deadline: number;
  /** Aborted at the deadline (with a `TimeoutError`), or to cancel the request. */
  readonly signal: AbortSignal;
}

/**
 * Admits requests by priority, then first come, first served. The first one that has to wait stops the queue, which
 * costs nothing: what holds it back holds back every request of a lower priority too.
 */
export class RequestQueue {
  waiting = 0;
  #requests = 0;
  readonly #budget: Budget;
  readonly #clock: Clock;
  readonly #connections: number;
  readonly #queue = new PQueue();
  #timer = new AbortController();
  /** Whether the budget holds back the first one that waits, and with it all others; if not, it lacks a connection. */
  #isShort = false;

  constructor(budget: Budget, clock: Clock, connections: number) {
    this.#budget = budget;
    this.#clock = clock;
    this.#connections = connections;
  }

  /**
   * Calls `start` when the request is admitted, synchronously with that decision, so that no pause can begin in
   * between. Settles as `start` does.
   * @param check throws if the request has become useless before it is admitted
   * @throws ApiError when the request cannot be admitted before its deadline; the abort reason when it is cancelled.
   */
  async run<T>(
    { name, priority, deadline, signal }: QueuedRequest,
    start: () => Promise<T>,
    check = () => {},
  ): Promise<T> {
    // In an object: a request that is in flight does not wait.
    type Admitted = { readonly result: Promise<T> };
    const add = (): Promise<Admitted> => this.#queue.add(turn, { priority: place, signal });
    const turn = (): Admitted | Promise<Admitted> => {
      check();
      const wait = this.#budget.waitFor(priority);
      const left = deadline - this.#clock.elapsed();
      if (wait >= left) throw left > 0 ? this.#shortage(name, wait) : this.#lateness(name, wait);
      if (wait > 0 || !this.#hasConnection(priority)) {
        this.#isShort = this.#hasConnection(priority);
        this.#stop(wait);
        return add();
      }
      const end = this.#budget.send(priority);
      const result = start().finally(() => {
        end();
        this.#queue.start();
      });
      return { result };
    };
    this.#isShort &&= this.waiting > 0;
    this.waiting += 1;
    this.#requests += 1;
    // Its place, which it keeps while it waits: behind the earlier ones of its priority.
    const place = -priority - this.#requests / MAX_REQUESTS;
    try {
      const admitted = add();
      this.#queue.start();
      return (await admitted).result;
    } catch (error) {
      if (error !== signal.reason || !isTimeout(error)) throw error;
      check();
      throw this.#lateness(name, this.#budget.waitFor(priority));
    } finally {
      this.waiting -= 1;
      if (this.waiting === 0) this.#timer.abort();
    }
  }

  // Until a request has ended, a new one comes, or the budget admits the first one.
  #stop(waitMs: number): void {
    this.#queue.pause();
    this.#timer.abort();
    // Without a connection, the end of a request starts the queue.
    if (waitMs === 0) return;
    this.#timer = new AbortController();
    // At least a millisecond, because timers may fire a little early and must not spin.
    this.#clock.sleep(Math.max(1, waitMs), this.#timer.signal).then(
      () => this.#queue.start(),
      () => {}, // replaced by another timer
    );
  }

  #lateness(name: string, waitMs: number): ApiError {
    if (this.#isShort) return this.#shortage(name, waitMs);
    return new ApiError("timeout", name, "no connection was free before the deadline");
  }

  #shortage(name: string, waitMs: number): ApiError {
    const seconds = Math.ceil(waitMs / 1000);
    const next = seconds > 0 && Number.isFinite(seconds) ? `; the next request is possible in ${seconds} s` : "";
    return this.#budget.pausedUntil === undefined
      ? new ApiError("budget", name, `no request left in the budget before the deadline${next}`)
      : new ApiError("rate_limited", name, `the network is paused after a 429 before the deadline${next}`);
  }

  // One connection is reserved for each higher priority, so that slow responses to lower ones do not delay it.
  #hasConnection(priority: number): boolean {
    return this.#budget.inFlight < this.#connections - Math.min(priority, Math.floor(this.#connections / 2));
  }
}
