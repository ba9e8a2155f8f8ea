import type { Clock } from "../../src/api/clock.ts";

/** A clock that stands still until a test advances it. */
export class FakeClock implements Clock {
  #now: number;
  #set = 0;
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();

  constructor(now = 1_795_219_200_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#set;
  }

  elapsed(): number {
    return this.#now;
  }

  /** Sets the time of day without waking sleepers. */
  set(now: number): void {
    this.#set = now - this.#now;
  }

  /** Number of sleepers. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const sleeper = {
        at: this.#now + Math.max(0, milliseconds),
        wake: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      const onAbort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Advances the time and wakes sleepers in order. Each wake-up settles before the next one. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      await settle();
      const next = [...this.#sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.at);
      this.#sleepers.delete(next);
      next.wake();
    }
    this.#now = end;
    await settle();
  }

  /**
   * Advances to the next sleeper, by at most `atMost` at a time, until the promise settles. Each time, it waits for
   * `quietTurns` turns of the event loop in which `activity` stays the same: work on sockets takes several.
   */
  async until<T>(promise: Promise<T>, atMost = 10_000, quietTurns = 1, activity = () => 0): Promise<T> {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    promise.then(mark, mark);
    while (!settled) {
      for (let turns = 0, seen = activity(); turns < quietTurns && !settled; turns += 1) {
        await turn();
        if (activity() !== seen) [seen, turns] = [activity(), 0];
      }
      const next = [...this.#sleepers].filter(({ at }) => at <= this.#now + atMost).sort((a, b) => a.at - b.at)[0];
      if (!settled && next !== undefined) await this.advance(next.at - this.#now);
    }
    return promise;
  }

  /**
   * Lets schedules run for some seconds.
   * @param activity as of `until`
   * @param step seconds by which the clock advances at a time
   */
  async run(seconds: number, activity: () => number, step = 1): Promise<void> {
    for (let passed = 0; passed < seconds; passed += step)
      await this.until(this.sleep(step * 1000), step * 1000, 20, activity);
  }
}

/** Runs one turn of the event loop, with the callbacks of sockets. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs several turns, so that chains of resolved promises continue. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await turn();
}
