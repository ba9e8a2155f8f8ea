// The one gate through which every request leaves: limits, pauses and order. Knows nothing of HTTP.
import { isTimeout } from "./abort.ts";
import type { Clock } from "./clock.ts";
import { MinuteWindow } from "./minute-window.ts";
import { MonthBucket } from "./month-bucket.ts";

/** Priority of what only takes what all others leave: no plan is made for it, and it never takes the last of the month. */
export const SPARE_PRIORITY = 9;

/** How much one network may be asked. */
export interface BudgetLimits {
  /** Requests in any 60 seconds; at least 1. */
  readonly perMinute: number;
  /** Requests in any 31 days; no such limit when absent. */
  readonly perMonth?: number | undefined;
  /** Requests a minute expected of each priority (index 0 first): lower priorities leave them free. */
  readonly plannedPerMinute?: readonly number[] | undefined;
}

/** What was used of a budget, for the process after this one. Unix time, milliseconds. */
export interface BudgetRecord {
  readonly minute: readonly { readonly at: number; readonly priority: number }[];
  readonly month?: { readonly tokens: number; readonly at: number } | undefined;
}

/** Who wants to leave, and until when. */
export interface Turn {
  /** 0 is served first. */
  readonly priority: number;
  /** Unix time, milliseconds; Infinity for none. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Why the request is of no use now, if it is not: it is refused with this error instead of waiting any longer. */
  readonly refusal?: (() => Error | undefined) | undefined;
}

const SHUT = {
  budget: "no request left in the budget",
  rate_limited: "the network is paused after a 429",
  timeout: "no connection was free",
} as const;

/** The gate stays shut for this request until after its deadline. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: keyof typeof SHUT;

  constructor(reason: keyof typeof SHUT, waitMs: number) {
    const what = SHUT[reason];
    const wait = waitMs > 0 && Number.isFinite(waitMs) ? `; the next may leave in ${Math.ceil(waitMs / 1000)} s` : "";
    super(`${what} before the deadline${wait}`);
    this.reason = reason;
  }
}

interface Waiter {
  readonly priority: number;
  /** In the time of `Clock.elapsed`. */
  readonly deadline: number;
  /** Why it must not leave, if so. */
  refusal(): Error | undefined;
  admit(giveBack: () => void): void;
  reject(error: unknown): void;
}

/**
 * Admits requests by priority, then first come, first served, while the minute, the month, a pause and the number of
 * connections allow. The first in the queue blocks all others, which loses nothing: what keeps a request from leaving
 * keeps every less important one from leaving too.
 */
export class Budget {
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #minute: MinuteWindow;
  readonly #month: MonthBucket | undefined;
  #planned: readonly number[];
  readonly #concurrency: number;
  readonly #queue: Waiter[] = [];
  #inFlight = 0;
  #pausedUntil = 0;
  #wakeAt = Number.POSITIVE_INFINITY;
  #timer = new AbortController();

  /** @param restored what the process before used. */
  constructor(limits: BudgetLimits, clock: Clock, concurrency: number, restored?: BudgetRecord) {
    this.#clock = clock;
    // Set forward, a clock would let a second minute's worth leave; set back, it would close the window for as long.
    this.#now = () => clock.elapsed();
    this.#planned = limits.plannedPerMinute ?? [];
    const now = this.#now();
    this.#minute = new MinuteWindow(limits.perMinute, this.#planned);
    const shift = now - clock.now();
    for (const { at, priority } of restored?.minute ?? []) this.#minute.add(Math.min(at + shift, now), priority);
    const month = restored?.month && { ...restored.month, at: restored.month.at + shift };
    this.#month = limits.perMonth === undefined ? undefined : new MonthBucket(limits.perMonth, now, month);
    this.#concurrency = concurrency;
  }

  /**
   * Calls `start` when the request may leave, in the same turn of the event loop in which that was decided, so that no
   * pause can begin in between. Settles as `start` does, which calls `giveBack` when nothing was sent: the request then
   * uses nothing of the budget.
   * @throws Refusal when that cannot be before the deadline; the error of `turn.refusal`; the reason of the signal when it
   * is aborted otherwise.
   */
  run<T>(turn: Turn, start: (giveBack: () => void) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (turn.signal.aborted) return reject(this.#aborted(turn));
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(this.#aborted(turn));
        this.#serve();
      };
      const waiter: Waiter = {
        priority: turn.priority,
        deadline: this.#now() + (turn.deadline - this.#clock.now()),
        refusal: () => turn.refusal?.(),
        admit: (giveBack) => {
          turn.signal.removeEventListener("abort", onAbort);
          resolve(this.#fly(() => start(giveBack)));
        },
        reject: (error) => {
          turn.signal.removeEventListener("abort", onAbort);
          reject(error);
        },
      };
      turn.signal.addEventListener("abort", onAbort, { once: true });
      const behind = this.#queue.findIndex(({ priority }) => priority > turn.priority);
      this.#queue.splice(behind === -1 ? this.#queue.length : behind, 0, waiter);
      this.#serve();
    });
  }

  /** Keeps other numbers of requests free for the more important; `plannedPerMinute` as in the limits. */
  expect(plannedPerMinute: readonly number[]): void {
    this.#planned = plannedPerMinute;
    this.#minute.expect(plannedPerMinute);
    this.#serve();
  }

