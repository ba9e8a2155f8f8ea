// What a transaction means for one principal: sums in operation 5, counts in operation 6, changes in version 3.
import type { Place } from "../chain/block.ts";
import type { AssetEvent, Movement, Tx } from "../chain/transaction.ts";
import { concerns, transferJson } from "./event.ts";
import { transactionJson } from "./transaction.ts";

/** µSTX that left and reached the principal through events; a transfer to oneself is both. */
export function stxMoved(tx: Tx, principal: string): { readonly sent: bigint; readonly received: bigint } {
  let sent = 0n;
  let received = 0n;
  for (const event of tx.events) {
    if (event.kind !== "stx") continue;
    if (event.sender === principal) sent += event.amount;
    if (event.recipient === principal) received += event.amount;
  }
  return { sent, received };
}

const mine = (tx: Tx, principal: string): AssetEvent[] =>
  tx.events.filter((event): event is AssetEvent => concerns(event, principal));

/** Operation 5. The fee counts as sent for the sender even when a sponsor paid it. */
export function withTransfersJson(place: Place, principal: string): unknown {
  const { tx } = place;
  const { sent, received } = stxMoved(tx, principal);
  const fee = tx.sender === principal ? BigInt(tx.fee) : 0n;
  const of = (kind: AssetEvent["kind"]) =>
    mine(tx, principal)
      .filter((event) => event.kind === kind)
      .reverse()
      .map(transferJson);
  return {
    tx: transactionJson(place, { interface: true, functionArgs: true }),
    stx_sent: String(sent + fee),
    stx_received: String(received),
    stx_transfers: of("stx"),
    ft_transfers: of("ft"),
    nft_transfers: of("nft"),
  };
}

/** µSTX of fee that this principal paid: the sponsor's when there is one. */
export function feePaid(tx: Tx, principal: string): bigint {
  return (tx.sponsor ?? tx.sender) === principal ? BigInt(tx.fee) : 0n;
}

/** Operation 6. A transfer to oneself counts twice. */
export function withCountsJson(place: Place, principal: string, functionArgs: boolean): unknown {
  const { tx } = place;
  const { sent, received } = stxMoved(tx, principal);
  const sides = (event: AssetEvent) => (event.sender === principal && event.recipient === principal ? 2 : 1);
  const count = (kind: AssetEvent["kind"], movement: Movement) =>
    mine(tx, principal)
      .filter((event) => event.kind === kind && event.movement === movement)
      .reduce((sum, event) => sum + sides(event), 0);
  const counts = (kind: AssetEvent["kind"]) => ({
    transfer: count(kind, "transfer"),
    mint: count(kind, "mint"),
    burn: count(kind, "burn"),
  });
  return {
    tx: transactionJson(place, { interface: false, functionArgs }),
    stx_sent: String(sent + feePaid(tx, principal)),
    stx_received: String(received),
    events: { stx: counts("stx"), ft: counts("ft"), nft: counts("nft") },
  };
}
