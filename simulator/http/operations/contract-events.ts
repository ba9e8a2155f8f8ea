// Operation 4 and its successor: what a contract printed, newest first. Any text passes as a contract.
import type { Print } from "../../chain/records.ts";
import { printJson } from "../../json/event.ts";
import { tipTag } from "../etag.ts";
import { internal, notFound } from "../http-error.ts";
import { newestFirst, operation } from "../operation.ts";
import { page } from "../query.ts";

/** The largest offset that the database takes. */
const LARGEST_OFFSET = 2 ** 63;

/** Throws a 500 for an offset beyond what the database can count. */
export function checkOffset(offset: number): void {
  if (offset >= LARGEST_OFFSET) throw internal(`value "${offset}" is out of range for type bigint`, "22003");
}

/** Operation 4: no total. */
export const contractEvents = operation({
  template: "/extended/v1/contract/{contract_id}/events",
  isDeprecated: true,
  read({ path, query }) {
    const { limit, offset } = page(query);
    return { contract: path.contract_id ?? "", limit: limit === 0 ? 20 : limit, offset };
  },
  tag: tipTag,
  answer({ chain }, { contract, limit, offset }) {
    checkOffset(offset);
    const results = newestFirst(chain.ledger.prints.of(contract).entries, offset, limit).map(printJson);
    return { status: 200, json: { limit, offset, results } };
  },
});

const cursorOf = ({ block, index, eventIndex }: Print) => `${block.height}:2147483647:${index}:${eventIndex}`;

/** The supported list of a contract's prints, with total and cursors (`prev_cursor` leads to the older page). */
export const contractLogs = operation({
  template: "/extended/v2/smart-contracts/{contract_id}/logs",
  read: ({ path, query }) => ({
    contract: path.contract_id ?? "",
    cursor: query.get("cursor") ?? undefined,
    ...page(query, 100),
  }),
  tag: tipTag,
  answer({ chain }, { contract, cursor, limit, offset }) {
    checkOffset(offset);
    const { entries, total } = chain.ledger.prints.of(contract);
    let first = offset;
    if (cursor !== undefined) {
      const at = entries.findIndex((entry) => cursorOf(entry) === cursor);
      if (at < 0) throw notFound("Invalid cursor format");
      first = entries.length - 1 - at;
    }
    const results = newestFirst(entries, first, limit);
    const cursorAt = (position: number) => {
      const entry = position < 0 ? undefined : entries[entries.length - 1 - position];
      return entry === undefined ? null : cursorOf(entry);
    };
    const cursors = {
      next_cursor: first === 0 ? null : cursorAt(Math.max(0, first - limit)),
      prev_cursor: cursorAt(first + limit),
      cursor: cursorAt(first),
    };
    return { status: 200, json: { limit, offset, total, ...cursors, results: results.map(printJson) } };
  },
});
