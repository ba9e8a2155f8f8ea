// Operation 6 and its successor: the transactions of a principal, newest first.
import type { Place } from "../../chain/block.ts";
import { withCountsJson } from "../../json/principal.ts";
import { involvementJson } from "../../json/principal-v3.ts";
import { isWithin, limitOf, pageOfTransactions, positionOf as positionV3 } from "../cursor-v3.ts";
import { principalTag } from "../etag.ts";
import { notFound } from "../http-error.ts";
import { newestFirst, operation } from "../operation.ts";
import { flag, page, principal } from "../query.ts";
import { checkOffset } from "./contract-events.ts";

const MICROBLOCK = 2_147_483_647;
const CURSOR = /^0x[0-9a-f]{64}:\d+:\d+$/;

const cursorOf = ({ block, index }: Place) => `${block.indexHash}:${MICROBLOCK}:${index}`;

function positionOf(entries: readonly Place[], spell: (place: Place) => string, cursor: string): number {
  const at = entries.findLastIndex((entry) => spell(entry) === cursor);
  if (at < 0) throw notFound("Cursor not found");
  return entries.length - 1 - at;
}

// Cursors name the first row of a page; `older` and `newer` are null where there is no such page.
function cursors(entries: readonly Place[], spell: (place: Place) => string, first: number, limit: number) {
  const at = (position: number) => {
    const entry = position < 0 ? undefined : entries[entries.length - 1 - position];
    return entry === undefined ? null : spell(entry);
  };
  return {
    newer: first === 0 ? null : at(Math.max(0, first - limit)),
    older: limit === 0 ? null : at(first + limit),
    current: limit === 0 ? null : at(first),
  };
}

/** Operation 6. `limit=0` gives no rows and a valid total; `prev_cursor` leads to the older page. */
export const transactions = operation({
  template: "/extended/v2/addresses/{address}/transactions",
  isDeprecated: true,
  read: ({ path, query }) => ({
    address: principal(path.address ?? "", "address"),
    functionArgs: !flag(query, "exclude_function_args"),
    cursor: query.get("cursor") ?? undefined,
    ...page(query),
  }),
  tag: (chain, { address }) => principalTag(chain, address),
  answer({ chain }, { address, functionArgs, cursor, limit, offset }) {
    if (cursor !== undefined && !CURSOR.test(cursor)) throw notFound("Invalid cursor format");
    checkOffset(offset);
    const { entries, total } = chain.ledger.principals.of(address);
    const first = cursor === undefined ? offset : positionOf(entries, cursorOf, cursor);
    const places = newestFirst(entries, first, limit);
    const isPastEnd = places.length === 0 && limit > 0;
    const at = isPastEnd ? { newer: null, older: null, current: null } : cursors(entries, cursorOf, first, limit);
    const json = {
      limit,
      offset,
      total: isPastEnd ? 0 : total,
      next_cursor: at.newer,
      prev_cursor: at.older,
      cursor: at.current,
      results: places.map((place) => withCountsJson(place, address, functionArgs)),
    };
    return { status: 200, json };
  },
});

/** Version 3: no offset, and here `next` leads to the older page. */
export const principalTransactions = operation({
  template: "/extended/v3/principals/{principal}/transactions",
  read: ({ path, query }) => ({
    address: principal(path.principal ?? "", "principal"),
    limit: limitOf(query, 50),
    from: positionV3(query),
  }),
  tag: (chain, { address }) => principalTag(chain, address),
  answer({ chain }, { address, limit, from }) {
    const { entries, total } = chain.ledger.principals.of(address);
    const end = entries.findLastIndex((place) => isWithin(place, from)) + 1;
    // One more than the page, so that it is known whether there is a next one.
    const older = entries.slice(Math.max(0, end - limit - 1), end).reverse();
    const { places, cursor } = pageOfTransactions(older, () => entries.slice(end), limit);
    const results = places.map((place) => involvementJson(place, address));
    return { status: 200, json: { total: places.length === 0 ? 0 : total, limit, cursor, results } };
  },
});
