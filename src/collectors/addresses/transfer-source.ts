// The operations that return what transactions moved: of a block, of a transaction as far as it concerns a principal,
// and of a whole transaction.
import { z } from "zod";
import { ApiError } from "../../api/errors.ts";
import { operation, type StacksApi } from "../../api/operation.ts";

const KINDS = ["stx", "ft", "nft"] as const;
const side = z.string().nullish();
const moved = z.object({
  sender: side,
  recipient: side,
  amount: z.unknown().optional(),
  asset_identifier: z.string().optional(),
});

/** A transfer, mint or burn. A mint has no sender, a burn no recipient. */
export interface Move extends z.infer<typeof moved> {
  readonly kind: (typeof KINDS)[number];
}

/** The transfers of a block. With `height`, the server returns the whole block and ignores the limit. */
export const transactionsWithTransfers = operation({
  name: "transactions_with_transfers",
  replacement: "transaction_events",
  path: "/extended/v1/address/{principal}/transactions_with_transfers",
  body: z.object({
    results: z.array(
      z.object({
        tx: z.object({ tx_id: z.string(), block_hash: z.string() }),
        stx_transfers: z.array(moved),
        ft_transfers: z.array(moved).default([]),
        nft_transfers: z.array(moved).default([]),
      }),
    ),
  }),
});

/** The events of a transaction in which the principal takes part. */
export const addressTransactionEvents = operation({
  name: "address_transaction_events",
  replacement: "transaction_events",
  path: "/extended/v2/addresses/{address}/transactions/{tx_id}/events",
  body: z.object({
    total: z.int().nonnegative(),
    results: z.array(z.object({ type: z.enum(KINDS), data: moved })),
  }),
});

/** Every event of a transaction. */
export const transactionEvents = operation({
  name: "transaction_events",
  path: "/extended/v3/transactions/{tx_id}/events",
  body: z.object({
    total: z.int().nonnegative(),
    cursor: z.object({ next: z.string().nullable() }),
    results: z.array(
      z.object({ stx_asset: moved.optional(), ft_asset: moved.optional(), nft_asset: moved.optional() }),
    ),
  }),
});

/** What the transactions of a block moved for a principal, by transaction id. */
export async function readBlockMoves(
  api: StacksApi,
  principal: string,
  { height, hash }: { readonly height: number; readonly hash: string },
): Promise<ReadonlyMap<string, readonly Move[]>> {
  const { body } = await api.getWhole(transactionsWithTransfers, { path: { principal }, query: { height } });
  // A lagging server can still have another block at this height.
  const results = body.results.filter(({ tx }) => tx.block_hash === hash);
  return new Map(
    results.map((item) => [item.tx.tx_id, KINDS.flatMap((kind) => item[`${kind}_transfers`].map(of(kind)))]),
  );
}

/** What a transaction moved for a principal; undefined if the server does not return all of it. */
export const readAddressMoves = (api: StacksApi, address: string, tx_id: string): Promise<Moves> =>
  readPages(async (offset) => {
    const query = { limit: PAGE, offset };
    const { total, results } = (await api.getWhole(addressTransactionEvents, { path: { address, tx_id }, query })).body;
    return { total, count: results.length, moves: results.map(({ type, data }) => of(type)(data)) };
  });

/** What a transaction moved; undefined if the server does not return all of it. */
export const readMoves = (api: StacksApi, tx_id: string): Promise<Moves> =>
  readPages(async (_, cursor) => {
    const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const { body } = await api.getWhole(transactionEvents, { path: { tx_id }, query });
    const moves = body.results.flatMap((event) =>
      KINDS.flatMap((kind) => {
        const move = event[`${kind}_asset`];
        return move === undefined ? [] : of(kind)(move);
      }),
    );
    return { total: body.total, count: body.results.length, moves, next: body.cursor.next };
  });

type Moves = readonly Move[] | undefined;

const of =
  (kind: Move["kind"]) =>
  (move: z.infer<typeof moved>): Move => ({ kind, ...move });

const PAGE = 50;
// More pages would use up the budget.
const MAX_EVENTS = 500;

interface EventPage {
  readonly total: number;
  /** Number of events on the page. */
  readonly count: number;
  readonly moves: readonly Move[];
  /** Of a list with cursors. */
  readonly next?: string | null;
}

/** Reads all pages of the events of a transaction. */
async function readPages(read: (offset: number, cursor: string | undefined) => Promise<EventPage>): Promise<Moves> {
  const moves: Move[] = [];
  let cursor: string | undefined;
  for (let offset = 0; ; ) {
    const page = await read(offset, cursor).catch(ifNotMined);
    // While a reorganisation moves a transaction to another block, it is not found or has no events.
    if (page === undefined || page.count === 0 || page.total > MAX_EVENTS) return undefined;
    moves.push(...page.moves);
    offset += page.count;
    if (offset >= page.total) return moves;
    if (page.next === null) return undefined;
    cursor = page.next;
  }
}

// The server responds with 400 for a transaction in the mempool, and 404 for one that it does not know.
function ifNotMined(error: unknown): undefined {
  if (error instanceof ApiError && !error.routeMissing && (error.status === 404 || error.status === 400)) return;
  throw error;
}
