// The supported block operations: a list, newest first, and one block by any of its names. Orphans are not found.
import type { Block } from "../../chain/block.ts";
import type { Chain } from "../../chain/chain.ts";
import { blockItemJson } from "../../json/block.ts";
import { tipTag } from "../etag.ts";
import { newestFirst, operation } from "../operation.ts";
import { invalid, notFound } from "../problem.ts";
import { page } from "../query.ts";
import { checkOffset } from "./contract-events.ts";

/** The list. The total is the height of the tip; cursors are index block hashes, `prev_cursor` leads to older ones. */
export const blockList = operation({
  template: "/extended/v2/blocks",
  read: ({ query }) => ({ ...page(query, 30), cursor: query.get("cursor") ?? undefined }),
  tag: tipTag,
  answer({ chain }, { limit, offset, cursor }) {
    checkOffset(offset);
    const { blocks } = chain.ledger;
    let first = offset;
    if (cursor !== undefined) {
      const at = blocks.findLastIndex(({ indexHash }) => indexHash === cursor);
      if (at < 0) throw notFound("Cursor not found");
      first = blocks.length - 1 - at;
    }
    const at = (position: number) => (position < 0 ? null : (blocks[blocks.length - 1 - position]?.indexHash ?? null));
    const json = {
      limit,
      offset,
      total: chain.height,
      next_cursor: first === 0 ? null : at(Math.max(0, first - limit)),
      prev_cursor: at(first + limit),
      cursor: at(first),
      results: newestFirst(blocks, first, limit).map(blockItemJson),
    };
    return { status: 200, json };
  },
});

function find({ ledger }: Chain, name: string): Block | undefined {
  if (name === "latest") return ledger.tip;
  if (/^\d{1,10}$/.test(name)) return ledger.atHeight(Number(name));
  const hash = `0x${name.replace(/^0x/, "")}`.toLowerCase();
  const block = ledger.byHash(hash) ?? ledger.byIndexHash(hash);
  return block?.canonical === true ? block : undefined;
}

/** One block by height, block hash, index block hash, or `latest`. */
export const blockItem = operation({
  template: "/extended/v2/blocks/{height_or_hash}",
  read({ path }) {
    const name = path.height_or_hash ?? "";
    if (/^(latest|\d+|(0x)?[a-fA-F0-9]{64})$/.test(name)) return name;
    throw invalid("params/height_or_hash must match a schema in anyOf");
  },
  tag(chain, name) {
    const block = find(chain, name);
    return block === undefined ? undefined : `${block.indexHash}:${block.canonical}`;
  },
  answer({ chain }, name) {
    const block = find(chain, name);
    if (block === undefined) throw notFound("Block not found");
    return { status: 200, json: blockItemJson(block) };
  },
});
