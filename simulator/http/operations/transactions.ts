// The transactions of a principal, newest first: the deprecated operation and its replacement.
import type { Place } from "../../chain/block.ts";
import { involvementJson, withCountsJson } from "../../json/principal.ts";
import { principalTag } from "../etag.ts";
import { notFound } from "../http-error.ts";
import { operation } from "../operation.ts";
import { cursorPage, limitOf, MICROBLOCK, placeCursor, placesFrom } from "../paging.ts";
import { checkOffset, flag, page, principal, wholePrincipal } from "../query.ts";

const CURSOR = /^0x[0-9a-f]{64}:\d+:\d+$/;

const cursorOf = ({ block, index }: Place) => `${block.indexHash}:${MICROBLOCK}:${index}`;

/** Deprecated. `limit=0` gives no rows and a valid total; past the end the total is 0. */
export const transactions = operation({
  template: "/extended/v2/addresses/{address}/transactions",
  isDeprecated: true,
  parse: ({ path, query }) => ({
    address: principal(path.address, "address"),
    functionArgs: !flag(query, "exclude_function_args"),
    cursor: query.get("cursor") ?? undefined,
    ...page(query, 50, 0),
  }),
  tag: (chain, { address }) => principalTag(chain, address),
  respond({ chain }, { address, functionArgs, ...query }) {
    if (query.cursor !== undefined && !CURSOR.test(query.cursor)) throw notFound("Invalid cursor format");
    checkOffset(query.offset);
    const { entries, total } = chain.ledger.principals.of(address);
    const { rows, cursors } = cursorPage(entries, cursorOf, query, "Cursor not found");
    const { limit, offset } = query;
    const isPastEnd = rows.length === 0 && limit > 0;
    const json = {
      limit,
      offset,
      total: isPastEnd ? 0 : total,
      next_cursor: isPastEnd ? null : cursors.next_cursor,
      prev_cursor: rows.length === 0 ? null : cursors.prev_cursor,
      cursor: rows.length === 0 ? null : cursors.cursor,
      results: rows.map((place) => withCountsJson(place, address, functionArgs)),
    };
    return { status: 200, json };
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
