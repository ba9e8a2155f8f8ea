// Selects the replica that responds to a request.
import type { Chain } from "../chain/chain.ts";
import { Random } from "../chain/random.ts";
import { pathPattern } from "../http/operation.ts";
import { createOtherChains, type OtherChains, openReplica, type Replica } from "./open-replica.ts";
import type { ReplicaSpec, Sharing } from "./replica.ts";

interface Group {
  readonly specs: readonly ReplicaSpec[];
  readonly sharing: Sharing;
  readonly pattern: RegExp;
  readonly replicas: readonly (() => Replica)[];
  readonly random: Random;
  readonly since: number;
  served: number;
  /** Index of the replica that serves now. */
  selected: number;
}

/** The replicas in use. */
export interface ReplicaState {
  readonly replicas: readonly ReplicaSpec[];
  readonly sharing: Sharing;
  /** Number of requests that they have served. */
  readonly served: number;
}

/**
 * The replicas behind one address. Tests change them while the simulator runs; by default only the newest serves.
 *
 * ```ts
 * simulator.replicas.use({ kind: "lag", blocks: 34 });                          // a replica behind
 * simulator.replicas.use([{ kind: "newest" }, { kind: "lag", blocks: 3 }]);     // alternating
 * simulator.replicas.use([{ kind: "newest" }, { kind: "stuck" }], { order: "random", every: 4 });
 * simulator.replicas.use({ kind: "lag", blocks: 2 }, { seconds: 75 });          // for 75 virtual seconds
 * simulator.replicas.use({ kind: "ahead", blocks: 1000, claims: "height" }, { path: "/extended" });
 * simulator.replicas.clear();
 * ```
 */
export class Replicas {
  readonly #chain: Chain;
  readonly #others: OtherChains;
  readonly #newest: () => Replica;
  #group: Group | undefined;

  constructor(chain: Chain) {
    this.#chain = chain;
    this.#others = createOtherChains(chain);
    this.#newest = openReplica({ kind: "newest" }, chain, this.#others);
  }

  /** Replaces the replicas. An empty list is the same as `clear`. */
  use(specs: ReplicaSpec | readonly ReplicaSpec[], sharing: Sharing = {}): void {
    const list = "kind" in specs ? [specs] : specs;
    this.#group = {
      specs: list,
      sharing,
      pattern: pathPattern(sharing.path ?? "*"),
      replicas: list.map((spec) => openReplica(spec, this.#chain, this.#others)),
      random: new Random(`${this.#chain.options.seed}:replicas`),
      since: this.#chain.now,
      served: 0,
      selected: 0,
    };
  }

  /** Removes all replicas but the newest. */
  clear(): void {
    this.#group = undefined;
  }

  /** The replicas in use; undefined while only the newest serves. */
  get state(): ReplicaState | undefined {
    const group = this.#current();
    return group && { replicas: group.specs, sharing: group.sharing, served: group.served };
  }

  /** Selects the replica for a request of this path (without query) and counts the request. */
  take(pathname: string): Replica {
    const group = this.#current();
    if (group === undefined || !group.pattern.test(pathname)) return this.#newest();
    const { replicas, random, sharing } = group;
    const { order = "turns", every = 1 } = sharing;
    if (group.served % every === 0) {
      const next = Math.floor(group.served / every) % replicas.length;
      group.selected = order === "random" ? random.int(0, replicas.length - 1) : next;
    }
    group.served += 1;
    return (replicas[group.selected] ?? this.#newest)();
  }

  #current(): Group | undefined {
    const group = this.#group;
    if (group === undefined || group.replicas.length === 0) return undefined;
    const { requests = Infinity, seconds = Infinity } = group.sharing;
    return group.served < requests && this.#chain.now < group.since + seconds ? group : undefined;
  }
}
