// The simulator's own accounts: totals counted straight from the canonical blocks, without the indexes that the
// API answers from. Tests compare a client's counters with these.
import type { Place } from "./block.ts";
import type { Chain } from "./chain.ts";
import type { AssetEvent, Movement, TxStatus, TxType } from "./transaction.ts";

/** All canonical transactions that are remembered, oldest first. */
export function* canonicalTransactions({ ledger }: Chain): Generator<Place> {
  for (const block of ledger.blocks) {
    for (const [index, tx] of block.txs.entries()) yield { tx, block, index };
  }
}

/** Totals of one principal. Amounts and fees in µSTX; counts of events in which it takes part. */
export interface PrincipalBook {
  /** Transactions it sent, by type and status, such as `{"contract_call success": 3}`. */
  readonly sent: Readonly<Record<string, number>>;
  /** Fees it paid itself: as sponsor, or as sender without one. */
  readonly fees: bigint;
  readonly stxSent: bigint;
  readonly stxReceived: bigint;
  /** Events by asset and movement, such as `{"ft mint": 2}`; a transfer to oneself counts once. */
  readonly events: Readonly<Record<string, number>>;
}

const increase = (counts: Record<string, number>, key: string) => {
  counts[key] = (counts[key] ?? 0) + 1;
};

type SentKey = `${TxType} ${TxStatus}`;
type EventKey = `${AssetEvent["kind"]} ${Movement}`;

/** Counts everything that concerns a principal. */
export function bookOf(chain: Chain, principal: string): PrincipalBook {
  const sent: Record<string, number> = {};
  const events: Record<string, number> = {};
  let fees = 0n;
  let stxSent = 0n;
  let stxReceived = 0n;
  for (const { tx } of canonicalTransactions(chain)) {
    if (tx.sender === principal) increase(sent, `${tx.type} ${tx.status}` satisfies SentKey);
    if ((tx.sponsor ?? tx.sender) === principal) fees += BigInt(tx.fee);
    for (const event of tx.events) {
      if (event.kind === "print" || (event.sender !== principal && event.recipient !== principal)) continue;
      increase(events, `${event.kind} ${event.movement}` satisfies EventKey);
      if (event.kind !== "stx") continue;
      if (event.sender === principal) stxSent += event.amount;
      if (event.recipient === principal) stxReceived += event.amount;
    }
  }
  return { sent, fees, stxSent, stxReceived, events };
}

/** Totals of one contract. */
export interface ContractTotals {
  /** Calls by function and status, such as `{"mint success": 4}`. */
  readonly calls: Readonly<Record<string, number>>;
  /** Number of prints. */
  readonly prints: number;
  /** Prints that are a tuple with an `event` field, by its value; the rest under `other`. */
  readonly events: Readonly<Record<string, number>>;
}

/** Counts everything that happens in a contract. */
export function contractTotals(chain: Chain, contract: string): ContractTotals {
  const calls: Record<string, number> = {};
  const events: Record<string, number> = {};
  let prints = 0;
  for (const { tx } of canonicalTransactions(chain)) {
    const { payload } = tx;
    if (payload.type === "contract_call" && payload.contract === contract) {
      increase(calls, `${payload.method} ${tx.status}`);
    }
    for (const event of tx.events) {
      if (event.kind !== "print" || event.contract !== contract) continue;
      prints += 1;
      increase(events, /\(event "(\w+)"\)/.exec(event.value.repr)?.[1] ?? "other");
    }
  }
  return { calls, prints, events };
}
