// The prints of a contract, newest first. Any text is accepted as a contract.
import type { Print } from "../../chain/block.ts";
import { printJson } from "../../json/event.ts";
import { tipTag } from "../etag.ts";
import { notFound } from "../http-error.ts";
import { operation } from "../operation.ts";
import { countWithin, cursorMatching, cursorPage, MICROBLOCK, newestFirst } from "../paging.ts";
import { checkOffset, checkRange, page, shortPage } from "../query.ts";

/** Deprecated: has no total. */
export const contractEvents = operation({
  template: "/extended/v1/contract/{contract_id}/events",
  isDeprecated: true,
  parse: ({ path, query }) => ({ contract: path.contract_id ?? "", ...page(query) }),
  tag: tipTag,
  respond({ chain }, { contract, limit, offset }) {
    checkOffset(offset);
    const results = newestFirst(chain.ledger.prints.of(contract).entries, offset, limit).map(printJson);
    return { status: 200, json: { limit, offset, results } };
  },
});

const placeOf = ({ block, index, eventIndex }: Print) => [block.height, MICROBLOCK, index, eventIndex];
const cursorOf = (print: Print) => placeOf(print).join(":");

// Whether a print is at the place of a cursor or older. Throws the 500 of the database for a number out of its range.
function isAtOrBelow(cursor: string): (print: Print) => boolean {
  const place = cursor.split(":").map(Number);
  for (const [at, part] of place.entries()) checkRange(part, at === 2 ? "smallint" : "integer");
  return (print) => {
    const distances = placeOf(print).map((part, at) => part - (place[at] ?? 0));
    return (distances.find((distance) => distance !== 0) ?? 0) <= 0;
  };
}

/** The current list, with total and cursors. An offset counts from the cursor, at which there need not be a print. */
export const contractLogs = operation({
  template: "/extended/v2/smart-contracts/{contract_id}/logs",
  parse: ({ path, query }) => ({
    contract: path.contract_id ?? "",
    ...shortPage(query, 100),
    cursor: cursorMatching(query, "^[0-9]+:[0-9]+:[0-9]+:[0-9]+$"),
  }),
  tag: tipTag,
  respond({ chain }, { contract, cursor, limit, offset }) {
    const prints = chain.ledger.prints.of(contract);
    const { entries } = prints;
    const above = cursor === undefined ? 0 : entries.length - countWithin(entries, isAtOrBelow(cursor));
    const { rows, json } = cursorPage(prints, cursorOf, { first: above + offset, limit });
    if (cursor !== undefined && rows.length === 0) throw notFound("Cursor not found");
    return { status: 200, json: { limit, offset, ...json, results: rows.map(printJson) } };
  },
});
