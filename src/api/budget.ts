// The request budget of one server: its limits, its pause, and what was used of it over restarts. Sends nothing.
import { sum } from "./budget-limits.ts";
import type { Clock } from "./clock.ts";
import { counts, type MinuteLimit, minute, type Sent } from "./minute.ts";
import { type Bucket, type MonthLimit, monthFreeAt, monthLimit, tokensAt } from "./month.ts";

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
  /** Requests that may have been sent since, or were in flight. @default 0 */
  readonly ahead?: number | undefined;
}

// Writes a minute: a large budget is saved once for several requests. A process that is killed loses these at most.
const SAVES_PER_MINUTE = 100;

/** The use of the limits of one server. */
export class Budget {
  readonly #clock: Clock;
  readonly #save: ((record: BudgetRecord) => void) | undefined;
  readonly #month: MonthLimit | undefined;
  #minute: MinuteLimit;
  /** Requests that have ended, the oldest first. */
  readonly #ended: Required<Sent>[];
  readonly #open = new Set<Sent>();
  #bucket: Bucket;
  #sentSinceStart = 0;
  #pausedUntil = 0;
  /** Requests that may be sent before the next save. */
  #ahead = 0;

  /**
   * @param restored what earlier processes used
   * @param save saves the record of a request before it is sent, and of a pause; must not throw
   */
  constructor(
    { perMinute, perMonth, plannedPerMinute = [], longestPauseMs = Number.POSITIVE_INFINITY }: BudgetLimits,
    clock: Clock,
    restored: BudgetRecord = { minute: [] },
    save?: (record: BudgetRecord) => void,
  ) {
    this.#clock = clock;
    this.#save = save;
    this.#minute = { perMinute: Math.max(1, Math.floor(perMinute)), planned: plannedPerMinute };
    this.#month = perMonth === undefined ? undefined : monthLimit(perMonth);
    const now = clock.elapsed();
    const shift = now - clock.now();
    const { ahead = 0, month, pausedUntil = 0 } = restored;
    // A record from the future does not delay anything. What was in flight may have been received until now.
    const known = restored.minute.map(({ at, priority }) => ({ priority, endedAt: Math.min(at + shift, now) }));
    const unknown = Array.from({ length: ahead }, () => ({ priority: SPARE_PRIORITY, endedAt: now }));
    this.#ended = [...known, ...unknown];
    this.#bucket =
      month === undefined
        ? { tokens: this.#month?.capacity ?? 0, at: now }
        : { tokens: month.tokens - ahead, at: Math.min(month.at + shift, now) };
    this.#pausedUntil = Math.min(pausedUntil + shift, now + longestPauseMs);
  }

  /** Replaces the planned requests a minute of each priority. */
  setPlan(planned: readonly number[]): void {
    this.#minute = { ...this.#minute, planned };
  }

  /** Counts a request, which the caller sends now. Returns the function to call when it has ended. */
  send(priority: number): () => void {
    const sent: Sent = { priority };
    this.#open.add(sent);
    this.#bucket = { tokens: this.#tokens() - 1, at: this.#now() };
    this.#sentSinceStart += 1;
    this.#ahead -= 1;
    if (this.#ahead < 0) {
      this.#ahead = Math.ceil(this.#minute.perMinute / SAVES_PER_MINUTE) - 1;
      this.#save?.(this.record(this.#ahead));
    }
    return () => {
      this.#open.delete(sent);
      this.#ended.push({ priority, endedAt: this.#now() });
    };
  }

  /** Requests of this priority that may be sent now. */
  room(priority: number): number {
    const { room } = minute(this.#minute, this.#counting(), this.#now(), priority);
    const month = this.#month ? Math.floor(this.#tokens()) - this.#monthReserve(priority) : room;
    return Math.max(0, Math.floor(Math.min(room, month)));
  }

  /**
   * Milliseconds until this number of requests of this priority may be sent if no other is, at most the capacity;
   * Infinity for never.
   */
  waitFor(priority: number, requests = 1): number {
    const now = this.#now();
    const { at } = minute(this.#minute, this.#counting(), now, priority, requests);
    const reserve = this.#monthReserve(priority) + requests - 1;
    const month = this.#month ? monthFreeAt(this.#month, this.#bucket, now, reserve) : now;
    return Math.max(0, at - now, month - now, this.#pausedUntil - now);
  }

  /** Sends nothing for some milliseconds. The longest of several pauses holds. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + milliseconds);
    this.#save?.(this.record(this.#ahead));
  }

  /** End of the active pause, Unix time in milliseconds; undefined when there is none. */
  get pausedUntil(): number | undefined {
    const left = this.#pausedUntil - this.#now();
    return left > 0 ? this.#clock.now() + left : undefined;
  }

  /** The use of the budget until now. @param ahead requests that may be sent before the next record is saved */
  record(ahead = 0): BudgetRecord {
    this.#counting();
    const shift = this.#clock.now() - this.#now();
    const ended = this.#ended.map(({ endedAt, priority }) => ({ at: endedAt + shift, priority }));
    const open = this.#open.size;
    const month = this.#month && { tokens: this.#tokens() + open, at: this.#clock.now() };
    return { minute: ended, month, pausedUntil: this.pausedUntil, ahead: ahead + open };
  }

  /** Requests of the minute, what remains of them, and the month if limited. */
  snapshot() {
    const { perMinute } = this.#minute;
    const used = this.#counting().length;
    const month = this.#month && {
      limit: this.#month.perMonth,
      capacity: this.#month.capacity,
      available: Math.floor(this.#tokens()),
      usedSinceStart: this.#sentSinceStart,
    };
    return { perMinute, usedLastMinute: used, remaining: perMinute - used, month };
  }

  // A clock that is set forward would admit a second minute's worth; one that is set back would block the minute.
  #now(): number {
    return this.#clock.elapsed();
  }

  /** The requests that count, in the order in which they ended. */
  #counting(): readonly Sent[] {
    const first = this.#ended.findIndex((sent) => counts(sent, this.#now()));
    this.#ended.splice(0, first === -1 ? this.#ended.length : first);
    return [...this.#ended, ...this.#open];
  }

  #tokens(): number {
    return this.#month === undefined ? 0 : tokensAt(this.#month, this.#bucket, this.#now());
  }

  // Tokens that a request of this priority has to leave in the bucket of the month.
  #monthReserve(priority: number): number {
    const planned = sum(this.#minute.planned.slice(0, priority));
    const share = priority === SPARE_PRIORITY ? 1 / 2 : priority > MOVED_PRIORITY ? 1 / 4 : 0;
    return Math.max(planned, (this.#month?.capacity ?? 0) * share);
  }
}
