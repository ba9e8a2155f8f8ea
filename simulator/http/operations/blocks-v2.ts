// The supported block operations: a list, newest first, and one block by any of its names. Orphans are not found.
import type { Block } from "../../chain/block.ts";
import type { Records, View } from "../../chain/records.ts";
import { blockItemJson } from "../../json/block.ts";
import { tipTag } from "../etag.ts";
import { invalid, notFound } from "../http-error.ts";
import { operation } from "../operation.ts";
import { page } from "../query.ts";
import { checkOffset } from "./contract-events.ts";

// So many blocks from `top` down as exist.
function down(ledger: Records, top: number, count: number): Block[] {
  const blocks: Block[] = [];
  for (let at = top; blocks.length < count; at -= 1) {
    const block = ledger.atHeight(at);
    if (block === undefined) break;
    blocks.push(block);
  }
  return blocks;
}

/** The list. The total is the height of the tip; cursors are index block hashes, `prev_cursor` leads to older ones. */
export const blockList = operation({
  template: "/extended/v2/blocks",
  read: ({ query }) => ({ ...page(query, 30), cursor: query.get("cursor") ?? undefined }),
  tag: tipTag,
  answer({ chain }, { limit, offset, cursor }) {
    checkOffset(offset);
    const { ledger } = chain;
    const newest = ledger.tip?.height ?? 0;
    let top = newest - offset;
    if (cursor !== undefined) {
      const block = ledger.byIndexHash(cursor);
      if (block === undefined || !ledger.isCanonical(block)) throw notFound("Cursor not found");
      top = block.height;
    }
    const at = (height: number) => ledger.atHeight(height)?.indexHash ?? null;
    const json = {
      limit,
      offset,
      total: chain.height,
      next_cursor: top === newest ? null : at(Math.min(newest, top + limit)),
      prev_cursor: at(top - limit),
      cursor: at(top),
      results: down(ledger, top, limit).map(blockItemJson),
    };
    return { status: 200, json };
  },
});

/** The canonical block of a name: height, block hash, index block hash, or `latest`. */
export function findBlock({ ledger }: View, name: string): Block | undefined {
  if (name === "latest") return ledger.tip;
  if (/^\d{1,16}$/.test(name)) return ledger.atHeight(Number(name));
  const hash = `0x${name.replace(/^0x/, "")}`.toLowerCase();
  const block = ledger.byHash(hash) ?? ledger.byIndexHash(hash);
  return block !== undefined && ledger.isCanonical(block) ? block : undefined;
}

/** Reads the name of a block from the path. */
export function blockName(name = ""): string {
  if (/^(latest|\d+|(0x)?[a-fA-F0-9]{64})$/.test(name)) return name;
  throw invalid("params/height_or_hash must match a schema in anyOf");
}

/** The entity tag of a block's own operations: the block, whatever happens on top of it. */
export function blockTag(chain: View, name: string): string | undefined {
  const block = findBlock(chain, name);
  return block === undefined ? undefined : `${block.indexHash}:true`;
}

/** One block by height, block hash, index block hash, or `latest`. */
export const blockItem = operation({
  template: "/extended/v2/blocks/{height_or_hash}",
  read: ({ path }) => blockName(path.height_or_hash),
  tag: blockTag,
  answer({ chain }, name) {
    const block = findBlock(chain, name);
    if (block === undefined) throw notFound("Block not found");
    return { status: 200, json: blockItemJson(block) };
  },
});
