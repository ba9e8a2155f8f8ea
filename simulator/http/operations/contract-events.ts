// The prints of a contract, newest first. Any text is accepted as a contract.
import type { Print } from "../../chain/records.ts";
import { printJson } from "../../json/event.ts";
import { tipTag } from "../etag.ts";
import { operation } from "../operation.ts";
import { cursorPage, MICROBLOCK, newestFirst } from "../paging.ts";
import { checkOffset, page } from "../query.ts";

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

const cursorOf = ({ block, index, eventIndex }: Print) => `${block.height}:${MICROBLOCK}:${index}:${eventIndex}`;

/** The current list, with total and cursors. */
export const contractLogs = operation({
  template: "/extended/v2/smart-contracts/{contract_id}/logs",
  parse: ({ path, query }) => ({
    contract: path.contract_id ?? "",
    cursor: query.get("cursor") ?? undefined,
    ...page(query, 100, 0),
  }),
  tag: tipTag,
  respond({ chain }, { contract, ...query }) {
    checkOffset(query.offset);
    const { entries, total } = chain.ledger.prints.of(contract);
    const { rows, cursors } = cursorPage(entries, cursorOf, query, "Invalid cursor format");
    const { limit, offset } = query;
    return { status: 200, json: { limit, offset, total, ...cursors, results: rows.map(printJson) } };
  },
});
