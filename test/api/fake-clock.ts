import type { Clock } from "../../src/api/clock.ts";

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** Lets everything run that is ready, including what sockets have brought. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock that stands until it is told to go on. */
export class FakeClock implements Clock {
  #now: number;
  #set = 0;
  #sleepers: Sleeper[] = [];

  constructor(now = Date.UTC(2026, 10, 21)) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#set;
  }

  elapsed(): number {
    return this.#now;
  }

  /** Sets the clock without waking anybody, as an administrator would. */
  set(now: number): void {
    this.#set = now - this.#now;
  }

  /** Sleeps that have not ended. */
  get sleepers(): number {
    return this.#sleepers.length;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const remove = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
      };
      const onAbort = () => {
        remove();
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        at: this.#now + Math.max(0, milliseconds),
        wake: () => {
          remove();
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#sleepers.push(sleeper);
    });
  }

  /** Goes on, stopping at every sleeper on the way so that what it starts happens at its time. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await turn();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await turn();
    }
    this.#now = end;
    await turn();
  }

  /** Goes on from sleeper to sleeper, none further away than `atMost`, until the promise settles. */
  async until<T>(promise: Promise<T>, atMost = 10_000): Promise<T> {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    promise.then(mark, mark);
    while (!settled) {
      await turn();
      const next = this.#next(this.#now + atMost);
      if (!settled && next !== undefined) await this.advance(next.at - this.#now);
    }
    return promise;
  }

  #next(end: number): Sleeper | undefined {
    return this.#sleepers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
  }
}
