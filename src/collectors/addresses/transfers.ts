// The transfers, mints and burns of a principal: as listed, or from the first operation that has them. The operations
// return what a block moved, what a transaction moved for a principal, and what it moved at all.
import { z } from "zod";
import { ApiError, isShortage } from "../../api/errors.ts";
import { isNotOffered, type Operation, operation, type StacksApi } from "../../api/operation.ts";
import type { Completing, Missing } from "../counting.ts";
import { isAssetId, MAX_MICROSTX, OTHER, wholeNumber } from "../values.ts";
import type { Transaction } from "./source.ts";

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
  isOptional: true,
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
  isOptional: true,
  path: "/extended/v2/addresses/{address}/transactions/{tx_id}/events",
  body: z.object({
    total: z.int().nonnegative(),
    results: z.array(z.object({ type: z.enum(KINDS), data: moved })),
  }),
});

/** Every event of a transaction. */
export const transactionEvents = operation({
  name: "transaction_events",
  isOptional: true,
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
  const { body } = await api.get(transactionsWithTransfers, { path: { principal }, query: { height } });
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
    const { total, results } = (await api.get(addressTransactionEvents, { path: { address, tx_id }, query })).body;
    return { total, count: results.length, moves: results.map(({ type, data }) => of(type)(data)) };
  });

/** What a transaction moved, if the server returns all of it. */
export const readMoves = (api: StacksApi, tx_id: string): Promise<Moves> =>
  readPages(async (_, cursor) => {
    const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const { body } = await api.get(transactionEvents, { path: { tx_id }, query });
    const moves = body.results.flatMap((event) =>
      KINDS.flatMap((kind) => {
        const move = event[`${kind}_asset`];
        return move === undefined ? [] : of(kind)(move);
      }),
    );
    return { total: body.total, count: body.results.length, moves, next: body.cursor.next };
  });

/** Moves, or whether the server can have them later. */
type Moves = readonly Move[] | Missing;

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

async function readPages(read: (offset: number, cursor: string | undefined) => Promise<EventPage>): Promise<Moves> {
  const moves: Move[] = [];
  let cursor: string | undefined;
  for (let offset = 0; ; ) {
    const page = await read(offset, cursor).catch(ifNotMined);
    // While a reorganisation moves a transaction to another block, it is not found or has no events.
    if (page === undefined || page.count === 0) return "temporary";
    if (page.total > MAX_EVENTS) return "permanent";
    moves.push(...page.moves);
    offset += page.count;
    if (offset >= page.total) return moves;
    if (page.next === null) return "temporary";
    cursor = page.next;
  }
}

// The server responds with 400 for a transaction in the mempool, and 404 for one that it does not know.
function ifNotMined(error: unknown): undefined {
  if (error instanceof ApiError && !error.routeMissing && (error.status === 404 || error.status === 400)) return;
  throw error;
}

/** Directions of a transfer, from the point of view of the principal. */
export const TRANSFER_DIRECTIONS = ["in", "out", "self", "mint", "burn"] as const;
type TransferDirection = (typeof TRANSFER_DIRECTIONS)[number];

/** A transfer, mint or burn in which the principal takes part. */
export interface Transfer {
  readonly kind: Move["kind"];
  /** Identifier of the asset; empty for STX, `other` if it is not valid. */
  readonly asset: string;
  readonly direction: TransferDirection;
  /** MicroSTX, or base units of the token; undefined if it is not an integer. 1 for an NFT. */
  readonly amount: bigint | undefined;
}

/** A transaction, and its transfers after they were read. */
export interface WholeTransaction extends Transaction {
  readonly transfers?: readonly Transfer[];
}

/** The operations that return transfers, the one that costs least first. */
export const transferOperations: readonly Operation[] = [
  transactionsWithTransfers,
  addressTransactionEvents,
  transactionEvents,
];

/** Maximum number of requests for transfers in one poll. More would exceed its deadline. */
export const MAX_REQUESTS = 60;

