// The request budget of one server: every request waits here until the limits, a pause and the connections admit it.
import { MinuteWindow, MonthBucket, sum } from "./budget-limits.ts";
import { type Clock, isTimeout } from "./clock.ts";

/**
 * The priority of early polls of targets that have moved: below the collectors of the whole chain, and above the polls
 * of a round robin, which leave a quarter of the month's bucket to them.
 */
export const MOVED_PRIORITY = 4;

/** The lowest priority, for requests that use only what all others leave, and only half of the month's bucket. */
export const SPARE_PRIORITY = 9;

/** Limits of the requests to one server. */
export interface BudgetLimits {
  /** Requests in any 60 seconds; at least 1. */
  readonly perMinute: number;
  /** Requests in any 31 days; unlimited when absent. */
  readonly perMonth?: number | undefined;
  /** Expected requests a minute of each priority (index 0 first), which are reserved against lower priorities. */
  readonly plannedPerMinute?: readonly number[] | undefined;
  /** No pause of an earlier process takes longer. Milliseconds. @default unlimited */
  readonly longestPauseMs?: number | undefined;
}

/** The use of a budget, for its next client or process. Unix time, milliseconds. */
export interface BudgetRecord {
  readonly minute: readonly { readonly at: number; readonly priority: number }[];
  readonly month?: { readonly tokens: number; readonly at: number } | undefined;
  /** End of the active pause. */
  readonly pausedUntil?: number | undefined;
  /** Requests that may have been sent since. @default 0 */
  readonly ahead?: number | undefined;
}

/** A request that waits for admission. */
export interface BudgetRequest {
  /** 0 is admitted first. */
  readonly priority: number;
  /** Unix time, milliseconds; Infinity for none. */
  readonly deadline: number;
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
interface Waiting extends BudgetRequest {
  admit(giveBack: () => void): void;
  reject(error: unknown): void;
}

// Writes a minute: a large budget is saved once for several requests. A process that is killed loses these at most.
const SAVES_PER_MINUTE = 100;

/**
 * Admits requests by priority, then first come, first served. The first request in the queue blocks all others, which
 * costs nothing: what holds it back holds back every request of a lower priority too.
 */
export class Budget {
  readonly #clock: Clock;
  readonly #minute: MinuteWindow;
  readonly #month: MonthBucket | undefined;
  readonly #connections: number;
  readonly #save: ((record: BudgetRecord) => void) | undefined;
  /** Requests that are sent after one save. */
  readonly #step: number;
  /** Requests that may be sent before the next save. */
  #ahead = 0;
  readonly #queue: Waiting[] = [];
  #inFlight = 0;
  #pausedUntil = 0;
  #wakeAt = Number.POSITIVE_INFINITY;
  #timer = new AbortController();

  /**
   * @param restored what earlier processes used
   * @param save saves the record of a request before it is sent, and of a pause; must not throw
   */
  constructor(
    limits: BudgetLimits,
    clock: Clock,
    connections: number,
    restored: BudgetRecord = { minute: [] },
    save?: (record: BudgetRecord) => void,
  ) {
    const { perMinute, perMonth, plannedPerMinute, longestPauseMs = Number.POSITIVE_INFINITY } = limits;
    this.#clock = clock;
    this.#connections = connections;
    this.#save = save;
    this.#step = Math.ceil(perMinute / SAVES_PER_MINUTE);
    this.#minute = new MinuteWindow(perMinute, plannedPerMinute);
    this.#month = perMonth === undefined ? undefined : new MonthBucket(perMonth, this.#now());
    this.#restore(restored, longestPauseMs);
  }

