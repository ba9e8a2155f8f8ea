// Label values from the API: known values of an enumeration, and a limit for unknown ones.
import type { Operation, StacksApi } from "../api/operation.ts";

/** The label value for unknown values beyond the limit. */
export const OTHER = "other";

/** Types of transactions in the mempool (`mempool_stats`, `tx_type_counts`). */
export const MEMPOOL_TX_TYPES = ["token_transfer", "smart_contract", "contract_call", "poison_microblock"] as const;

/** Types of mined transactions. */
export const TX_TYPES = [
  "token_transfer",
  "smart_contract",
  "contract_call",
  "poison_microblock",
  "coinbase",
  "tenure_change",
] as const;
/** Statuses of mined transactions. */
export const TX_STATUSES = ["success", "abort_by_response", "abort_by_post_condition", "problematic_skipped"] as const;
/** Longest response with values by type, which is kept. Real ones have less than 2 kB. Bytes. */
export const LONGEST_BY_TYPE = 2 ** 16;

// A protocol upgrade adds one or two values. More at once are a broken response.
const MAX_UNKNOWN = 8;
const VALUE = /^[a-z][a-z0-9_]{0,63}$/;

/** Whether a text has the form of a value of an enumeration of the API. */
export const isEnumValue = (text: string): boolean => VALUE.test(text);

/** The types of a response that become label values. Counts each unknown type as drift of the enumeration. */
export function labelledTypes(
  types: readonly string[],
  known: readonly string[],
  api: StacksApi,
  operation: Operation,
  field: string,
): string[] {
  const unknown = types.filter((type) => !known.includes(type)).sort();
  for (const _ of unknown) api.noteDrift(operation, field, "enum");
  return [...types.filter((type) => known.includes(type)), ...unknown.filter(isEnumValue).slice(0, MAX_UNKNOWN)];
}
