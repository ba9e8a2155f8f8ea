// The transaction object of the v1 and v2 API.
import type { Place } from "../chain/block.ts";
import type { Payload, PostCondition } from "../chain/transaction.ts";
import { costJson, iso, type Json, tenureChangeJson, valueJson } from "./values.ts";

/** The shown parts of a contract call. */
export interface CallDetail {
  /** Whether signature and argument names are filled in or empty. */
  readonly interface: boolean;
  readonly functionArgs: boolean;
}

function principalJson(principal: string | null): Json {
  if (principal === null) return { type_id: "principal_origin" };
  const [address, name] = principal.split(".");
  if (name === undefined) return { type_id: "principal_standard", address };
  return { type_id: "principal_contract", address, contract_name: name };
}

function assetJson(id: string): Json {
  const [contract = "", name] = id.split("::");
  const [address, contractName] = contract.split(".");
  return { asset_name: name, contract_address: address, contract_name: contractName };
}

function conditionJson(condition: PostCondition): Json {
  const head = { principal: principalJson(condition.principal), condition_code: condition.code };
  switch (condition.kind) {
    case "stx":
      return { ...head, amount: String(condition.amount), type: "stx" };
    case "fungible":
      return { ...head, amount: String(condition.amount), type: "fungible", asset: assetJson(condition.asset) };
    case "non_fungible": {
      const rest = { asset_value: valueJson(condition.value), asset: assetJson(condition.asset) };
      return { ...head, type: "non_fungible", ...rest };
    }
  }
}

function callJson(call: Extract<Payload, { type: "contract_call" }>, detail: CallDetail): Json {
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

function payloadJson(payload: Payload, detail: CallDetail): Json {
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
    case "tenure_change": {
      const { cause, pubkeyHash } = payload;
      return { tenure_change_payload: { ...tenureChangeJson(payload), cause, pubkey_hash: pubkeyHash } };
    }
  }
}

/** A mined, canonical transaction. `events` is always empty on this API; `event_count` is their number. */
export function transactionJson({ tx, block, index }: Place, detail: CallDetail): Json {
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
    ...costJson(tx.cost, "execution_cost_"),
    vm_error: tx.vmError,
    events: [],
    tx_type: tx.type,
    ...payloadJson(tx.payload, detail),
    ...(tx.sponsor === null ? {} : { sponsor_nonce: tx.sponsorNonce, sponsor_address: tx.sponsor }),
  };
}