  /**
   * Calls `start` when the request is admitted, synchronously with that decision, so that no pause can begin in
   * between. Settles as `start` does. `start` calls `giveBack` when nothing was sent; then the request uses nothing
   * of the budget.
   * @throws Refusal when the request cannot be admitted before its deadline; the error of `refusal`; the abort reason
   * when the request is cancelled.
   */
  run<T>(request: BudgetRequest, start: (giveBack: () => void) => Promise<T>): Promise<T> {
    const { priority, deadline, signal } = request;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(this.#abortError(request));
      const onAbort = () => {
        this.#remove(waiting);
        reject(this.#abortError(request));
        this.#serve();
      };
      const waiting: Waiting = {
        ...request,
        deadline: this.#now() + (deadline - this.#clock.now()),
        admit: (giveBack) => {
          signal.removeEventListener("abort", onAbort);
          resolve(this.#start(() => start(giveBack)));
        },
        reject: (error) => {
          signal.removeEventListener("abort", onAbort);
          reject(error);
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const behind = this.#queue.findIndex((other) => other.priority > priority);
      this.#queue.splice(behind === -1 ? this.#queue.length : behind, 0, waiting);
      this.#serve();
    });
  }

  /** Replaces the planned requests a minute of each priority. */
  setPlan(plannedPerMinute: readonly number[]): void {
    this.#minute.planned = plannedPerMinute;
    this.#serve();
  }

  /** Requests of this priority that may be admitted now. */
  room(priority: number): number {
    const now = this.#now();
    const month = Math.floor(this.#month?.tokens(now) ?? Number.POSITIVE_INFINITY);
    return Math.max(0, Math.floor(Math.min(this.#minute.room(now, priority), month - this.#monthReserve(priority))));
  }

  /**
   * Milliseconds until this number of requests of this priority may be admitted if the queue is empty, at most the
   * capacity; Infinity for never.
   */
  waitFor(priority: number, requests = 1): number {
    const now = this.#now();
    return Math.max(0, this.#earliest(now, priority, requests) - now);
  }

  /** Admits nothing for this time, or until a longer pause ends. Requests that cannot wait so long fail at once. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + milliseconds);
    this.#save?.(this.record(this.#ahead));
    this.#serve();
  }

  /** End of the active pause, Unix time in milliseconds; undefined when there is none. */
  get pausedUntil(): number | undefined {
    const left = this.#pausedUntil - this.#now();
    return left > 0 ? this.#clock.now() + left : undefined;
  }

  /** The use of the budget until now. @param ahead requests that may be sent before the next record is saved */
  record(ahead = 0): BudgetRecord {
    const now = this.#now();
    const shift = this.#clock.now() - now;
    const minute = this.#minute.admissions(now).map(({ at, priority }) => ({ at: at + shift, priority }));
    const month = this.#month && { tokens: this.#month.tokens(now), at: this.#clock.now() };
    return { minute, month, pausedUntil: this.pausedUntil, ahead };
  }

  /** Requests of the window, what remains of them, the queue, requests in flight, and the month if limited. */
  snapshot() {
    const now = this.#now();
    const used = this.#minute.admissions(now).length;
    return {
      perMinute: this.#minute.perMinute,
      usedLastMinute: used,
      remaining: this.#minute.perMinute - used,
      waiting: this.#queue.length,
      inFlight: this.#inFlight,
      month: this.#month && {
        limit: this.#month.perMonth,
        capacity: this.#month.capacity,
        available: Math.floor(this.#month.tokens(now)),
        usedSinceStart: this.#month.taken,
      },
    };
  }

  // A clock that is set forward would admit a second minute's worth; one that is set back would block the window.
  #now(): number {
    return this.#clock.elapsed();
  }

  #serve(): void {
    const now = this.#now();
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const refusal = this.#refusal(now, first);
      const giveBack = refusal === undefined ? this.#use(first.priority) : undefined;
      if (refusal === undefined && giveBack === undefined) break;
      this.#queue.shift();
      if (giveBack === undefined) first.reject(refusal);
      else first.admit(giveBack);
    }
    for (const waiting of [...this.#queue]) {
      const refusal = this.#refusal(now, waiting);
      if (refusal === undefined) continue;
      this.#remove(waiting);
      waiting.reject(refusal);
    }
    this.#schedule(now);
  }

  #remove(waiting: Waiting): void {
    this.#queue.splice(this.#queue.indexOf(waiting), 1);
  }

  // Uses a request, if the limits admit one; returns how to give it back.
  #use(priority: number): (() => void) | undefined {
    const now = this.#now();
    if (!this.#hasConnection(priority) || this.#earliest(now, priority) > now) return undefined;
    const admission = this.#minute.add(now, priority);
    this.#month?.take(now);
    this.#ahead -= 1;
    if (this.#ahead < 0) {
      this.#ahead = this.#step - 1;
      this.#save?.(this.record(this.#ahead));
    }
    return () => {
      this.#minute.remove(admission);
      this.#month?.take(this.#now(), -1);
    };
  }

  #restore({ minute, month, pausedUntil, ahead = 0 }: BudgetRecord, longestPauseMs: number): void {
    const now = this.#now();
    const shift = now - this.#clock.now();
    // A record from the future does not delay anything.
    for (const { at, priority } of minute) this.#minute.add(Math.min(at + shift, now), priority);
    // Those of a process that was killed, which could have sent them just now.
    for (let one = 0; one < ahead; one += 1) this.#minute.add(now, SPARE_PRIORITY);
    if (month !== undefined) this.#month?.restore(month.tokens - ahead, Math.min(month.at + shift, now));
    if (pausedUntil !== undefined) this.#pausedUntil = Math.min(pausedUntil + shift, now + longestPauseMs);
  }

  async #start<T>(start: () => Promise<T>): Promise<T> {
    this.#inFlight += 1;
    try {
      return await start();
    } finally {
      this.#inFlight -= 1;
      this.#serve();
    }
  }

  // One connection is reserved for each higher priority, so that slow responses to lower ones do not delay it.
  #hasConnection(priority: number): boolean {
    const reserved = Math.min(priority, Math.floor(this.#connections / 2));
    return this.#inFlight < this.#connections - reserved;
  }

  // Tokens that a request of this priority has to leave in the bucket of the month.
  #monthReserve(priority: number): number {
    const planned = sum(this.#minute.planned.slice(0, priority));
    const share = priority === SPARE_PRIORITY ? 1 / 2 : priority > MOVED_PRIORITY ? 1 / 4 : 0;
    return Math.max(planned, (this.#month?.capacity ?? 0) * share);
  }

  #earliest(now: number, priority: number, requests = 1): number {
    return Math.max(
      this.#minute.earliest(now, priority, requests),
      this.#month?.earliest(now, this.#monthReserve(priority) + requests - 1) ?? now,
      this.#pausedUntil,
    );
  }

  // Why it cannot be admitted before its deadline; undefined as long as it can.
  #refusal(now: number, waiting: Waiting): Error | undefined {
    const { priority, deadline } = waiting;
    const error = waiting.refusal?.();
    const at = this.#earliest(now, priority);
    if (error !== undefined || at < deadline) return error;
    if (this.#pausedUntil > now && this.#pausedUntil >= deadline) return new Refusal("rate_limited", at - now);
    return now < deadline ? new Refusal("budget", at - now) : this.#lateRefusal(now, priority);
  }

  // At the deadline, the budget is the cause only if a connection was free. Otherwise pending requests held it up.
  #lateRefusal(now: number, priority: number): Refusal {
    const wait = this.#earliest(now, priority) - now;
    return wait > 0 && this.#hasConnection(priority) ? new Refusal("budget", wait) : new Refusal("timeout", 0);
  }

  #abortError({ signal, priority, refusal }: BudgetRequest): unknown {
    if (!isTimeout(signal.reason)) return signal.reason;
    const now = this.#now();
    const wait = this.#pausedUntil - now;
    return refusal?.() ?? (wait > 0 ? new Refusal("rate_limited", wait) : this.#lateRefusal(now, priority));
  }

  // One timer for the whole queue, for the next change that no event announces.
  #schedule(now: number): void {
    const [first] = this.#queue;
    const isServable = first !== undefined && this.#hasConnection(first.priority);
    const admissibleAt = isServable ? this.#earliest(now, first.priority) : Number.POSITIVE_INFINITY;
    const wakeAt = this.#queue.reduce((earliest, { deadline }) => Math.min(earliest, deadline), admissibleAt);
    if (wakeAt === this.#wakeAt) return;
    this.#timer.abort();
    this.#wakeAt = wakeAt;
    if (wakeAt === Number.POSITIVE_INFINITY) return;
    const timer = new AbortController();
    this.#timer = timer;
    // At least a millisecond, because timers may fire a little early and must not spin.
    this.#clock.sleep(Math.max(1, wakeAt - now), timer.signal).then(
      () => {
        if (this.#timer !== timer) return;
        this.#wakeAt = Number.POSITIVE_INFINITY;
        this.#serve();
      },
      () => {}, // replaced by another timer
    );
  }
}
