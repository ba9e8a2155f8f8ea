// The asset events of one transaction that concern an address.
import { addressEventJson, concerns } from "../../json/event.ts";
import { transactionTag } from "../etag.ts";
import { notFound } from "../http-error.ts";
import { operation } from "../operation.ts";
import { checkPrefix, page, principal, transactionId } from "../query.ts";

/** A transaction in an orphaned block has no events; one that is not mined yet is not found. */
export const addressEvents = operation({
  template: "/extended/v2/addresses/{address}/transactions/{tx_id}/events",
  isDeprecated: true,
  parse: ({ path, query }) => ({
    address: principal(path.address, "address"),
    txId: transactionId(path.tx_id),
    ...page(query),
  }),
  tag: (chain, { txId }) => transactionTag(chain, txId),
  respond({ chain: { ledger } }, { address, txId, limit, offset }) {
    checkPrefix(txId);
    const place = ledger.placeOf(txId);
    if (place === undefined) throw notFound("Transaction not found");
    const events = ledger.isCanonical(place.block) ? place.tx.events : [];
    const all = events.flatMap((event, index) => (concerns(event, address) ? [addressEventJson(event, index)] : []));
    const results = all.slice(offset, offset + limit);
    return { status: 200, json: { limit, offset, total: results.length === 0 ? 0 : all.length, results } };
  },
});
