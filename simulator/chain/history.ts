// Recent changes of the chain, so that a replica can show an earlier state, including replaced forks.
import type { Block } from "./block.ts";

/** A change of the chain: a new block, or a reorganisation. */
export interface Step {
  /** Virtual Unix seconds. */
  readonly time: number;
  /** Height of the tip afterwards. */
  readonly height: number;
  /** Number of blocks that were taken off the top. */
  readonly removed: number;
  /** The blocks that were put on top, oldest first. */
  readonly added: readonly Block[];
}

/** The newest steps of a chain, limited to `keepBlocks` added blocks. A moment is the number of steps before it. */
export class History {
  readonly #keep: number;
  /** Blocks before the first remembered step that the ledger still holds. */
  #base: Block[] = [];
  #steps: Step[] = [];
  #forgotten = 0;
  #added = 0;

  constructor(keepBlocks: number) {
    this.#keep = keepBlocks;
  }

  /** The first remembered moment. */
  get start(): number {
    return this.#forgotten;
  }

  /** The present moment. */
  get end(): number {
    return this.#forgotten + this.#steps.length;
  }

  /** Blocks at the first remembered moment, oldest first. */
  get base(): readonly Block[] {
    return this.#base;
  }

  /** Steps between two moments, oldest first. */
  between(from: number, to: number): readonly Step[] {
    return this.#steps.slice(Math.max(0, from - this.#forgotten), Math.max(0, to - this.#forgotten));
  }

  /** The moment after the newest step that matches. Without a match: the oldest known state. */
  last(isMeant: (step: Step) => boolean): number {
    const first = this.#forgotten > 0 ? 1 : 0;
    return this.#forgotten + Math.max(first, this.#steps.findLastIndex(isMeant) + 1);
  }

  /** Adds a step. `oldest` is the lowest height that the ledger remembers. */
  record(step: Step, oldest: number): void {
    this.#steps.push(step);
    this.#added += step.added.length;
    while (this.#added > this.#keep) this.#forgetStep();
    const first = this.#base.findIndex(({ height }) => height >= oldest);
    if (first !== 0) this.#base = first < 0 ? [] : this.#base.slice(first);
  }

  #forgetStep(): void {
    const step = this.#steps.shift();
    if (step === undefined) return;
    this.#base.splice(this.#base.length - step.removed, step.removed);
    this.#base.push(...step.added);
    this.#added -= step.added.length;
    this.#forgotten += 1;
  }
}
