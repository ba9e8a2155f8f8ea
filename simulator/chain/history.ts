// Recent changes of the chain, so that a replica can show an earlier state, including replaced forks.
import type { Block } from "./block.ts";

/** A change of the chain: a new block, or a reorganisation. */
export interface Step {
  /** Virtual Unix seconds. */
  readonly time: number;
  /** Height of the tip afterwards. */
  readonly height: number;
  /** Number of blocks removed from the top. */
  readonly removed: number;
  /** Blocks added to the top, oldest first. */
  readonly added: readonly Block[];
}

/** The newest steps of a chain, limited to `keepBlocks` added blocks. A moment is the number of steps before it. */
export class History {
  readonly #keep: number;
  // Blocks before the first kept step that the ledger still holds.
  #base: Block[] = [];
  #steps: Step[] = [];
  #dropped = 0;
  #added = 0;

  constructor(keepBlocks: number) {
    this.#keep = keepBlocks;
  }

  /** The first moment that is kept. */
  get start(): number {
    return this.#dropped;
  }

  /** Blocks at the first moment that is kept, oldest first. */
  get base(): readonly Block[] {
    return this.#base;
  }

  /** Steps between two moments, oldest first. */
  between(from: number, to: number): readonly Step[] {
    return this.#steps.slice(Math.max(0, from - this.#dropped), Math.max(0, to - this.#dropped));
  }

  /** The moment after the newest step that matches. Without a match: the oldest known state. */
  last(matches: (step: Step) => boolean): number {
    const first = this.#dropped > 0 ? 1 : 0;
    return this.#dropped + Math.max(first, this.#steps.findLastIndex(matches) + 1);
  }

  /** Adds a step. `oldest` is the lowest height in the ledger. */
  record(step: Step, oldest: number): void {
    this.#steps.push(step);
    this.#added += step.added.length;
    while (this.#added > this.#keep) this.#dropStep();
    const first = this.#base.findIndex(({ height }) => height >= oldest);
    if (first !== 0) this.#base = first < 0 ? [] : this.#base.slice(first);
  }

  #dropStep(): void {
    const step = this.#steps.shift();
    if (step === undefined) return;
    this.#base.splice(this.#base.length - step.removed, step.removed, ...step.added);
    this.#added -= step.added.length;
    this.#dropped += 1;
  }
}
