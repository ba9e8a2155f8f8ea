// Blocks: the two deprecated operations, whose entity tag is the chain tip, and the current ones.
import type { Block } from "../../chain/block.ts";
import type { View } from "../../chain/records.ts";
import { blockItemJson, blockJson } from "../../json/block.ts";
import { tipTag } from "../etag.ts";
import { badRequest, invalid, notFound } from "../http-error.ts";
import { operation } from "../operation.ts";
import { cursorMatching } from "../paging.ts";
import { checkRange, integer, shortPage } from "../query.ts";

/** Deprecated, by block hash. Orphans are found, without their transactions. An index block hash is not found. */
export const blockByHash = operation({
  template: "/extended/v1/block/{hash}",
  isDeprecated: true,
  parse: ({ path }) => path.hash ?? "",
  tag: tipTag,
  respond({ chain: { ledger } }, hash) {
    if (!hash.startsWith("0x")) return { status: 302, headers: { location: `/extended/v1/block/0x${hash}` } };
    const digits = hash.slice(2);
    if (!/^[0-9a-fA-F]*$/.test(digits)) throw badRequest(`Hex string contains non-hexadecimal characters: "${hash}"`);
    if (digits.length % 2 !== 0) throw badRequest(`Hex string is an odd number of characters: "${hash}"`);
    const block = ledger.byHash(hash.toLowerCase());
    if (block === undefined) throw notFound("cannot find block by hash");
    return { status: 200, json: blockJson(block, ledger.isCanonical(block)) };
  },
});

/** Deprecated: the canonical block of a height. */
export const blockByHeight = operation({
  template: "/extended/v1/block/by_height/{height}",
  isDeprecated: true,
  parse: ({ path }) => integer(path.height ?? "", "params/height", { min: 0 }) ?? 0,
  tag: tipTag,
  respond({ chain }, height) {
    checkRange(height, "integer");
    const block = chain.ledger.atHeight(height);
    if (block === undefined) throw notFound("cannot find block by height");
    return { status: 200, json: blockJson(block, true) };
  },
});

/** Newest first. `total` is the tip height. Cursors are index block hashes; `prev_cursor` is the older page. */
export const blockList = operation({
  template: "/extended/v2/blocks",
  parse: ({ query }) => ({ ...shortPage(query, 30), cursor: cursorMatching(query, "^0x[a-fA-F0-9]{64}$") }),
  tag: tipTag,
  respond({ chain }, { limit, offset, cursor }) {
    const { ledger } = chain;
    const start = cursor === undefined ? ledger.tip : ledger.byIndexHash(cursor.toLowerCase());
    const top = (start?.height ?? 0) - offset;
    const isFound = start !== undefined && ledger.isCanonical(start);
    const blocks: Block[] = [];
    for (let block = ledger.atHeight(top); isFound && block !== undefined && blocks.length < limit; ) {
      blocks.push(block);
      block = ledger.atHeight(block.height - 1);
    }
    if (cursor !== undefined && blocks.length === 0) throw notFound("Cursor not found");
    const at = (height: number) => (blocks.length === 0 ? null : (ledger.atHeight(height)?.indexHash ?? null));
    const json = {
      limit,
      offset,
      total: blocks.length === 0 ? 0 : chain.height,
      next_cursor: at(top + limit),
      prev_cursor: at(top - limit),
      cursor: at(top),
      results: blocks.map(blockItemJson),
    };
    return { status: 200, json };
  },
});

// The canonical block of an id: height, block hash, index block hash, or `latest`.
function findBlock({ ledger }: View, id: string): Block | undefined {
  if (id === "latest") return ledger.tip;
  if (/^\d{1,16}$/.test(id)) return ledger.atHeight(Number(id));
  const hash = `0x${id.replace(/^0x/, "")}`.toLowerCase();
  const block = ledger.byHash(hash) ?? ledger.byIndexHash(hash);
  return block !== undefined && ledger.isCanonical(block) ? block : undefined;
}

/** One block. Its entity tag does not depend on later blocks. Orphans are not found. */
export const blockItem = operation({
  template: "/extended/v2/blocks/{height_or_hash}",
  parse({ path: { height_or_hash: id = "" } }) {
    if (/^(latest|\d+|(0x)?[a-fA-F0-9]{64})$/.test(id)) return id;
    throw invalid("params/height_or_hash must match a schema in anyOf");
  },
  tag(chain, id) {
    const block = findBlock(chain, id);
    return block && `${block.indexHash}:true`;
  },
  respond({ chain }, id) {
    const block = findBlock(chain, id);
    if (block === undefined) throw notFound("Block not found");
    return { status: 200, json: blockItemJson(block) };
  },
});
