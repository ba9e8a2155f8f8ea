// The expected values of counters, from the simulator's canonical blocks, and a comparison with a page.

import type { Chain } from "../../simulator/chain/chain.ts";
import { canonicalTransactions } from "../../simulator/chain/expected-totals.ts";
import { parseExposition } from "./parser.ts";

/** Totals of one principal; amounts in the units of their asset. */
export interface ExpectedTotals {
  transactions: number;
  /** Transactions by `type status direction`. */
  readonly kinds: Map<string, number>;
  fees: bigint;
  stx: bigint;
  ft: bigint;
  nft: number;
  ftTransfers: number;
  /** MicroSTX that it received. */
  received: bigint;
  /** MicroSTX that it sent, with fees. */
  sent: bigint;
}

/** The totals of a principal in the blocks above `from` and up to `to`. */
export function expectedTotals(chain: Chain, principal: string, to: number, from = -1): ExpectedTotals {
  const totals: ExpectedTotals = {
    transactions: 0,
    kinds: new Map(),
    fees: 0n,
    stx: 0n,
    ft: 0n,
    nft: 0,
    ftTransfers: 0,
    received: 0n,
    sent: 0n,
  };
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
    totals.transactions += 1;
    const direction = tx.sender === principal ? "sent" : tx.sponsor === principal ? "sponsored" : "received";
    const kind = `${tx.type} ${tx.status} ${direction}`;
    totals.kinds.set(kind, (totals.kinds.get(kind) ?? 0) + 1);
    if ((tx.sponsor ?? tx.sender) === principal) {
      totals.fees += BigInt(tx.fee);
      totals.sent += BigInt(tx.fee);
    }
    for (const event of events) {
      if (event.kind === "stx") {
        totals.stx += event.amount;
        if (event.sender === principal) totals.sent += event.amount;
        if (event.recipient === principal) totals.received += event.amount;
      } else if (event.kind === "ft") {
        totals.ftTransfers += 1;
        totals.ft += event.amount;
      } else if (event.kind === "nft") totals.nft += 1;
    }
  }
  return totals;
}

/** Values by series. */
export type Totals = ReadonlyMap<string, number>;

/** The counters of the chain, addresses and contracts on a page. Self-metrics restart at zero and are left out. */
export function totalsOf(page: string): Totals {
  const totals = new Map<string, number>();
  for (const { name, type, samples } of parseExposition(page, "classic")) {
    if (type !== "counter" || !/^stacks_(?:address|contract|chain)_/.test(name)) continue;
    for (const sample of samples) totals.set(`${sample.name}${JSON.stringify([...sample.labels])}`, sample.value);
  }
  return totals;
}

/** The sum of a family over all series that have these label values. */
export function sumOf(totals: Totals, name: string, ...values: readonly string[]): number {
  let sum = 0;
  for (const [series, total] of totals)
    if (series.startsWith(`${name}[`) && values.every((value) => series.includes(`"${value}"`))) sum += total;
  return sum;
}

/** Differences from the expected totals of the blocks above `from` and up to `to`. */
export function differences(
  totals: Totals,
  chain: Chain,
  principals: readonly string[],
  to: number,
  from = -1,
): string[] {
  return principals.flatMap((principal) => {
    const own = expectedTotals(chain, principal, to, from);
    const expected = {
      stacks_address_transactions_total: own.transactions,
      stacks_address_fees_paid_microstx_total: Number(own.fees),
      stacks_address_stx_transfer_microstx_total: Number(own.stx),
      stacks_address_received_microstx_total: Number(own.received),
      stacks_address_sent_microstx_total: Number(own.sent),
      stacks_address_ft_transfers_total: own.ftTransfers,
      stacks_address_nft_transfers_total: own.nft,
      stacks_address_ft_transfer_units_total: Number(own.ft),
      stacks_address_reverted_transactions_total: 0,
      stacks_address_gap_transactions_total: 0,
    };
    const byKind = [...own.kinds].map(([kind, count]) => [`stacks_address_transactions_total ${kind}`, count] as const);
    return [...Object.entries(expected), ...byKind].flatMap(([series, value]) => {
      const [name = "", ...labels] = series.split(" ");
      const found = sumOf(totals, name, principal, ...labels);
      return found === value ? [] : [`${series} of ${principal} is ${found}, expected ${value}`];
    });
  });
}
