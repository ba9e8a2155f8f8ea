// Assigns principals to one of several exporters, which polls them and keeps their state.
import { hash } from "node:crypto";

/** One exporter of several that share a configuration. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/**
 * The index of the shard that polls a principal. Each shard has a random weight for each principal, and the heaviest
 * one polls it (rendezvous hashing): with another count, only those principals move that have to.
 */
export function shardOf(principal: string, count: number): number {
  const weights = Array.from({ length: count }, (_, index) => hash("sha1", `${index} ${principal}`));
  return weights.indexOf(weights.toSorted().at(-1) ?? "");
}
