// Transactions and events of the v3 API. A mined transaction has a block, a waiting one has none.
import type { Place } from "../chain/block.ts";
import type { AssetEvent, Payload, Tx, TxEvent } from "../chain/transaction.ts";
import { valueJson } from "./spelling.ts";

type Json = Readonly<Record<string, unknown>>;

const memoJson = (memo: string): Json => ({
  hex: memo,
  repr: Buffer.from(memo.slice(2), "hex").toString("latin1").replaceAll("\0", ""),
});

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
    case "tenure_change":
      return {
        tenure_change: {
          cause: payload.cause,
          tenure_consensus_hash: payload.consensus,
          prev_tenure_consensus_hash: payload.previousConsensus,
          burn_view_consensus_hash: payload.consensus,
          previous_tenure_end: payload.previousEnd,
          previous_tenure_blocks: payload.previousBlocks,
          pubkey_hash: payload.pubkeyHash,
        },
      };
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
export function summaryJson(place: Place): unknown {
  return { ...minedJson(place), type: place.tx.type, ...payloadJson(place.tx.payload) };
}

/** One mined transaction. */
export function minedTransactionJson(place: Place): unknown {
  const { tx, block } = place;
  return {
    ...minedJson(place),
    parent_block: { hash: block.parentHash, index_hash: block.parentIndexHash },
    event_count: tx.events.length,
    execution_cost: {
      read_count: tx.cost.readCount,
      read_length: tx.cost.readLength,
      runtime: tx.cost.runtime,
      write_count: tx.cost.writeCount,
      write_length: tx.cost.writeLength,
    },
    vm_error: tx.vmError,
    type: tx.type,
    ...detailJson(tx.payload),
  };
}

/** One waiting transaction, without a block. An orphaned transaction waits again. */
export function waitingTransactionJson(tx: Tx): unknown {
  return {
    ...headJson(tx),
    receipt_time: tx.receivedAt,
    receipt_block_height: tx.receivedHeight,
    status: "pending",
    replaced_by_tx_id: null,
    type: tx.type,
    ...payloadJson(tx.payload),
  };
}

function assetJson(tx: Tx, event: AssetEvent): Json {
  const sender = event.sender === null ? {} : { sender: event.sender };
  const recipient = event.recipient === null ? {} : { recipient: event.recipient };
  const sides = { type: event.movement, ...sender, ...recipient };
  switch (event.kind) {
    case "stx": {
      const memo = tx.payload.type === "token_transfer" ? memoJson(tx.payload.memo) : null;
      return { ...sides, amount: String(event.amount), ...(event.movement === "transfer" ? { memo } : {}) };
    }
    case "ft":
      return { ...sides, asset_identifier: event.asset, amount: String(event.amount) };
    case "nft":
      return { ...sides, asset_identifier: event.asset, value: valueJson(event.value) };
  }
}

/** An event of a transaction. A mint has no sender, a burn no recipient. */
export function eventJson(tx: Tx, event: TxEvent, index: number): unknown {
  if (event.kind === "print") {
    const log = { contract_id: event.contract, topic: event.topic, value: valueJson(event.value) };
    return { event_index: index, type: "contract_log", contract_log: log };
  }
  const type = `${event.kind}_asset`;
  return { event_index: index, type, [type]: assetJson(tx, event) };
}