  /** Requests of this priority that may leave now. */
  room(priority: number): number {
    const now = this.#now();
    const month = this.#month?.available(now) ?? Number.POSITIVE_INFINITY;
    return Math.max(0, Math.floor(Math.min(this.#minute.room(now, priority), month - this.#reserve(priority))));
  }

  /** Milliseconds until a request of this priority may leave if none leaves before it; Infinity for never. */
  waitFor(priority: number): number {
    const now = this.#now();
    return Math.max(0, this.#earliest(now, priority) - now);
  }

  /** Lets nothing leave for so long, unless a longer pause is running. Those who cannot wait that long fail at once. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + milliseconds);
    this.#serve();
  }

  /** End of the running pause, Unix time in milliseconds; undefined when there is none. */
  get pausedUntil(): number | undefined {
    const left = this.#pausedUntil - this.#now();
    return left > 0 ? this.#clock.now() + left : undefined;
  }

  /** What was used until now. */
  record(): BudgetRecord {
    const now = this.#now();
    const shift = this.#clock.now() - now;
    const minute = this.#minute.record(now).map(({ at, priority }) => ({ at: at + shift, priority }));
    const month = this.#month?.record(now);
    return { minute, month: month && { ...month, at: month.at + shift } };
  }

  /** Departures of the last 60 seconds, what is left of them, who waits, who is under way, and the month if limited. */
  snapshot() {
    const now = this.#now();
    const used = this.#minute.used(now);
    return {
      perMinute: this.#minute.perMinute,
      usedLastMinute: used,
      remaining: this.#minute.perMinute - used,
      waiting: this.#queue.length,
      inFlight: this.#inFlight,
      month: this.#month && {
        limit: this.#month.perMonth,
        capacity: this.#month.capacity,
        available: this.#month.available(now),
        usedSinceStart: this.#month.taken,
      },
    };
  }

  #serve(): void {
    const now = this.#now();
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const refusal = this.#refusal(now, first);
      if (refusal === undefined && !this.#mayLeave(now, first)) break;
      this.#queue.shift();
      if (refusal === undefined) this.#admit(now, first);
      else first.reject(refusal);
    }
    for (const waiter of [...this.#queue]) {
      const refusal = this.#refusal(now, waiter);
      if (refusal === undefined) continue;
      this.#queue.splice(this.#queue.indexOf(waiter), 1);
      waiter.reject(refusal);
    }
    this.#arm(now);
  }

  #mayLeave(now: number, { priority }: Waiter): boolean {
    return this.#hasConnection(priority) && this.#earliest(now, priority) <= now;
  }

  #admit(now: number, waiter: Waiter): void {
    const departure = this.#minute.add(now, waiter.priority);
    this.#month?.take(now);
    waiter.admit(() => {
      this.#minute.remove(departure);
      this.#month?.giveBack(this.#now());
    });
  }

  async #fly<T>(start: () => Promise<T>): Promise<T> {
    this.#inFlight += 1;
    try {
      return await start();
    } finally {
      this.#inFlight -= 1;
      this.#serve();
    }
  }

  // Each more important priority has a connection kept free, so that slow answers to the others do not hold it up.
  #hasConnection(priority: number): boolean {
    const kept = Math.min(priority, Math.floor(this.#concurrency / 2));
    return this.#inFlight < this.#concurrency - kept;
  }

  // What has to stay in the bucket of the month.
  #reserve(priority: number): number {
    const planned = this.#planned.slice(0, priority).reduce((sum, requests) => sum + requests, 0);
    return priority === SPARE_PRIORITY ? Math.max(planned, (this.#month?.capacity ?? 0) / 2) : planned;
  }

  #earliest(now: number, priority: number): number {
    return Math.max(
      this.#minute.earliest(now, priority),
      this.#month?.earliest(now, this.#reserve(priority)) ?? now,
      Math.max(now, this.#pausedUntil),
    );
  }

  // Why it cannot leave before its deadline; undefined as long as it still can.
  #refusal(now: number, waiter: Waiter): Error | undefined {
    const { priority, deadline } = waiter;
    const own = waiter.refusal();
    const at = this.#earliest(now, priority);
    if (own !== undefined || at < deadline) return own;
    if (this.#pausedUntil > now && this.#pausedUntil >= deadline) return new Refusal("rate_limited", at - now);
    return now < deadline ? new Refusal("budget", at - now) : this.#late(now, priority);
  }

  // At the deadline: the budget is to blame only if a connection was free. Otherwise requests without an answer held it up.
  #late(now: number, priority: number): Refusal {
    const wait = this.#earliest(now, priority) - now;
    return wait > 0 && this.#hasConnection(priority) ? new Refusal("budget", wait) : new Refusal("timeout", 0);
  }

  #aborted({ signal, priority, refusal }: Turn): unknown {
    if (!isTimeout(signal.reason)) return signal.reason;
    const own = refusal?.();
    if (own !== undefined) return own;
    const now = this.#now();
    return this.#pausedUntil > now ? new Refusal("rate_limited", this.#pausedUntil - now) : this.#late(now, priority);
  }

  // One timer for the whole queue: the next thing that can change without anybody telling.
  #arm(now: number): void {
    let wakeAt = Number.POSITIVE_INFINITY;
    const [first] = this.#queue;
    if (first !== undefined && this.#hasConnection(first.priority)) wakeAt = this.#earliest(now, first.priority);
    for (const { deadline } of this.#queue) wakeAt = Math.min(wakeAt, deadline);
    if (wakeAt === this.#wakeAt) return;
    this.#timer.abort();
    this.#wakeAt = wakeAt;
    if (wakeAt === Number.POSITIVE_INFINITY) return;
    const timer = new AbortController();
    this.#timer = timer;
    // At least a millisecond, because timers may fire a little early and must not spin.
    const slept = this.#clock.sleep(Math.max(1, wakeAt - now), timer.signal);
    slept.then(
      () => {
        if (this.#timer !== timer) return;
        this.#wakeAt = Number.POSITIVE_INFINITY;
        this.#serve();
      },
      () => {}, // replaced by another timer
    );
  }
}
