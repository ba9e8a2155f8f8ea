// Transaction types as a label: the known ones, and a bound for those that a later version of the chain may bring.
import type { Operation, StacksApi } from "../api/operation.ts";

/** Types that can wait in the mempool (API document 2.3). */
export const MEMPOOL_TX_TYPES = ["token_transfer", "smart_contract", "contract_call", "poison_microblock"] as const;

// More new types than this at once are not a protocol upgrade but a broken answer.
const MOST_UNKNOWN = 8;

const USABLE = /^[a-z][a-z0-9_]{0,63}$/;

/** Longest answer with values by type that is read. Real ones have less than 2 kB. Bytes. */
export const LONGEST_BY_TYPE = 2 ** 20;

/**
 * The part of an answer with one member per type that is kept: the known types, and of others only as many as can become
 * label values, and one that cannot, so that it is noticed. Drops the rest, which can be a megabyte of anything.
 */
export function fewTypes<Value>(
  byType: Readonly<Record<string, Value>>,
  known: readonly string[],
): Readonly<Record<string, Value>> {
  const unknown = Object.keys(byType).filter((key) => !known.includes(key));
  const usable = unknown.filter((key) => USABLE.test(key)).sort();
  const unusable = unknown.filter((key) => !USABLE.test(key));
  const kept = new Set([...known, ...usable.slice(0, MOST_UNKNOWN), ...unusable.slice(0, 1)]);
  return Object.fromEntries(Object.entries(byType).filter(([key]) => kept.has(key)));
}

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
  const usable = unknown.filter((key) => USABLE.test(key)).slice(0, MOST_UNKNOWN);
  return [...keys.filter((key) => known.includes(key)), ...usable];
}
