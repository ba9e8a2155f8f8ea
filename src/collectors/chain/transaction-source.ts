// Operations that return one transaction by its id. They are not deprecated, but older servers do not offer them.
import { z } from "zod";
import { ApiError } from "../../api/errors.ts";
import { operation, type StacksApi } from "../../api/operation.ts";
import { isNotOffered } from "../../api/replacement.ts";
import type { Row } from "../../ledger/ledger.ts";

/** One transaction. Only a mined one has a block. */
export const transaction = operation({
  name: "transaction",
  path: "/extended/v3/transactions/{tx_id}",
  body: z.object({
    tx_id: z.string(),
    block: z
      .object({
        height: z.int().nonnegative(),
        hash: z.string().min(1),
        tx_index: z.int().nonnegative(),
      })
      .optional(),
  }),
});

/** A transaction: without a block, it waits. Undefined if the server does not know it, or has dropped it. */
export async function readTransaction(
  api: StacksApi,
  txId: string,
): Promise<z.infer<typeof transaction.body> | undefined> {
  return (await api.find(transaction, { path: { tx_id: txId } }))?.body;
}

/** A transaction of an operation that servers without that one offer. */
export const originalTransaction = operation({
  name: "original_transaction",
  path: "/extended/v1/tx/{tx_id}",
  body: z.object({
    block_height: z.int().optional(),
    block_hash: z.string().optional(),
    tx_index: z.int().optional(),
    canonical: z.boolean().optional(),
  }),
});

/** The place of a transaction in the chain. */
export type PlaceInChain = Pick<Row, "height" | "hash" | "index">;

/** The place of a transaction; undefined if it is in no block. */
export async function readPlaceOf(api: StacksApi, txId: string): Promise<PlaceInChain | undefined> {
  const path = { tx_id: txId };
  try {
    const block = (await readTransaction(api, txId))?.block;
    return block && { height: block.height, hash: block.hash, index: block.tx_index };
  } catch (error) {
    if (!isNotOffered(error, transaction)) throw error;
  }
  const tx = (await api.find(originalTransaction, { path }))?.body;
  if (tx?.block_height === undefined || tx.block_hash === undefined || tx.canonical === false) return undefined;
  return { height: tx.block_height, hash: tx.block_hash, index: tx.tx_index ?? 0 };
}

const principal = z.string().optional();
const moved = z.object({ sender: principal, recipient: principal, amount: z.unknown().optional() });
const asset = moved.extend({ asset_identifier: z.string() });

/** Every event of one mined transaction, in order. */
export const transactionEvents = operation({
  name: "transaction_events",
  path: "/extended/v3/transactions/{tx_id}/events",
  body: z.object({
    total: z.int().nonnegative(),
    cursor: z.object({ next: z.string().nullable() }),
    results: z.array(
      z.object({
        stx_asset: moved.optional(),
        ft_asset: asset.optional(),
        nft_asset: asset.optional(),
      }),
    ),
  }),
});

/** A movement of an asset. A mint has no sender, a burn no recipient. */
export interface AssetMove {
  readonly kind: "stx" | "ft" | "nft";
  /** Identifier of the asset; empty for STX. */
  readonly asset: string;
  readonly sender?: string | null | undefined;
  readonly recipient?: string | null | undefined;
  /** Not validated. */
  readonly amount?: unknown;
}

const PAGE = 50;
// More pages would use up the budget.
const MAX_EVENTS = 500;

/** The assets that a transaction moved; undefined if it is not mined, or has too many events. */
export async function readMoves(api: StacksApi, txId: string): Promise<readonly AssetMove[] | undefined> {
  const moves: AssetMove[] = [];
  let cursor: string | undefined;
  for (let read = 0; ; ) {
    const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const response = await api.getWhole(transactionEvents, { path: { tx_id: txId }, query }).catch(notMined);
    if (response === undefined || response.body.total > MAX_EVENTS) return undefined;
    const { results, total } = response.body;
    for (const { stx_asset, ft_asset, nft_asset } of results) {
      if (stx_asset !== undefined) moves.push({ kind: "stx", asset: "", ...stx_asset });
      if (ft_asset !== undefined) moves.push({ kind: "ft", asset: ft_asset.asset_identifier, ...ft_asset });
      if (nft_asset !== undefined) moves.push({ kind: "nft", asset: nft_asset.asset_identifier, ...nft_asset });
    }
    read += results.length;
    cursor = response.body.cursor.next ?? undefined;
    if (cursor === undefined) return read >= total ? moves : undefined;
    if (results.length === 0) throw new ApiError("bad_body", transactionEvents.name, "an empty page names a next one");
  }
}

// The server responds with 400 for a transaction in the mempool, and 404 for one that it does not know.
function notMined(error: unknown): undefined {
  if (error instanceof ApiError && !error.routeMissing && (error.status === 404 || error.status === 400))
    return undefined;
  throw error;
}
