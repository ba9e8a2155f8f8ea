// The request budget of one server: its limits, its pause, and what was used of it over restarts. Sends nothing.
import { sum, type WindowLimits } from "./budget-limits.ts";
import type { Clock } from "./clock.ts";
import { type Bucket, counts, minute, month, type Sent } from "./windows.ts";

/**
 * The priority of early polls of targets that have moved: below the collectors of the whole chain, and above the polls
 * of a round robin, which leave a quarter of the month's bucket to them.
 */
export const MOVED_PRIORITY = 4;

/** The lowest priority, for requests that use only what all others leave, and only half of the month's bucket. */
export const SPARE_PRIORITY = 9;

/** Limits of the requests to one server. */
export interface BudgetLimits extends WindowLimits {
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
// More requests than can be sent in a month.
const UNLIMITED = 1e15;

/** The use of the limits of one server. */
export class Budget {
  readonly #clock: Clock;
  readonly #save: ((record: BudgetRecord) => void) | undefined;
  readonly #perMinute: number;
  readonly #perMonth: number | undefined;
  readonly #month: ReturnType<typeof month>;
  #planned: readonly number[] = [];
  #sent: readonly Sent[];
  #bucket: Bucket;
  #sentSinceStart = 0;
  #pausedUntil: number;
  /** Requests that may be sent before the next save. */
  #ahead = 0;

  /**
   * @param restored what earlier processes used
   * @param save saves the record of a request before it is sent, and of a pause; must not throw
   */
  constructor(
    { perMinute, perMonth, longestPauseMs = Number.POSITIVE_INFINITY }: BudgetLimits,
    clock: Clock,
    { minute, month: saved, pausedUntil = 0, ahead = 0 }: BudgetRecord = { minute: [] },
    save?: (record: BudgetRecord) => void,
  ) {
    this.#clock = clock;
    this.#save = save;
    this.#perMinute = Math.max(1, Math.floor(perMinute));
    this.#perMonth = perMonth && Math.max(1, Math.floor(perMonth));
    this.#month = month(this.#perMonth ?? UNLIMITED);
    const now = clock.elapsed();
    const shift = now - clock.now();
    // A record from the future does not delay anything. What was in flight may have been received until now.
    const known = minute.map(({ at, priority }) => ({ priority, endedAt: Math.min(at + shift, now) }));
    this.#sent = [...known, ...Array.from({ length: ahead }, () => ({ priority: SPARE_PRIORITY, endedAt: now }))];
    const { tokens, at } = saved ?? { tokens: this.#month.capacity + ahead, at: clock.now() };
    this.#bucket = { tokens: tokens - ahead, at: Math.min(at + shift, now) };
    this.#pausedUntil = Math.min(pausedUntil + shift, now + longestPauseMs);
  }

  /** Reserves the expected requests a minute of each priority (index 0 first) against lower priorities. */
  setPlan(planned: readonly number[]): void {
    this.#planned = planned;
  }

  /** Counts a request, which the caller sends now. Returns the function to call when it has ended. */
  send(priority: number): () => void {
    const sent: Sent = { priority };
    this.#sent = [...this.#counting(), sent];
    this.#bucket = { tokens: this.#tokens() - 1, at: this.#now() };
    this.#sentSinceStart += 1;
    this.#ahead -= 1;
    if (this.#ahead < 0) {
      this.#ahead = Math.ceil(this.#perMinute / SAVES_PER_MINUTE) - 1;
      this.#save?.(this.record(this.#ahead));
    }
    return () => {
      sent.endedAt = this.#now();
    };
  }

  /** Requests of this priority that may be sent now. */
  room(priority: number): number {
    const { room } = minute(this.#perMinute, this.#planned, this.#counting(), this.#now(), priority);
    return Math.max(0, Math.min(room, Math.floor(this.#tokens() - this.#monthReserve(priority))));
  }

  /**
   * Milliseconds until this number of requests of this priority may be sent if no other is, at most the capacity;
   * Infinity for never.
   */
  waitFor(priority: number, requests = 1): number {
    const now = this.#now();
    const { at } = minute(this.#perMinute, this.#planned, this.#counting(), now, priority, requests);
    const month = this.#month.freeAt(this.#bucket, now, this.#monthReserve(priority) + requests - 1);
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
    const now = this.#clock.now();
    const shift = now - this.#now();
    const minute = this.#counting().flatMap(({ priority, endedAt }) =>
      endedAt === undefined ? [] : [{ at: endedAt + shift, priority }],
    );
    const open = this.#sent.length - minute.length;
    const month = this.#perMonth === undefined ? undefined : { tokens: this.#tokens() + open, at: now };
    return { minute, month, pausedUntil: this.pausedUntil, ahead: ahead + open };
  }

  /** Requests of the last minute, and those since the start if the month is limited; what is left of both. */
  snapshot() {
    const used = this.#counting().length;
    const [limit, available] = [this.#perMonth, Math.floor(this.#tokens())];
    return {
      minute: { used, available: this.#perMinute - used },
      month: limit === undefined ? undefined : { limit, used: this.#sentSinceStart, available },
    };
  }

  // A clock that is set forward would admit a second minute's worth; one that is set back would block the minute.
  #now(): number {
    return this.#clock.elapsed();
  }

  #counting(): readonly Sent[] {
    this.#sent = this.#sent.filter((sent) => counts(sent, this.#now()));
    return this.#sent;
  }

  #tokens(): number {
    return this.#month.tokensAt(this.#bucket, this.#now());
  }

  // Tokens that a request of this priority has to leave in the bucket of the month.
  #monthReserve(priority: number): number {
    const planned = sum(this.#planned.slice(0, priority));
    const share = priority === SPARE_PRIORITY ? 1 / 2 : priority > MOVED_PRIORITY ? 1 / 4 : 0;
    return Math.max(planned, this.#month.capacity * share);
  }
}
