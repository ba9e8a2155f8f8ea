// The request budget of one server: the limits of the hosted API, their shares and windows, and what was used over
// restarts. Sends nothing.
import { z } from "zod";
import type { Clock } from "./clock.ts";

/** A month of the budget has 31 days. */
export const MINUTES_PER_MONTH = 31 * 24 * 60;

// Rounding error of sums of floating-point numbers.
const TOLERANCE = 1e-6;

/** Requests in any 60 seconds, and in any 31 days; no limit of the month when `perMonth` is undefined. */
export interface WindowLimits {
  readonly perMinute: number;
  readonly perMonth?: number | undefined;
}

/**
 * The part of a budget for commands that run beside an exporter: a tenth, at least 1 request a minute. A budget of 1 a
 * minute leaves none.
 */
export const commandsPart = ({ perMinute, perMonth }: WindowLimits): WindowLimits => ({
  perMinute: perMinute < 2 ? 0 : Math.max(1, Math.floor(perMinute / 10)),
  perMonth: perMonth && Math.max(1, Math.floor(perMonth / 10)),
});

/** The part of a budget that an exporter uses: what commands leave of the minute, and the whole month. */
export const exporterPart = ({ perMinute, perMonth }: WindowLimits): WindowLimits => ({
  perMinute: perMinute - commandsPart({ perMinute }).perMinute,
  perMonth,
});

/** The smallest budget a minute of which an exporter may use this many requests. */
export function budgetFor(perMinute: number): number {
  let budget = Math.ceil(perMinute - TOLERANCE);
  while (exporterPart({ perMinute: budget }).perMinute < perMinute - TOLERANCE) budget += 1;
  return budget;
}

/** The sum of numbers. */
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/**
 * Requests in any minute and in any 31 days, as Hiro documents them (https://docs.hiro.so/rate-limiting, 2026-11): 25 a
 * minute and client IP without a key, 900 a minute and 150,000 a month with a free one.
 */
export const PRESETS = {
  keyless: { perMinute: 25, perMonth: undefined },
  free_key: { perMinute: 900, perMonth: 150_000 },
} as const;

/** The name of a preset. */
export type Preset = keyof typeof PRESETS;

// With a margin, because the clock of the server can be a little faster.
const MINUTE_MS = 61_000;
const MONTH_MS = MINUTES_PER_MONTH * 60_000;
/** What the bucket of a month holds, as the time of its even share: 0.8 % of it, enough for a rush. Milliseconds. */
export const CAPACITY_MS = 6 * 3_600_000;
// Keeps the sum of many floating-point refills below the limit.
const SAFETY = 1 - 1e-9;

/**
 * The requests of a priority that count. The server received each at some time before it ended, which a slow connection
 * can delay. So it counts for a minute from its end: then the server receives no more than `perMinute` in any minute.
 */
export interface Sent {
  /** When those that have ended did so, the oldest first. Times of `Clock.elapsed`. */
  readonly ended: number[];
  inFlight: number;
}

const countOf = ({ ended, inFlight }: Sent): number => ended.length + inFlight;

/**
 * The requests of a priority that may be sent now, and the time when a number of them may be sent, if no other request
 * is sent and those in flight end now.
 *
 * Capacity is reserved: priority p and lower ones use at most what is neither planned nor used of any q < p, and at
 * least one request, so that a plan that is too large delays them, but cannot lock them out.
 * @param planned expected requests a minute of each priority, 0 first
 * @param sent the requests that count, of every priority
 */
export function minute(
  perMinute: number,
  planned: readonly number[],
  sent: readonly Sent[],
  now: number,
  priority: number,
  requests = 1,
) {
  const reserved = planned.slice(0, priority).map((count, q) => {
    const own = sent[q] as Sent;
    // What a priority uses beyond its plan, as after a start, does not take its reserve, nor that of another one.
    const extra = Math.ceil(countOf(own) - count) - 1;
    const since = now - (own.ended[extra] ?? now);
    return extra < 0 ? count : countOf(own) + Math.ceil((count * (MINUTE_MS - since)) / MINUTE_MS);
  });
  const unreserved = Math.max(1, Math.floor(perMinute - sum(reserved)));
  const windows = [
    { capacity: perMinute, used: sent },
    { capacity: unreserved, used: sent.slice(priority) },
  ].map(({ capacity, used }) => {
    const count = sum(used.map(countOf));
    const excess = count + Math.min(requests, unreserved) - capacity;
    if (excess <= 0) return { room: capacity - count, at: now };
    const ended = used.flatMap((one) => one.ended).sort((a, b) => a - b);
    return { room: capacity - count, at: (ended[excess - 1] ?? now) + MINUTE_MS };
  });
  return {
    room: Math.min(...windows.map(({ room }) => room)),
    at: Math.max(...windows.map(({ at }) => at)),
  };
}

/** Tokens at a time, in milliseconds of `Clock.elapsed`. */
export interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/**
 * The bucket of a month. It holds an even share of six hours (`capacity`, at least one) and is refilled evenly with
 * `perMonth - capacity` requests in 31 days. What is sent within 31 days was in the bucket at their start or was
 * refilled during them: together at most `perMonth`. A log of every request of a month would return the unused rest of
 * quiet days, but would also allow a month's quota to be spent on its first day.
 */
