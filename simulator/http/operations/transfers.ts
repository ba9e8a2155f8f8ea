// Operation 5: the transactions of a principal with its transfers. The only one that verifies checksums.
import type { Place } from "../../chain/block.ts";
import { decodeAddress } from "../../chain/c32.ts";
import type { View } from "../../chain/records.ts";
import { parties } from "../../chain/transaction.ts";
import { withTransfersJson } from "../../json/principal.ts";
import { principalTag } from "../etag.ts";
import { badRequest, notFound } from "../http-error.ts";
import { newestFirst, operation } from "../operation.ts";
import { flag, integer, page, principal } from "../query.ts";
import { checkOffset } from "./contract-events.ts";

interface Bounds {
  readonly height: number | undefined;
  readonly isUnanchored: boolean;
  readonly untilBlock: string | undefined;
}

function ceiling(chain: View, { height, isUnanchored, untilBlock }: Bounds): number {
  if (untilBlock === undefined) return Infinity;
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

// What one only sponsored is not in this list.
function listed(chain: View, address: string): { readonly entries: readonly Place[]; readonly total: number } {
  const { entries, total } = chain.ledger.principals.of(address);
  const sponsored = chain.ledger.sponsored.of(address).total;
  if (sponsored === 0) return { entries, total };
  const own = entries.filter(({ tx }) => tx.sponsor !== address || parties(tx).has(address));
  return { entries: own, total: total - sponsored };
}

/** Operation 5. With `height` the whole block is returned; `height=0` counts as not given. */
export const transfers = operation({
  template: "/extended/v1/address/{principal}/transactions_with_transfers",
  isDeprecated: true,
  read({ path, query }) {
    const address = principal(path.principal ?? "", "principal");
    const { limit, offset } = page(query);
    const height = integer(query.get("height"), "querystring/height") || undefined;
    const isUnanchored = flag(query, "unanchored");
    const untilBlock = query.get("until_block") ?? undefined;
    return { address, limit: limit === 0 ? 20 : limit, offset, height, isUnanchored, untilBlock };
  },
  tag: (chain, { address }) => principalTag(chain, address),
  answer({ chain }, { address, limit, offset, ...bounds }) {
    if (decodeAddress(address.split(".")[0] ?? "") === undefined) throw badRequest(`invalid STX address "${address}"`);
    const highest = ceiling(chain, bounds);
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
