// Deprecated: the transactions of a principal with its transfers. The only operation that verifies checksums.
import type { Place } from "../../chain/block.ts";
import { decodeAddress } from "../../chain/c32.ts";
import type { View } from "../../chain/records.ts";
import { parties } from "../../chain/transaction.ts";
import { withTransfersJson } from "../../json/principal.ts";
import { principalTag } from "../etag.ts";
import { badRequest } from "../http-error.ts";
import { operation } from "../operation.ts";
import { newestFirst } from "../paging.ts";
import { checkOffset, integer, page, principal } from "../query.ts";

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
  }),
  tag: (chain, { address }) => principalTag(chain, address),
  respond({ chain }, { address, limit, offset, height }) {
    if (decodeAddress(address.split(".")[0] ?? "") === undefined) throw badRequest(`invalid STX address "${address}"`);
    checkOffset(offset);
    const { entries, total } = listed(chain, address);
    const places =
      height === undefined
        ? newestFirst(entries, offset, limit)
        : entries.filter(({ block }) => block.height === height).reverse();
    const count = height === undefined ? total : places.length;
    const results = places.map((place) => withTransfersJson(place, address));
    return { status: 200, json: { limit, offset, total: results.length === 0 ? 0 : count, results } };
  },
});