export function month(perMonth: number) {
  const capacity = Math.max(1, Math.floor((perMonth * CAPACITY_MS) / MONTH_MS));
  const refillPerMs = ((perMonth - capacity) / MONTH_MS) * SAFETY;
  const tokensAt = ({ tokens, at }: Bucket, now: number) => Math.min(capacity, tokens + (now - at) * refillPerMs);
  return {
    capacity,
    /** Tokens now, including fractions. `now` must not decrease. */
    tokensAt,
    /** Time when a request that must leave `reserve` tokens in the bucket may be sent; Infinity for never. */
    freeAt: (bucket: Bucket, now: number, reserve: number): number => {
      const missing = 1 + Math.min(capacity - 1, reserve) - tokensAt(bucket, now);
      return missing <= 0 ? now : now + Math.ceil(missing / refillPerMs);
    },
  };
}

/**
 * The priority of early polls of targets that have moved: below the collectors of the whole chain, and above the polls
 * of a round robin, which leave a quarter of the month's bucket to them.
 */
export const MOVED_PRIORITY = 4;

/** The lowest priority, for requests that use only what all others leave, and only half of the month's bucket. */
export const SPARE_PRIORITY = 9;

/** The use of a budget, for its next client or process. Unix time, milliseconds. */
export const budgetRecord = z.object({
  minute: z.array(z.object({ at: z.number(), priority: z.int().min(0).max(SPARE_PRIORITY) })),
  month: z.object({ tokens: z.number(), at: z.number() }).optional(),
  /** End of the active pause. */
  pausedUntil: z.number().optional(),
  /** Requests that may have been sent since, or were in flight. @default 0 */
  ahead: z.number().optional(),
});
export type BudgetRecord = z.infer<typeof budgetRecord>;

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
  /** By priority. */
  readonly #sent = Array.from({ length: SPARE_PRIORITY + 1 }, (): Sent => ({ ended: [], inFlight: 0 }));
  #bucket: Bucket;
  #sentSinceStart = 0;
  #pausedUntil: number;
  readonly #longestPauseMs: number;
  /** Requests that may be sent before the next save. */
  #ahead = 0;

  /**
   * @param restored what earlier processes used
   * @param save saves the record of a request before it is sent, and of a pause; must not throw
   * @param longestPauseMs no pause takes longer, nor the rest of one of an earlier process
   */
  constructor(
    { perMinute, perMonth }: WindowLimits,
    clock: Clock,
    { minute, month: saved, pausedUntil = 0, ahead = 0 }: BudgetRecord = { minute: [] },
    save?: (record: BudgetRecord) => void,
    longestPauseMs = Number.POSITIVE_INFINITY,
  ) {
    this.#clock = clock;
    this.#save = save;
    this.#perMinute = Math.max(1, Math.floor(perMinute));
    this.#perMonth = perMonth && Math.max(1, Math.floor(perMonth));
    this.#month = month(this.#perMonth ?? UNLIMITED);
    const now = clock.elapsed();
    const shift = now - clock.now();
    // A record from the future does not delay anything. What was in flight may have been received until now.
    const spare = Array.from({ length: ahead }, () => ({ at: now - shift, priority: SPARE_PRIORITY }));
    const known = [...minute, ...spare].toSorted((a, b) => a.at - b.at);
    for (const { at, priority } of known) this.#sent[priority]?.ended.push(Math.min(at + shift, now));
    const { tokens, at } = saved ?? { tokens: this.#month.capacity + ahead, at: clock.now() };
    this.#bucket = { tokens: tokens - ahead, at: Math.min(at + shift, now) };
    this.#longestPauseMs = longestPauseMs;
    this.#pausedUntil = Math.min(pausedUntil + shift, now + longestPauseMs);
  }

  /** Reserves the expected requests a minute of each priority (index 0 first) against lower priorities. */
  setPlan(planned: readonly number[]): void {
    this.#planned = planned;
  }

  /** Requests that were sent, and have not ended. */
  get inFlight(): number {
    return sum(this.#sent.map(({ inFlight }) => inFlight));
  }

  /** Counts a request, which the caller sends now. Returns the function to call when it has ended. */
  send(priority: number): () => void {
    const sent = this.#sent[priority] as Sent;
    sent.inFlight += 1;
    this.#bucket = { tokens: this.#tokens() - 1, at: this.#now() };
    this.#sentSinceStart += 1;
    this.#ahead -= 1;
    if (this.#ahead < 0) {
      this.#ahead = Math.ceil(this.#perMinute / SAVES_PER_MINUTE) - 1;
      this.#save?.(this.record(this.#ahead));
    }
    return () => {
      sent.inFlight -= 1;
      sent.ended.push(this.#now());
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
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + Math.min(milliseconds, this.#longestPauseMs));
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
    const minute = this.#counting().flatMap(({ ended }, priority) => ended.map((at) => ({ at: at + shift, priority })));
    const { inFlight } = this;
    const month = this.#perMonth === undefined ? undefined : { tokens: this.#tokens() + inFlight, at: now };
    return { minute, month, pausedUntil: this.pausedUntil, ahead: ahead + inFlight };
  }

  /** Requests of the last minute, and those since the start if the month is limited; what is left of both. */
  snapshot() {
    const used = sum(this.#counting().map(countOf));
    // A reload can lower a limit below what is used.
    const [limit, available] = [this.#perMonth, Math.max(0, Math.floor(this.#tokens()))];
    return {
      minute: { used, available: Math.max(0, this.#perMinute - used) },
      month: limit === undefined ? undefined : { limit, used: this.#sentSinceStart, available },
    };
  }

  // A clock that is set forward would admit a second minute's worth; one that is set back would block the minute.
  #now(): number {
    return this.#clock.elapsed();
  }

  #counting(): readonly Sent[] {
    const from = this.#now() - MINUTE_MS;
    for (const { ended } of this.#sent) {
      const first = ended.findIndex((at) => at > from);
      ended.splice(0, first < 0 ? ended.length : first);
    }
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