/** Adds their transfers to transactions. They have none once every operation that returns transfers is retired. */
export function withTransfers(api: StacksApi, principal: string): Completing<WholeTransaction> {
  let requests = 0;
  const requested = <Result>(read: () => Promise<Result>): Promise<Result> => {
    requests += 1;
    if (requests > MAX_REQUESTS) throw new ApiError("budget", transactionEvents.name, "too many for one poll");
    return read();
  };
  let block: { readonly hash: string; readonly moves: ReadonlyMap<string, readonly Move[]> } | undefined;
  const reads = new Map<Operation, (tx: Transaction) => Promise<Moves>>([
    [
      transactionsWithTransfers,
      async (tx) => {
        if (block?.hash !== tx.hash)
          block = { hash: tx.hash, moves: await requested(() => readBlockMoves(api, principal, tx)) };
        return block.moves.get(tx.id) ?? "temporary";
      },
    ],
    [addressTransactionEvents, ({ id }) => requested(() => readAddressMoves(api, principal, id))],
    [transactionEvents, ({ id }) => requested(() => readMoves(api, id))],
  ]);
  for (const from of reads.keys()) if (api.isRetired(from)) reads.delete(from);

  const isNoneOffered = () => transferOperations.every((one) => api.isRetired(one));

  /** The transfers of a transaction, if a response has them. */
  async function transfersOf(tx: Transaction): Promise<readonly Transfer[] | Missing> {
    let missing: Missing = "temporary";
    const listed = isNoneOffered() ? [] : listedTransfers(principal, tx);
    if (listed !== undefined) return listed;
    for (const [from, read] of reads) {
      try {
        const moves = await read(tx);
        if (typeof moves === "object") return toTransfers(moves, principal, api, from);
        missing = moves;
      } catch (error) {
        // Servers read all transfers of the principal for those of a block, which can take too long, or be too large.
        const reason = error instanceof ApiError ? error.reason : undefined;
        const isOptional = reads.size > 1 && (reason === "http_server" || reason === "timeout");
        if (reason !== "too_large" && !isOptional && !isNotOffered(error, from)) throw error;
        if (reason === "too_large") missing = "permanent";
        if (reason !== "too_large" || reads.size > 1) reads.delete(from);
      }
    }
    return isNoneOffered() ? [] : missing;
  }

  return async (transactions) => {
    const rows: WholeTransaction[] = [];
    try {
      for (const tx of transactions) {
        const transfers = await transfersOf(tx);
        if (typeof transfers === "string") return { rows, missing: transfers };
        rows.push({ ...tx, transfers });
      }
    } catch (error) {
      if (!isShortage(error)) throw error;
    }
    return { rows };
  };
}

/** The transfers of a transaction as listed; undefined when they have to be read. */
function listedTransfers(principal: string, { moved, transfer, sender }: Transaction): readonly Transfer[] | undefined {
  if (moved === "none") return [];
  const direction = transfer && directionOf(principal, { sender, recipient: transfer.recipient });
  if (moved === "any" || transfer === undefined || direction === undefined) return undefined;
  return [{ kind: "stx", asset: "", direction, amount: transfer.amount }];
}

/** The moves in which the principal takes part. */
function toTransfers(moves: readonly Move[], principal: string, api: StacksApi, from: Operation): Transfer[] {
  return moves.flatMap((move): Transfer | [] => {
    const { kind, asset_identifier = "", amount } = move;
    const direction = directionOf(principal, move);
    if (direction === undefined) return [];
    const asset = kind === "stx" ? "" : isAssetId(asset_identifier) ? asset_identifier : OTHER;
    const max = kind === "stx" ? MAX_MICROSTX : undefined;
    const units = kind === "nft" ? 1n : wholeNumber(amount, api, from, `${kind}_transfers.amount`, max);
    return { kind, asset, direction, amount: units };
  });
}

/** The direction; undefined if the principal does not take part. An absent or empty side is a mint or a burn. */
function directionOf(
  principal: string,
  { sender, recipient }: Pick<Move, "sender" | "recipient">,
): TransferDirection | undefined {
  if (sender === principal) return recipient === principal ? "self" : recipient ? "out" : "burn";
  if (recipient !== principal) return undefined;
  return sender ? "in" : "mint";
}
