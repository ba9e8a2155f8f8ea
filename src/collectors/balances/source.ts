// The operations that return the balances of a principal. They return neither height nor time.
import { z } from "zod";
import { operation, type StacksApi } from "../../api/operation.ts";
import { amount, microStx } from "../values.ts";

// The API shows a lock for one burn block longer than the node. What is sent in it makes the difference negative.
const negative = z.string().regex(/^-\d{1,16}$/);

const stxBody = z.object({
  balance: microStx,
  /** Undefined if more is locked than there is. */
  available: negative.transform(() => undefined).or(microStx),
  locked: z.object({ burn_unlock_height: z.int().nonnegative() }).nullable(),
  mempool: z.object({ inbound: microStx, outbound: microStx }).nullable(),
});

/** STX of a principal. Its validator covers the newest mined and the newest waiting transaction, and the lock. */
export const stxBalance = operation({
  name: "stx_balance",
  path: "/extended/v3/principals/{principal}/balances/stx",
  isOptional: true,
  body: stxBody,
  maxBodyBytes: 2 ** 16,
});

/** Fungible tokens of a principal, largest balance first. Its validator covers the newest mined transaction. */
export const tokenBalances = operation({
  name: "token_balances",
  path: "/extended/v3/principals/{principal}/balances/ft",
  isOptional: true,
  body: z.object({
    cursor: z.object({ next: z.string().nullable() }),
    results: z.array(z.object({ asset_identifier: z.string(), balance: amount })),
  }),
  maxBodyBytes: 2 ** 20,
});

/** Amounts in microSTX. */
export type StxBalance = z.infer<typeof stxBody>;

/** Balances in base units, by asset. */
export type Tokens = Readonly<Record<string, bigint>>;

// Anyone can send tokens: a wallet can hold thousands, with larger balances than those that matter.
const MAX_PAGES = 10;

/**
 * Reads the balances of some tokens: 0 if not held, absent if not found in the pages that were read. Without any, it
 * sends no request. `isMixed`: the list changed between two pages, so that an asset can be in none of them.
 */
export async function readTokens(api: StacksApi, principal: string, assets: readonly string[]) {
  const tokens: Record<string, bigint> = {};
  const missing = new Set(assets);
  let cursor: string | undefined;
  let etag: string | undefined;
  for (let pages = 0; missing.size > 0 && pages < MAX_PAGES; pages += 1) {
    const query: { cursor?: string } = cursor === undefined ? {} : { cursor };
    const page = await api.get(tokenBalances, { path: { principal }, query });
    if (pages > 0 && page.etag !== etag) return { tokens, isMixed: true };
    for (const { asset_identifier: asset, balance } of page.body.results) {
      if (missing.delete(asset)) tokens[asset] = balance;
    }
    etag = page.etag;
    cursor = page.body.cursor.next ?? undefined;
    if (cursor === undefined) {
      for (const asset of missing) tokens[asset] = 0n;
      break;
    }
  }
  return { tokens, isMixed: false };
}
