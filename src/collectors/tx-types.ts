// Transaction types as a label: the known ones, and a bound for those that a later version of the chain may bring.
import type { Operation, StacksApi } from "../api/operation.ts";

/** Types that can wait in the mempool (API document 2.3). */
export const MEMPOOL_TX_TYPES = ["token_transfer", "smart_contract", "contract_call", "poison_microblock"] as const;

// More new types than this at once are not a protocol upgrade but a broken answer.
const MOST_UNKNOWN = 8;

/**
 * The keys of an answer that become label values: the known ones, and a bounded number of unknown ones as they are.
 * Every unknown one is counted as drift of the enum, so that somebody notices.
 */
export function labelledTypes(
  keys: readonly string[],
  known: readonly string[],
  api: StacksApi,
  operation: Operation,
  field: string,
): string[] {
  const unknown = keys.filter((key) => !known.includes(key)).sort();
  for (const _ of unknown) api.noteDrift(operation, field, "enum");
  const usable = unknown.filter((key) => /^[a-z][a-z0-9_]{0,63}$/.test(key)).slice(0, MOST_UNKNOWN);
  return [...keys.filter((key) => known.includes(key)), ...usable];
}
