// The replicas behind one address. One of them responds to a request.
import type { Chain } from "../chain/chain.ts";
import { cachedStatistics, type MempoolStatistics } from "../chain/mempool-statistics.ts";
import { Random } from "../chain/random.ts";
import type { View } from "../chain/records.ts";
import { pastOf, resyncOf } from "./lagging.ts";

/** A replica, as data. All its responses are from the same view of the chain. */
export type ReplicaSpec =
  /** Up to date. */
  | { readonly kind: "newest" }
  /**
   * Behind by `blocks`, or by `seconds` of virtual time. It shows the chain as it was, including blocks that a
   * reorganisation has replaced since. Empty if the distance exceeds the length of the chain.
   */
  | { readonly kind: "lag"; readonly blocks: number }
  | { readonly kind: "lag"; readonly seconds: number }
  /**
   * Syncing from the oldest block that is kept: one more for each request that it serves. Until then its balances and
   * nonces are old ones.
   */
  | { readonly kind: "resync" };

/** The replica that responds to a request. */
export interface Replica {
  readonly chain: View;
  readonly statistics: () => MempoolStatistics;
}

// Returns the view for the next request.
function viewer(spec: ReplicaSpec, chain: Chain): () => View {
  if (spec.kind === "newest") return () => chain;
  if (spec.kind === "resync") {
    const upTo = resyncOf(chain);
    let height = chain.ledger.blocks[0]?.height ?? 0;
    return () => upTo(height++);
  }
  const { history } = chain;
  const at = pastOf(chain);
  if ("seconds" in spec) return () => at(history.last(({ time }) => time <= chain.now - spec.seconds));
  return () => at(history.last(({ height }) => height <= chain.height - spec.blocks));
}

/** Creates a replica. Call the result once per request that the replica serves. */
function openReplica(spec: ReplicaSpec, chain: Chain): () => Replica {
  const next = viewer(spec, chain);
  let replica: Replica | undefined;
  return () => {
    const view = next();
    if (replica?.chain !== view) replica = { chain: view, statistics: cachedStatistics(view) };
    return replica;
  };
}

/**
 * The replicas behind one address. Tests change them while the simulator runs; by default only the newest serves.
 *
 * ```ts
 * simulator.replicas.use([{ kind: "lag", blocks: 34 }]);                        // a replica behind
 * simulator.replicas.use([{ kind: "newest" }, { kind: "lag", blocks: 3 }], 75); // for 75 virtual seconds
 * simulator.replicas.clear();
 * ```
 */
export class Replicas {
  readonly #chain: Chain;
  readonly #newest: () => Replica;
  #replicas: readonly (() => Replica)[] = [];
  #random = new Random("");
  #until = 0;

  constructor(chain: Chain) {
    this.#chain = chain;
    this.#newest = openReplica({ kind: "newest" }, chain);
  }

  /** Replaces the replicas, of which one at random serves a request. After `seconds` only the newest serves. */
  use(specs: readonly ReplicaSpec[], seconds = Number.POSITIVE_INFINITY): void {
    this.#replicas = specs.map((spec) => openReplica(spec, this.#chain));
    this.#random = new Random(`${this.#chain.options.seed}:replicas`);
    this.#until = this.#chain.now + seconds;
  }

  /** Removes all replicas but the newest. */
  clear(): void {
    this.#until = 0;
  }

  /** Selects the replica for a request. */
  take(): Replica {
    if (this.#chain.now >= this.#until) return this.#newest();
    return this.#random.pick(this.#replicas)();
  }
}
