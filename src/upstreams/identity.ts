// The chain that a network's counters belong to: the hash of its block 1, kept with the state.
import { z } from "zod";
import { StoreError } from "../storage/store-error.ts";

/** The part of the state file that keeps facts of a network. */
export interface NetworkFacts {
  readonly path: string;
  loadNetwork(network: string): unknown;
  saveNetwork(network: string, body: unknown, now: number): void;
}

const saved = z.object({ firstBlock: z.string() });

/** The identity of a network's chain. Unknown until the first answer, which is then taken for right. */
export class Identity {
  readonly #network: string;
  readonly #store: NetworkFacts | undefined;
  #firstBlock: string | undefined;

  /** @throws StoreError when what is saved cannot be read. */
  constructor(network: string, store: NetworkFacts | undefined) {
    this.#network = network;
    this.#store = store;
    const body = store?.loadNetwork(network);
    if (store === undefined || body === undefined) return;
    const parsed = saved.safeParse(body);
    if (!parsed.success) throw new StoreError(store.path, `the saved chain of ${network} cannot be read`, parsed.error);
    this.#firstBlock = parsed.data.firstBlock;
  }

  /** Hash of block 1; undefined until it is known. */
  get firstBlock(): string | undefined {
    return this.#firstBlock;
  }

  /** Takes a chain for the right one from now on. @throws StoreError when it cannot be saved; then nothing changes. */
  accept(firstBlock: string, now: number): void {
    this.#store?.saveNetwork(this.#network, { firstBlock }, now);
    this.#firstBlock = firstBlock;
  }
}
