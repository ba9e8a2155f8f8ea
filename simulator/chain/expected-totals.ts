// Totals counted from the canonical blocks, without the indexes that the API responds from. Tests compare a client's
// counters with these.
import type { Place } from "./block.ts";
import type { Chain } from "./chain.ts";

/** All canonical transactions that are kept, oldest first. */
export function* canonicalTransactions({ ledger }: Chain): Generator<Place> {
  for (const block of ledger.blocks) {
    for (const [index, tx] of block.txs.entries()) yield { tx, block, index };
  }
}

/** Number of prints of a contract up to a height. @param to default the tip */
export function countPrints(chain: Chain, contract: string, to = Number.POSITIVE_INFINITY): number {
  let prints = 0;
  for (const { tx, block } of canonicalTransactions(chain)) {
    if (block.height > to) continue;
    for (const event of tx.events) if (event.kind === "print" && event.contract === contract) prints += 1;
  }
  return prints;
}

/** Totals of the direct calls of a contract: by `function status`, failed ones by `function result`; fees in µSTX. */
export function expectedCalls(chain: Chain, contract: string, from: number, to: number) {
  const calls: Record<string, number> = {};
  const errors: Record<string, number> = {};
  let fees = 0n;
  for (const { tx, block } of canonicalTransactions(chain)) {
    const { payload, status, result, fee } = tx;
    const isInRange = block.height >= from && block.height <= to;
    if (!isInRange || payload.type !== "contract_call" || payload.contract !== contract) continue;
    const call = `${payload.method} ${status}`;
    calls[call] = (calls[call] ?? 0) + 1;
    fees += BigInt(fee);
    if (status === "success") continue;
    const error = `${payload.method} ${result.repr}`;
    errors[error] = (errors[error] ?? 0) + 1;
  }
  return { calls, errors, fees };
}
