// How the API spells times, costs and values.
import type { ClarityValue } from "../chain/clarity.ts";
import type { Cost } from "../chain/cost.ts";

/** Unix seconds as ISO 8601 with milliseconds and Z. */
export function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** The five cost fields of blocks and transactions. */
export function costJson(cost: Cost): Readonly<Record<`execution_cost_${string}`, number>> {
  return {
    execution_cost_read_count: cost.readCount,
    execution_cost_read_length: cost.readLength,
    execution_cost_runtime: cost.runtime,
    execution_cost_write_count: cost.writeCount,
    execution_cost_write_length: cost.writeLength,
  };
}

/** A Clarity value as `{hex, repr}`. */
export function valueJson({ hex, repr }: ClarityValue): { readonly hex: string; readonly repr: string } {
  return { hex, repr };
}
