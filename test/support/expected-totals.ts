// The expected values of counters, from the simulator's canonical blocks, and a comparison with a page.

import type { Chain } from "../../simulator/chain/chain.ts";
import { canonicalTransactions } from "../../simulator/chain/expected-totals.ts";
import type { Page } from "./page.ts";

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

/** Differences of a page from the expected totals of the blocks above `from` and up to `to`. */
export function differences(
  page: Page,
  chain: Chain,
  principals: readonly string[],
  to: number,
  from = -1,
): readonly string[] {
  return principals.flatMap((address) => {
    const own = expectedTotals(chain, address, to, from);
    const expected = {
      transactions: own.transactions,
      fees_paid_microstx: own.fees,
      stx_transfer_microstx: own.stx,
      received_microstx: own.received,
      sent_microstx: own.sent,
      ft_transfers: own.ftTransfers,
      nft_transfers: own.nft,
      ft_transfer_units: own.ft,
      reverted_transactions: 0,
      gap_transactions: 0,
    };
    const all = Object.entries(expected).map(([name, value]) => ({ name, labels: {}, value }));
    const byKind = [...own.kinds].map(([kind, value]) => {
      const [tx_type = "", tx_status = "", direction = ""] = kind.split(" ");
      return { name: "transactions", labels: { tx_type, tx_status, direction }, value };
    });
    return [...all, ...byKind].flatMap(({ name, labels, value }) => {
      const found = page.sum(`stacks_address_${name}_total`, { address, ...labels });
      if (found === BigInt(value)) return [];
      return `${name} ${Object.values(labels)} of ${address}: ${found}, expected ${value}`;
    });
  });
}
