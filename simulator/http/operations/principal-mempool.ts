// The waiting transactions of a principal, and its nonces.
import type { Tx } from "../../chain/transaction.ts";
import { activityTag } from "../etag.ts";
import { operation } from "../operation.ts";
import { receiptPage, receiptsFrom } from "../paging.ts";
import { account, wholePrincipal } from "../query.ts";

// Sponsored transactions are not listed.
function isListed({ sender, payload }: Tx, principal: string): boolean {
  if (sender === principal) return true;
  if (payload.type === "token_transfer") return payload.recipient === principal;
  return (payload.type === "contract_call" || payload.type === "smart_contract") && payload.contract === principal;
}

/**
 * Waiting transactions of a principal, newest receipt first: those that it sends, receives, or whose contract it is.
 * The entity tag covers only the newest one, and no contract.
 */
export const principalMempool = operation({
  template: "/extended/v3/principals/{principal}/mempool/transactions",
  parse: ({ path, query }) => ({ principal: wholePrincipal(path.principal), page: receiptPage(query) }),
  tag: (chain, { principal }) => activityTag(chain, principal),
  respond({ chain }, { principal, page }) {
    return receiptsFrom(
      chain.mempool.byReceipt().filter((tx) => isListed(tx, principal)),
      page,
    );
  },
});

const highest = (nonces: readonly number[]) => (nonces.length === 0 ? null : Math.max(...nonces));

// Those of the transactions that an account sends or sponsors.
const noncesIn = (txs: readonly Tx[], address: string) =>
  txs.flatMap((tx) => [
    ...(tx.sender === address ? [tx.nonce] : []),
    ...(tx.sponsor === address ? [tx.sponsorNonce] : []),
  ]);

/** The nonces of an account. Pending and missing ones are empty unless one nonce is confirmed. */
export const nonces = operation({
  template: "/extended/v3/principals/{principal}/nonces",
  parse: ({ path }) => account(path.principal),
  tag: activityTag,
  respond({ chain }, address) {
    const mined = chain.ledger.principals.of(address).entries.map(({ tx }) => tx);
    const confirmed = highest(noncesIn(mined, address));
    const waiting = noncesIn([...chain.mempool.values()], address);
    const last = highest(waiting);
    const between =
      confirmed === null || last === null
        ? []
        : Array.from({ length: Math.max(0, last - confirmed - 1) }, (_, below) => last - 1 - below);
    const json = {
      next_nonce: confirmed === null && last === null ? 0 : Math.max(confirmed ?? 0, last ?? 0) + 1,
      last_confirmed_nonce: confirmed,
      mempool: {
        last_nonce: last,
        pending_nonces: between.filter((nonce) => waiting.includes(nonce)),
        missing_nonces: between.filter((nonce) => !waiting.includes(nonce)),
      },
    };
    return { status: 200, json };
  },
});
