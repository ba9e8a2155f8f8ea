// Operation 3: the asset events of one transaction that concern an address.
import { addressEventJson, concerns } from "../../json/event.ts";
import { transactionTag } from "../etag.ts";
import { operation } from "../operation.ts";
import { internal, invalid, notFound } from "../problem.ts";
import { page, principal } from "../query.ts";

const TX_ID = "^(0x)?[a-fA-F0-9]{64}$";

/** Operation 3. A transaction in an orphaned block has no events, one that still waits is not found. */
export const addressEvents = operation({
  template: "/extended/v2/addresses/{address}/transactions/{tx_id}/events",
  isDeprecated: true,
  read({ path, query }) {
    const txId = path.tx_id ?? "";
    const address = principal(path.address ?? "", "address");
    if (!new RegExp(TX_ID).test(txId)) throw invalid(`params/tx_id must match pattern "${TX_ID}"`);
    const { limit, offset } = page(query);
    return { address, txId: txId.toLowerCase(), limit: limit === 0 ? 20 : limit, offset };
  },
  tag: (chain, { txId }) => transactionTag(chain, txId),
  answer({ chain }, { address, txId, limit, offset }) {
    if (!txId.startsWith("0x")) throw internal(`Hex string is missing the "0x" prefix: "${txId}"`);
    const place = chain.ledger.placeOf(txId);
    if (place === undefined) throw notFound("Transaction not found");
    const events = place.block.canonical ? place.tx.events : [];
    const all = events.flatMap((event, index) => (concerns(event, address) ? [addressEventJson(event, index)] : []));
    const results = all.slice(offset, offset + limit);
    const total = results.length === 0 ? 0 : all.length;
    return { status: 200, json: { limit, offset, total, results } };
  },
});
