// Version 3 of a principal's transactions: net changes instead of sums.
import type { Place } from "../chain/block.ts";
import type { Tx } from "../chain/transaction.ts";
import { feePaid, stxMoved } from "./principal.ts";
import { summaryJson } from "./transaction-v3.ts";

function involvement(tx: Tx, principal: string): string {
  if (tx.sender === principal) return "sender";
  if (tx.sponsor === principal) return "sponsor";
  return "affected";
}

/** One item of `/extended/v3/principals/{principal}/transactions`. */
export function involvementJson(place: Place, principal: string): unknown {
  const { tx } = place;
  const moved = stxMoved(tx, principal);
  const sent = moved.sent + feePaid(tx, principal);
  const touches = (kind: "stx" | "ft" | "nft") =>
    tx.events.some((event) => event.kind === kind && (event.sender === principal || event.recipient === principal));
  return {
    transaction: summaryJson(place),
    involvement: involvement(tx, principal),
    balance_changes: {
      stx: { sent: String(sent), received: String(moved.received), net: String(moved.received - sent) },
    },
    affected_balances: { stx: sent > 0n || touches("stx"), ft: touches("ft"), nft: touches("nft") },
  };
}
