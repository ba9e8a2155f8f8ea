// Values that several responses contain.
import type { ClarityValue } from "../chain/clarity.ts";
import type { Cost } from "../chain/cost.ts";
import type { Payload } from "../chain/transaction.ts";

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Unix seconds as ISO 8601 with milliseconds and Z. */
export function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** The five fields of an execution cost, each with the prefix. */
export function costJson(cost: Cost, prefix = ""): Json {
  return {
    [`${prefix}read_count`]: cost.readCount,
    [`${prefix}read_length`]: cost.readLength,
    [`${prefix}runtime`]: cost.runtime,
    [`${prefix}write_count`]: cost.writeCount,
    [`${prefix}write_length`]: cost.writeLength,
  };
}

/** A Clarity value as `{hex, repr}`. */
export function valueJson({ hex, repr }: ClarityValue): Json {
  return { hex, repr };
}

/** The fields of a tenure change, without its cause. */
export function tenureChangeJson(change: Extract<Payload, { type: "tenure_change" }>) {
  return {
    tenure_consensus_hash: change.consensus,
    prev_tenure_consensus_hash: change.previousConsensus,
    burn_view_consensus_hash: change.consensus,
    previous_tenure_end: change.previousEnd,
    previous_tenure_blocks: change.previousBlocks,
  };
}
