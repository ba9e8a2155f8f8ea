// How many requests may leave in any 60 seconds, and who has to leave room for whom. Knows no queue and no clock.

const MINUTE_MS = 60_000;

/** A request that left. */
export interface Departure {
  /** Milliseconds, in the time of `now`. */
  readonly at: number;
  readonly priority: number;
}

/**
 * A sliding window: in any 60 seconds at most `perMinute` requests leave.
 *
 * Room for the more important is kept as follows. `planned[q]` requests a minute are expected of priority q. A request of
 * priority p leaves only if afterwards the part of the plan of all q < p that is not yet spent within the window is still
 * free. The reserve is at most `perMinute - 1`, so that an empty window admits anybody: a plan that is too large delays the
 * less important, but cannot lock them out while the others are silent.
 *
 * Two facts that the queue builds on: another departure never makes an admission possible earlier, and waiting never makes
 * it impossible again. So `earliest` is exact for an undisturbed window, and a lower bound for any other.
 */
export class MinuteWindow {
  readonly perMinute: number;
  #planned: readonly number[];
  #departures: Departure[] = [];

  constructor(perMinute: number, planned: readonly number[] = []) {
    this.perMinute = Math.max(1, Math.floor(perMinute));
    this.#planned = planned;
  }

  /** Another plan. */
  expect(planned: readonly number[]): void {
    this.#planned = planned;
  }

  /** The departures of the last 60 seconds, the oldest first. */
  record(now: number): readonly Departure[] {
    this.#expire(now);
    return [...this.#departures];
  }

  /** Records a departure. `now` must never go back. */
  add(now: number, priority: number): Departure {
    this.#expire(now);
    const departure = { at: now, priority };
    this.#departures.push(departure);
    return departure;
  }

  /** Removes a departure of which nothing was sent. */
  remove(departure: Departure): void {
    this.#departures = this.#departures.filter((one) => one !== departure);
  }

  /** Departures of the last 60 seconds. */
  used(now: number): number {
    this.#expire(now);
    return this.#departures.length;
  }

  /** Requests of this priority that may leave now. */
  room(now: number, priority: number): number {
    this.#expire(now);
    return this.perMinute - this.#departures.length - this.#reserve(priority, this.#spent());
  }

  /** When a request of this priority may leave if none leaves before it: `now`, or the time at which enough have expired. */
  earliest(now: number, priority: number): number {
    this.#expire(now);
    const spent = this.#spent();
    let used = this.#departures.length;
    let earliest = now;
    for (const departure of this.#departures) {
      if (used + this.#reserve(priority, spent) + 1 <= this.perMinute) break;
      used -= 1;
      spent[departure.priority] = (spent[departure.priority] ?? 0) - 1;
      earliest = departure.at + MINUTE_MS;
    }
    return earliest;
  }

  #spent(): number[] {
    const spent: number[] = [];
    for (const { priority } of this.#departures) spent[priority] = (spent[priority] ?? 0) + 1;
    return spent;
  }

  #reserve(priority: number, spent: readonly number[]): number {
    let reserve = 0;
    for (let higher = 0; higher < priority && higher < this.#planned.length; higher += 1) {
      reserve += Math.max(0, (this.#planned[higher] ?? 0) - (spent[higher] ?? 0));
    }
    return Math.min(this.perMinute - 1, reserve);
  }

  #expire(now: number): void {
    const firstAlive = this.#departures.findIndex(({ at }) => at + MINUTE_MS > now);
    if (firstAlive > 0) this.#departures.splice(0, firstAlive);
    if (firstAlive === -1) this.#departures = [];
  }
}
