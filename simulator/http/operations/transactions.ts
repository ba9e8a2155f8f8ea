// The transactions of a principal, newest first: the deprecated operation and its replacement.
import type { Place } from "../../chain/block.ts";
import { involvementJson, withCountsJson } from "../../json/principal.ts";
import { principalTag } from "../etag.ts";
import { operation } from "../operation.ts";
import { cursorPage, limitOf, MICROBLOCK, placeCursor, placesFrom } from "../paging.ts";
import { checkOffset, flag, page, principal, wholePrincipal } from "../query.ts";

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
