// A clock that jumps to the next timer as soon as nothing else is left to do: a day of polls takes minutes. Requests of
// this process are real; while one of them is running, the time stands still.
import diagnostics from "node:diagnostics_channel";
import type { Clock } from "../../src/api/clock.ts";

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

// The handling of a response, such as decompression, can need several turns of the event loop.
const TURNS = 8;

let requests = 0;
diagnostics.subscribe("undici:request:create", () => {
  requests += 1;
});
for (const end of ["undici:request:trailers", "undici:request:error"]) {
  diagnostics.subscribe(end, () => {
    requests -= 1;
  });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A clock of virtual time. Unix time, milliseconds. */
export class VirtualClock implements Clock {
  #now: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper = {
        at: this.#now + Math.max(0, milliseconds),
        wake: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Lets time pass up to an end; `onStep` is called at every step. */
  async run(end: number, onStep: () => void = () => undefined): Promise<void> {
    for (;;) {
      for (let turns = 0; turns < TURNS || requests > 0; turns += 1) await turn();
      let next: Sleeper | undefined;
      for (const sleeper of this.#sleepers) if (next === undefined || sleeper.at < next.at) next = sleeper;
      if (next === undefined || next.at > end) break;
      this.#now = Math.max(this.#now, next.at);
      this.#sleepers.delete(next);
      onStep();
      next.wake();
    }
    this.#now = end;
  }
}
