// The identity of a chain: the hash of its block 1. It is kept with the state that the counters belong to.
import { z } from "zod";
import { operation, type StacksApi } from "../api/operation.ts";
import { isNotOffered, orReplacement } from "../api/replacement.ts";
import { blockByHeight, status } from "../collectors/chain/block-source.ts";
import { StoreError } from "../storage/store-error.ts";

const body = z.object({ height: z.int(), hash: z.string().regex(/^0x[0-9a-f]{64}$/) });

/** A canonical block by its height. */
export const blockAt = operation({ name: "block", path: "/extended/v2/blocks/{id}", body });

const oldBlockAt = operation({
  name: blockByHeight.name,
  path: "/extended/v1/block/by_height/{id}",
  body,
  replacement: blockByHeight.replacement,
});

/** Every operation that upstreams request in addition to the collectors. */
export const upstreamOperations = [blockAt, oldBlockAt, status];

/** Which chain a server follows; `unknown` when it has blocks but does not serve block 1. */
export type ServerChain =
  | { readonly kind: "known"; readonly firstBlock: string }
  | { readonly kind: "empty" }
  | { readonly kind: "unknown" };

/**
 * Reads which chain a server follows: one request, unless the server does not have block 1.
 * @throws ApiError when there is no valid response.
 */
export async function readChain(api: StacksApi): Promise<ServerChain> {
  const path = { id: 1 };
  try {
    const first = await orReplacement(
      api,
      blockAt,
      () => api.find(blockAt, { path }),
      () => api.find(oldBlockAt, { path }),
    );
    if (first !== undefined) return { kind: "known", firstBlock: first.body.hash };
  } catch (error) {
    if (isNotOffered(error, oldBlockAt)) return { kind: "unknown" };
    throw error;
  }
  const { chain_tip } = (await api.get(status, { path: {} })).body;
  return { kind: chain_tip === undefined ? "empty" : "unknown" };
}

/** The part of the state file that keeps the identity of a network's chain. */
export interface NetworkStore {
  readonly path: string;
  loadNetwork(network: string): unknown;
  saveNetwork(network: string, body: unknown, now: number): void;
}

const saved = z.object({ firstBlock: z.string() });

/** The identity of the chain that a network's counters belong to. The first chain that is found is accepted. */
export class Identity {
  readonly #network: string;
  readonly #store: NetworkStore | undefined;
  #firstBlock: string | undefined;

  /** @throws StoreError when the saved identity cannot be read. */
  constructor(network: string, store: NetworkStore | undefined) {
    this.#network = network;
    this.#store = store;
    const loaded = store?.loadNetwork(network);
    if (store === undefined || loaded === undefined) return;
    const parsed = saved.safeParse(loaded);
    if (!parsed.success) throw new StoreError(store.path, `the saved chain of ${network} cannot be read`, parsed.error);
    this.#firstBlock = parsed.data.firstBlock;
  }

  /** Hash of block 1; undefined until it is known. */
  get firstBlock(): string | undefined {
    return this.#firstBlock;
  }

  /** Accepts a chain from now on. @throws StoreError when it cannot be saved; then nothing changes. */
  accept(firstBlock: string, now: number): void {
    this.#store?.saveNetwork(this.#network, { firstBlock }, now);
    this.#firstBlock = firstBlock;
  }
}
