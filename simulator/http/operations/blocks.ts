// Operations 7 and 8: one block. Their entity tag is the chain tip, whatever the block, found or not.
import { blockJson } from "../../json/block.ts";
import { tipTag } from "../etag.ts";
import { badRequest, internal, notFound } from "../http-error.ts";
import { operation } from "../operation.ts";
import { integer } from "../query.ts";

const INT32 = 2_147_483_647;

/** Operation 7: by block hash, orphans included (without their transactions). An index block hash is not found. */
export const blockByHash = operation({
  template: "/extended/v1/block/{hash}",
  isDeprecated: true,
  read: ({ path }) => path.hash ?? "",
  tag: tipTag,
  answer({ chain: { ledger } }, hash) {
    if (!hash.startsWith("0x")) return { status: 302, headers: { location: `/extended/v1/block/0x${hash}` } };
    const digits = hash.slice(2);
    if (!/^[0-9a-fA-F]*$/.test(digits)) throw badRequest(`Hex string contains non-hexadecimal characters: "${hash}"`);
    if (digits.length % 2 !== 0) throw badRequest(`Hex string is an odd number of characters: "${hash}"`);
    const block = ledger.byHash(hash.toLowerCase());
    if (block === undefined) throw notFound("cannot find block by hash");
    return { status: 200, json: blockJson(block, ledger.isCanonical(block)) };
  },
});

/** Operation 8: the canonical block of a height. */
export const blockByHeight = operation({
  template: "/extended/v1/block/by_height/{height}",
  isDeprecated: true,
  read: ({ path }) => integer(path.height ?? "", "params/height", { least: 0 }) ?? 0,
  tag: tipTag,
  answer({ chain }, height) {
    if (height > INT32) throw internal(`value "${height}" is out of range for type integer`, "22003");
    const block = chain.ledger.atHeight(height);
    if (block === undefined) throw notFound("cannot find block by height");
    return { status: 200, json: blockJson(block, true) };
  },
});
