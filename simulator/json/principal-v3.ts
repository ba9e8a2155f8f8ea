// Version 3 of a principal's transactions: net changes instead of sums.
import type { Place } from "../chain/block.ts";
import type { Payload, Tx } from "../chain/transaction.ts";
import { feePaid, stxMoved } from "./principal.ts";

function payloadJson(payload: Payload): Readonly<Record<string, unknown>> {
  if (payload.type === "token_transfer") {
    const repr = Buffer.from(payload.memo.slice(2), "hex").toString("latin1").replaceAll("\0", "");
    const { recipient, amount, memo } = payload;
    return { token_transfer: { recipient, amount: String(amount), memo: { hex: memo, repr } } };
  }
  if (payload.type === "contract_call") {
    return { contract_call: { contract_id: payload.contract, function_name: payload.method } };
  }
  if (payload.type === "smart_contract") {
    return { smart_contract: { contract_id: payload.contract, clarity_version: payload.version } };
  }
  return {};
}

function involvement(tx: Tx, principal: string): string {
  if (tx.sender === principal) return "sender";
  if (tx.sponsor === principal) return "sponsor";
  if (tx.payload.type === "token_transfer" && tx.payload.recipient === principal) return "recipient";
  return "affected";
}

/** One item of `/extended/v3/principals/{principal}/transactions`. */
export function involvementJson({ tx, block, index }: Place, principal: string): unknown {
  const moved = stxMoved(tx, principal);
  const sent = moved.sent + feePaid(tx, principal);
  const touches = (kind: "stx" | "ft" | "nft") =>
    tx.events.some((event) => event.kind === kind && (event.sender === principal || event.recipient === principal));
  return {
    transaction: {
      tx_id: tx.id,
      sender: { address: tx.sender, nonce: tx.nonce },
      sponsor: tx.sponsor === null ? null : { address: tx.sponsor, nonce: tx.sponsorNonce },
      fee_rate: String(tx.fee),
      block: { height: block.height, hash: block.hash, index_hash: block.indexHash, time: block.time, tx_index: index },
      bitcoin_block: { height: block.burn.height, time: block.burn.time },
      status: tx.status,
      type: tx.type,
      ...payloadJson(tx.payload),
    },
    involvement: involvement(tx, principal),
    balance_changes: {
      stx: { sent: String(sent), received: String(moved.received), net: String(moved.received - sent) },
    },
    affected_balances: { stx: sent > 0n || touches("stx"), ft: touches("ft"), nft: touches("nft") },
  };
}
