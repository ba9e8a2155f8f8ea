// Long work in slices, so that polls and scrapes go on meanwhile.
import { setImmediate as nextTurn } from "node:timers/promises";

const SLICE_MS = 10;

/** Cuts work into slices of 10 ms. */
export class TimeSlices {
  #since = performance.now();

  /** Whether the work has had its slice, and `pause` is due. */
  get isOver(): boolean {
    return performance.now() - this.#since >= SLICE_MS;
  }

  /** Resolves when everything else that waits for the event loop has had its turn. */
  async pause(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
