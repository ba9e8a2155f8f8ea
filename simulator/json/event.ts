// Events: of an address, of a contract, as transfers, and of the v3 API.
import type { Print } from "../chain/block.ts";
import type { AssetEvent, PrintEvent, Tx, TxEvent } from "../chain/transaction.ts";
import { type Json, valueJson } from "./values.ts";

/** Whether the principal sends or receives in this event. */
export function concerns(event: TxEvent, principal: string): event is AssetEvent {
  return event.kind !== "print" && (event.sender === principal || event.recipient === principal);
}

// A mint has no sender, a burn no recipient.
const sidesJson = ({ sender, recipient }: AssetEvent): Json => ({
  ...(sender === null ? {} : { sender }),
  ...(recipient === null ? {} : { recipient }),
});

const logJson = ({ contract, topic, value }: PrintEvent): Json => ({
  contract_id: contract,
  topic,
  value: valueJson(value),
});

/** An event of an address. */
export function addressEventJson(event: AssetEvent, eventIndex: number): Json {
  const content =
    event.kind === "stx"
      ? { amount: String(event.amount) }
      : event.kind === "ft"
        ? { amount: String(event.amount), asset_identifier: event.asset }
        : { asset_identifier: event.asset, value: valueJson(event.value) };
  const data = { type: event.movement, ...content, ...sidesJson(event) };
  return { type: event.kind, event_index: eventIndex, data };
}

/** A transfer: the missing side of a mint or burn is the empty string. */
export function transferJson(event: AssetEvent): Json {
  const sides = { sender: event.sender ?? "", recipient: event.recipient ?? "" };
  if (event.kind === "stx") return { amount: String(event.amount), ...sides };
  if (event.kind === "ft") return { amount: String(event.amount), asset_identifier: event.asset, ...sides };
  return { value: valueJson(event.value), asset_identifier: event.asset, ...sides };
}

/** A print of a contract. */
export function printJson({ tx, event, eventIndex }: Print): Json {
  return { event_index: eventIndex, event_type: "smart_contract_log", tx_id: tx.id, contract_log: logJson(event) };
}

/** A memo of the v3 API. */
export function memoJson(memo: string): Json {
  return { hex: memo, repr: Buffer.from(memo.slice(2), "hex").toString("latin1").replaceAll("\0", "") };
}

function assetJson({ payload }: Tx, event: AssetEvent): Json {
  const sides = { type: event.movement, ...sidesJson(event) };
  if (event.kind === "nft") return { ...sides, asset_identifier: event.asset, value: valueJson(event.value) };
  const amount = String(event.amount);
  if (event.kind === "ft") return { ...sides, asset_identifier: event.asset, amount };
  if (event.movement !== "transfer") return { ...sides, amount };
  return { ...sides, amount, memo: payload.type === "token_transfer" ? memoJson(payload.memo) : null };
}

/** An event of the v3 API. */
export function eventJson(tx: Tx, event: TxEvent, index: number): Json {
  if (event.kind === "print") return { event_index: index, type: "contract_log", contract_log: logJson(event) };
  const type = `${event.kind}_asset`;
  return { event_index: index, type, [type]: assetJson(tx, event) };
}
