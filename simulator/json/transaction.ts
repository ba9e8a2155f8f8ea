// The transaction object of operations 5 and 6.
import type { Place } from "../chain/block.ts";
import type { Payload, Tx } from "../chain/transaction.ts";
import { conditionJson } from "./post-condition.ts";
import { costJson, iso, valueJson } from "./spelling.ts";

/** What of a contract call is shown. */
export interface CallDetail {
  /** Signature and argument names: operation 5 joins the contract's interface, operation 6 leaves them empty. */
  readonly interface: boolean;
  readonly functionArgs: boolean;
}

function callJson(call: Extract<Payload, { type: "contract_call" }>, detail: CallDetail): unknown {
  const args = call.arguments.map(({ name, type, value }) =>
    detail.interface ? { ...valueJson(value), name, type } : { ...valueJson(value), name: "", type: value.type },
  );
  return {
    contract_id: call.contract,
    function_name: call.method,
    function_signature: detail.interface ? call.signature : "",
    ...(detail.functionArgs ? { function_args: args } : {}),
  };
}

function payloadJson(payload: Payload, detail: CallDetail): Readonly<Record<string, unknown>> {
  switch (payload.type) {
    case "token_transfer": {
      const { recipient, amount, memo } = payload;
      return { token_transfer: { recipient_address: recipient, amount: String(amount), memo } };
    }
    case "smart_contract": {
      const { version, contract, source } = payload;
      return { smart_contract: { clarity_version: version, contract_id: contract, source_code: source } };
    }
    case "contract_call":
      return { contract_call: callJson(payload, detail) };
    case "poison_microblock": {
      const { header1, header2 } = payload;
      return { poison_microblock: { microblock_header_1: header1, microblock_header_2: header2 } };
    }
    case "coinbase":
      return { coinbase_payload: { data: payload.data, alt_recipient: null, vrf_proof: payload.vrfProof } };
    case "tenure_change":
      return {
        tenure_change_payload: {
          tenure_consensus_hash: payload.consensus,
          prev_tenure_consensus_hash: payload.previousConsensus,
          burn_view_consensus_hash: payload.consensus,
          previous_tenure_end: payload.previousEnd,
          previous_tenure_blocks: payload.previousBlocks,
          cause: payload.cause,
          pubkey_hash: payload.pubkeyHash,
        },
      };
  }
}

function sponsorJson({ sponsor, sponsorNonce }: Tx): Readonly<Record<string, unknown>> {
  return sponsor === null ? {} : { sponsor_nonce: sponsorNonce, sponsor_address: sponsor };
}

/** A mined, canonical transaction. Its `events` are always empty on this API; `event_count` tells how many there are. */
export function transactionJson({ tx, block, index }: Place, detail: CallDetail): unknown {
  return {
    tx_id: tx.id,
    nonce: tx.nonce,
    fee_rate: String(tx.fee),
    sender_address: tx.sender,
    sponsored: tx.sponsor !== null,
    post_condition_mode: tx.conditionMode,
    post_conditions: tx.conditions.map(conditionJson),
    anchor_mode: "any",
    block_hash: block.hash,
    block_height: block.height,
    block_time: block.time,
    block_time_iso: iso(block.time),
    burn_block_time: block.burn.time,
    burn_block_height: block.burn.height,
    burn_block_time_iso: iso(block.burn.time),
    parent_burn_block_time: block.parentBurnTime,
    parent_burn_block_time_iso: iso(block.parentBurnTime),
    canonical: true,
    tx_index: index,
    tx_status: tx.status,
    tx_result: valueJson(tx.result),
    event_count: tx.events.length,
    parent_block_hash: block.parentHash,
    is_unanchored: false,
    microblock_hash: "0x",
    microblock_sequence: 2_147_483_647,
    microblock_canonical: true,
    ...costJson(tx.cost),
    vm_error: tx.vmError,
    events: [],
    tx_type: tx.type,
    ...payloadJson(tx.payload, detail),
    ...sponsorJson(tx),
  };
}
