// The last counted transactions of an address: which ones an outflow is about. Pure.
import { type CountedRow, STX } from "../collector.ts";
import type { WholeTransaction } from "./transfers.ts";

const MAX_ROWS = 10;

/**
 * The last counted transactions, the oldest first.
 * @param reverted those that are in no block any more
 * @param named the tokens whose amounts are kept
 */
export function lastCounted(
  before: readonly CountedRow[] = [],
  { counted, reverted }: { counted: readonly WholeTransaction[]; reverted: readonly { readonly id: string }[] },
  named: readonly string[] = [],
): readonly CountedRow[] {
  const gone = new Set(reverted.map(({ id }) => id));
  const left = before.filter(({ id }) => !gone.has(id));
  return [...left, ...counted.slice(-MAX_ROWS).map((row) => rowOf(row, named))].slice(-MAX_ROWS);
}

function rowOf({ id, time, sent = 0n, received = 0n, transfers = [] }: WholeTransaction, named: readonly string[]) {
  const amounts: Record<string, bigint> = { [STX]: received - sent };
  for (const { asset, direction, amount = 0n } of transfers) {
    if (!named.includes(asset) || direction === "self") continue;
    const isIn = direction === "in" || direction === "mint";
    amounts[asset] = (amounts[asset] ?? 0n) + (isIn ? amount : -amount);
  }
  return { id, time, amounts };
}
