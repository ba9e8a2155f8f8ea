// Events in the three spellings of operations 3, 4 and 5.
import type { Print } from "../chain/records.ts";
import type { AssetEvent, TxEvent } from "../chain/transaction.ts";
import { valueJson } from "./spelling.ts";

/** Whether the principal gives or receives in this event. */
export function concerns(event: TxEvent, principal: string): event is AssetEvent {
  return event.kind !== "print" && (event.sender === principal || event.recipient === principal);
}

/** Operation 3: the side that a mint or burn does not have is left out. */
export function addressEventJson(event: AssetEvent, eventIndex: number): unknown {
  const content =
    event.kind === "stx"
      ? { amount: String(event.amount) }
      : event.kind === "ft"
        ? { amount: String(event.amount), asset_identifier: event.asset }
        : { asset_identifier: event.asset, value: valueJson(event.value) };
  const sender = event.sender === null ? {} : { sender: event.sender };
  const recipient = event.recipient === null ? {} : { recipient: event.recipient };
  return {
    type: event.kind,
    event_index: eventIndex,
    data: { type: event.movement, ...content, ...sender, ...recipient },
  };
}

/** Operation 5: the side that a mint or burn does not have is the empty string. */
export function transferJson(event: AssetEvent): unknown {
  const sides = { sender: event.sender ?? "", recipient: event.recipient ?? "" };
  if (event.kind === "stx") return { amount: String(event.amount), ...sides };
  if (event.kind === "ft") return { amount: String(event.amount), asset_identifier: event.asset, ...sides };
  return { value: valueJson(event.value), asset_identifier: event.asset, ...sides };
}

/** Operation 4 and its successor. */
export function printJson({ tx, event, eventIndex }: Print): unknown {
  return {
    event_index: eventIndex,
    event_type: "smart_contract_log",
    tx_id: tx.id,
    contract_log: { contract_id: event.contract, topic: event.topic, value: valueJson(event.value) },
  };
}
