// Delays that never outlive the server.

/** Calls back after a delay in milliseconds; returns how to call it off. */
export type Schedule = (act: () => void, milliseconds: number) => () => void;

/** The real thing. */
export const realSchedule: Schedule = (act, milliseconds) => {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
};

/** The pending delays of one server. */
export class Timers {
  readonly #schedule: Schedule;
  readonly #pending = new Set<() => void>();

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  /** Acts after so many seconds, unless cleared before; returns how to call it off. */
  after(seconds: number, act: () => void): () => void {
    const cancel = () => {
      this.#pending.delete(cancel);
      stop();
    };
    const stop = this.#schedule(() => {
      this.#pending.delete(cancel);
      act();
    }, seconds * 1000);
    this.#pending.add(cancel);
    return cancel;
  }

  /** Calls everything off. */
  clear(): void {
    for (const cancel of [...this.#pending]) cancel();
  }
}
