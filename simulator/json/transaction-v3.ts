// Transactions of the v3 API. A mined transaction has a block, a waiting one has none.
import type { Place } from "../chain/block.ts";
import type { Payload, Tx } from "../chain/transaction.ts";
import { memoJson } from "./event.ts";
import { costJson, type Json, tenureChangeJson } from "./values.ts";

function payloadJson(payload: Payload): Json {
  switch (payload.type) {
    case "token_transfer": {
      const { recipient, amount, memo } = payload;
      return { token_transfer: { recipient, amount: String(amount), memo: memoJson(memo) } };
    }
    case "contract_call":
      return { contract_call: { contract_id: payload.contract, function_name: payload.method } };
    case "smart_contract":
      return { smart_contract: { contract_id: payload.contract, clarity_version: payload.version } };
    case "poison_microblock":
      return {};
    case "coinbase":
      return { coinbase: { alt_recipient: null } };
    case "tenure_change":
      return { tenure_change: { cause: payload.cause } };
  }
}

// Lists omit the details of coinbase and tenure_change.
function detailJson(payload: Payload): Json {
  switch (payload.type) {
    case "coinbase":
      return { coinbase: { alt_recipient: null, payload: payload.data, vrf_proof: payload.vrfProof } };
    case "tenure_change": {
      const { cause, pubkeyHash } = payload;
      return { tenure_change: { cause, ...tenureChangeJson(payload), pubkey_hash: pubkeyHash } };
    }
    default:
      return payloadJson(payload);
  }
}

const headJson = (tx: Tx): Json => ({
  tx_id: tx.id,
  sender: { address: tx.sender, nonce: tx.nonce },
  sponsor: tx.sponsor === null ? null : { address: tx.sponsor, nonce: tx.sponsorNonce },
  fee_rate: String(tx.fee),
});

const minedJson = ({ tx, block, index }: Place): Json => ({
  ...headJson(tx),
  block: { height: block.height, hash: block.hash, index_hash: block.indexHash, time: block.time, tx_index: index },
  bitcoin_block: { height: block.burn.height, time: block.burn.time },
  status: tx.status,
});

/** A mined transaction in a list. */
export function summaryJson(place: Place): Json {
  return { ...minedJson(place), type: place.tx.type, ...payloadJson(place.tx.payload) };
}

/** One mined transaction. */
export function minedTransactionJson(place: Place): Json {
  const { tx, block } = place;
  return {
    ...minedJson(place),
    parent_block: { hash: block.parentHash, index_hash: block.parentIndexHash },
    event_count: tx.events.length,
    execution_cost: costJson(tx.cost),
    vm_error: tx.vmError,
    type: tx.type,
    ...detailJson(tx.payload),
  };
}

/** A waiting transaction in a list. */
export function waitingSummaryJson(tx: Tx): Json {
  return {
    ...headJson(tx),
    receipt_time: tx.receivedAt,
    receipt_block_height: tx.receivedHeight,
    status: "pending",
    type: tx.type,
    ...payloadJson(tx.payload),
  };
}

/** One waiting transaction. */
export function waitingTransactionJson(tx: Tx): Json {
  return { ...waitingSummaryJson(tx), replaced_by_tx_id: null };
}
