// The effects of a transaction on one principal: transfers, counts of events, or balance changes.
import type { Place } from "../chain/block.ts";
import type { AssetEvent, Movement, Tx } from "../chain/transaction.ts";
import { concerns, transferJson } from "./event.ts";
import { transactionJson } from "./transaction.ts";
import { summaryJson } from "./transaction-v3.ts";
import type { Json } from "./values.ts";

type Kind = AssetEvent["kind"];

const eventsOf = (tx: Tx, principal: string, kind: Kind) =>
  tx.events.filter((event): event is AssetEvent => event.kind === kind && concerns(event, principal));

// µSTX that the principal sent and received in events; a transfer to itself is both.
function stxMoved(tx: Tx, principal: string): { readonly sent: bigint; readonly received: bigint } {
  let sent = 0n;
  let received = 0n;
  for (const event of tx.events) {
    if (event.kind !== "stx") continue;
    if (event.sender === principal) sent += event.amount;
    if (event.recipient === principal) received += event.amount;
  }
  return { sent, received };
}

// µSTX of fees that the principal paid; a sponsor pays instead of the sender.
function feePaid(tx: Tx, principal: string): bigint {
  return (tx.sponsor ?? tx.sender) === principal ? BigInt(tx.fee) : 0n;
}

/** A transaction with transfers. The fee counts as sent for the sender even when a sponsor paid it. */
export function withTransfersJson(place: Place, principal: string): Json {
  const { tx } = place;
  const { sent, received } = stxMoved(tx, principal);
  const fee = tx.sender === principal ? BigInt(tx.fee) : 0n;
  const transfers = (kind: Kind) => eventsOf(tx, principal, kind).reverse().map(transferJson);
  return {
    tx: transactionJson(place, { interface: true, functionArgs: true }),
    stx_sent: String(sent + fee),
    stx_received: String(received),
    stx_transfers: transfers("stx"),
    ft_transfers: transfers("ft"),
    nft_transfers: transfers("nft"),
  };
}

/** A transaction with counts of events. A transfer to itself counts twice. */
export function withCountsJson(place: Place, principal: string, functionArgs: boolean): Json {
  const { tx } = place;
  const { sent, received } = stxMoved(tx, principal);
  const counts = (kind: Kind) => {
    const count = (movement: Movement) =>
      eventsOf(tx, principal, kind)
        .filter((event) => event.movement === movement)
        .reduce((sum, event) => sum + (event.sender === event.recipient ? 2 : 1), 0);
    return { transfer: count("transfer"), mint: count("mint"), burn: count("burn") };
  };
  return {
    tx: transactionJson(place, { interface: false, functionArgs }),
    stx_sent: String(sent + feePaid(tx, principal)),
    stx_received: String(received),
    events: { stx: counts("stx"), ft: counts("ft"), nft: counts("nft") },
  };
}

/** A transaction of the v3 API, with balance changes. */
export function involvementJson(place: Place, principal: string): Json {
  const { tx } = place;
  const moved = stxMoved(tx, principal);
  const sent = moved.sent + feePaid(tx, principal);
  const affects = (kind: Kind) => eventsOf(tx, principal, kind).length > 0;
  return {
    transaction: summaryJson(place),
    involvement: tx.sender === principal ? "sender" : tx.sponsor === principal ? "sponsor" : "affected",
    balance_changes: {
      stx: { sent: String(sent), received: String(moved.received), net: String(moved.received - sent) },
    },
    affected_balances: { stx: sent > 0n || affects("stx"), ft: affects("ft"), nft: affects("nft") },
  };
}
