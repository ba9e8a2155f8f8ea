// Deprecated: the transactions of a principal with its transfers. The only operation that verifies checksums.
import type { Place } from "../../chain/block.ts";
import { decodeAddress } from "../../chain/c32.ts";
import type { View } from "../../chain/records.ts";
import { parties } from "../../chain/transaction.ts";
import { withTransfersJson } from "../../json/principal.ts";
import { principalTag } from "../etag.ts";
import { badRequest, notFound } from "../http-error.ts";
import { operation } from "../operation.ts";
import { newestFirst } from "../paging.ts";
import { checkOffset, flag, integer, page, principal } from "../query.ts";

interface Bounds {
  readonly height: number | undefined;
  readonly isUnanchored: boolean;
  readonly untilBlock: string | null;
}

function highestBlock(chain: View, { height, isUnanchored, untilBlock }: Bounds): number {
  if (untilBlock === null) return Infinity;
  if (isUnanchored) throw badRequest("can't handle both `unanchored` and `until_block` in the same request");
  if (height !== undefined) throw badRequest("can't handle both `height` and `until_block` in the same request");
  if (untilBlock.startsWith("0x")) {
    const block = chain.ledger.byHash(untilBlock);
    if (block === undefined) throw notFound(`block not found with hash: ${untilBlock}`);
    return block.height;
  }
  if (!/^\d+$/.test(untilBlock)) throw badRequest("Unexpected integer value in `until_block`");
  return Number(untilBlock);
}

// This list omits transactions that the principal only sponsored.
function listed({ ledger }: View, address: string): { readonly entries: readonly Place[]; readonly total: number } {
  const { entries, total } = ledger.principals.of(address);
  const sponsored = ledger.sponsored.of(address).total;
  if (sponsored === 0) return { entries, total };
  const own = entries.filter(({ tx }) => tx.sponsor !== address || parties(tx).has(address));
  return { entries: own, total: total - sponsored };
}

/** With `height`, all transactions of the block are returned; `height=0` counts as not given. */
export const transfers = operation({
  template: "/extended/v1/address/{principal}/transactions_with_transfers",
  isDeprecated: true,
  parse: ({ path, query }) => ({
    address: principal(path.principal, "principal"),
    ...page(query),
    height: integer(query.get("height"), "querystring/height") || undefined,
    isUnanchored: flag(query, "unanchored"),
    untilBlock: query.get("until_block"),
  }),
  tag: (chain, { address }) => principalTag(chain, address),
  respond({ chain }, { address, limit, offset, ...bounds }) {
    if (decodeAddress(address.split(".")[0] ?? "") === undefined) throw badRequest(`invalid STX address "${address}"`);
    const highest = highestBlock(chain, bounds);
    checkOffset(offset);
    const { entries, total } = listed(chain, address);
    const bounded = highest === Infinity ? entries : entries.filter(({ block }) => block.height <= highest);
    const places =
      bounds.height === undefined
        ? newestFirst(bounded, offset, limit)
        : bounded.filter(({ block }) => block.height === bounds.height).reverse();
    const count = bounds.height !== undefined ? places.length : bounded === entries ? total : bounded.length;
    const results = places.map((place) => withTransfersJson(place, address));
    return { status: 200, json: { limit, offset, total: results.length === 0 ? 0 : count, results } };
  },
});
