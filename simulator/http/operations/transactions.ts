// The transactions of a principal, newest first: the deprecated operation and its replacement. Transactions by their
// ids.
import type { Place } from "../../chain/block.ts";
import { involvementJson, withCountsJson } from "../../json/principal.ts";
import { transactionJson } from "../../json/transaction.ts";
import { mempoolTag, principalTag } from "../etag.ts";
import { operation } from "../operation.ts";
import { cursorPage, limitOf, MICROBLOCK, placeCursor, placesFrom } from "../paging.ts";
import { checkOffset, flag, page, principal, transactionId, wholePrincipal } from "../query.ts";

const cursorOf = ({ block, index }: Place) => `${block.indexHash}:${MICROBLOCK}:${index}`;

/** Deprecated. `limit=0` gives no rows and a valid total. Its cursors are no documented parameter, and are ignored. */
export const transactions = operation({
  template: "/extended/v2/addresses/{address}/transactions",
  isDeprecated: true,
  parse: ({ path, query }) => ({
    address: principal(path.address, "address"),
    functionArgs: !flag(query, "exclude_function_args"),
    ...page(query, 50, 0),
  }),
  tag: (chain, { address }) => principalTag(chain, address),
  respond({ chain }, { address, functionArgs, limit, offset }) {
    checkOffset(offset);
    const { rows, json } = cursorPage(chain.ledger.principals.of(address), cursorOf, { first: offset, limit });
    const results = rows.map((place) => withCountsJson(place, address, functionArgs));
    return { status: 200, json: { limit, offset, ...json, results } };
  },
});

/** The replacement: no offset, and `next` is the older page. */
export const principalTransactions = operation({
  template: "/extended/v3/principals/{principal}/transactions",
  parse: ({ path, query }) => ({
    address: wholePrincipal(path.principal),
    limit: limitOf(query, 50),
    cursor: placeCursor(query),
  }),
  tag: (chain, { address }) => principalTag(chain, address),
  respond: ({ chain }, { address, ...page }) =>
    placesFrom(chain.ledger.principals.of(address), page, (place) => involvementJson(place, address)),
});

/** Several mined transactions by their ids, without their events. Waiting ones are not found. */
export const transactionDetails = operation({
  template: "/extended/v1/tx/multiple",
  parse: ({ query }) => ({
    ids: (query.get("tx_id") ?? "").split(",").map(transactionId),
    functionArgs: !flag(query, "exclude_function_args"),
  }),
  tag: mempoolTag,
  respond({ chain: { ledger } }, { ids, functionArgs }) {
    const details = ids.map((tx_id) => {
      const place = ledger.placeOf(tx_id);
      if (place === undefined || !ledger.isCanonical(place.block)) return [tx_id, { found: false, result: { tx_id } }];
      return [tx_id, { found: true, result: transactionJson(place, { interface: true, functionArgs }) }];
    });
    return { status: 200, json: Object.fromEntries(details) };
  },
});
