// What counters should be, straight from the simulator's canonical blocks, and whether they are.

import type { Chain } from "../../simulator/chain/chain.ts";
import { canonicalTransactions } from "../../simulator/chain/expected-totals.ts";
import { parseExposition } from "./parser.ts";

/** Sums of one principal; amounts in the units of their asset. */
export interface ExpectedTotals {
  transactions: number;
  fees: bigint;
  stx: bigint;
  ft: bigint;
  nft: number;
  /** MicroSTX that reached it. */
  reached: bigint;
}

/** The books of a principal, of blocks above `from` and up to `to`. */
export function expectedTotals(chain: Chain, principal: string, to: number, from = -1): ExpectedTotals {
  const book = { transactions: 0, fees: 0n, stx: 0n, ft: 0n, nft: 0, reached: 0n };
  for (const { tx, block } of canonicalTransactions(chain)) {
    if (block.height > to || block.height <= from) continue;
    const events = tx.events.filter(
      (event) => event.kind !== "print" && (event.sender === principal || event.recipient === principal),
    );
    const isRecipient = tx.payload.type === "token_transfer" && tx.payload.recipient === principal;
    const isCalled = tx.payload.type === "contract_call" && tx.payload.contract === principal;
    const isDeployed = tx.payload.type === "smart_contract" && tx.payload.contract === principal;
    const isParty = [tx.sender, tx.sponsor].includes(principal) || isRecipient || isCalled || isDeployed;
    if (!isParty && events.length === 0) continue;
    book.transactions += 1;
    if ((tx.sponsor ?? tx.sender) === principal) book.fees += BigInt(tx.fee);
    for (const event of events) {
      if (event.kind === "stx") {
        book.stx += event.amount;
        if (event.recipient === principal) book.reached += event.amount;
      } else if (event.kind === "ft") book.ft += event.amount;
      else if (event.kind === "nft") book.nft += 1;
    }
  }
  return book;
}

/** Values by series. */
export type Totals = ReadonlyMap<string, number>;

/** Every counter of the chain, of addresses and of contracts on a page; the exporter's own begin anew at each start. */
export function totalsOf(page: string): Totals {
  const totals = new Map<string, number>();
  for (const { name, type, samples } of parseExposition(page, "classic")) {
    if (type !== "counter" || !/^stacks_(?:address|contract|chain)_/.test(name)) continue;
    for (const sample of samples) totals.set(`${sample.name}${JSON.stringify([...sample.labels])}`, sample.value);
  }
  return totals;
}

/** The sum of a family over all series with a label value. */
export function sumOf(totals: Totals, name: string, value: string): number {
  let sum = 0;
  for (const [series, total] of totals)
    if (series.startsWith(`${name}[`) && series.includes(`"${value}"`)) sum += total;
  return sum;
}

/** What differs from the books of blocks above `from` and up to `to`; empty when nothing does. */
export function differences(
  totals: Totals,
  chain: Chain,
  principals: readonly string[],
  to: number,
  from = -1,
): string[] {
  return principals.flatMap((principal) => {
    const book = expectedTotals(chain, principal, to, from);
    const wanted = {
      stacks_address_transactions_total: book.transactions,
      stacks_address_fees_paid_microstx_total: Number(book.fees),
      stacks_address_stx_transfer_microstx_total: Number(book.stx),
      stacks_address_received_microstx_total: Number(book.reached),
      stacks_address_nft_transfers_total: book.nft,
      stacks_address_ft_transfer_units_total: Number(book.ft),
      stacks_address_reverted_transactions_total: 0,
      stacks_address_gap_transactions_total: 0,
    };
    return Object.entries(wanted).flatMap(([name, value]) => {
      const found = sumOf(totals, name, principal);
      return found === value ? [] : [`${name} of ${principal} is ${found}, the books say ${value}`];
    });
  });
}
