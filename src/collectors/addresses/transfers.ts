// Transfers of a principal, mints and burns among them: as operation 4.5 lists them for one block, or 4.3 for one transaction.
import { z } from "zod";
import { ApiError } from "../../api/errors.ts";
import { type Operation, operation, type StacksApi } from "../../api/operation.ts";
import { type AssetMove, readMoves, transactionEvents } from "../chain/transaction-source.ts";
import { isAssetId, isPrincipal } from "../clarity-names.ts";
import { OTHER } from "../labels.ts";
import { wholeNumber } from "./source.ts";

/** Directions of a transfer as the principal sees it. */
export const TRANSFER_DIRECTIONS = ["in", "out", "self", "mint", "burn"] as const;
export type TransferDirection = (typeof TRANSFER_DIRECTIONS)[number];

/** One movement of an asset in which the principal takes part. */
export interface Transfer {
  readonly kind: "stx" | "ft" | "nft";
  /** Identifier of the asset; empty for STX, `other` when what the answer has is none. */
  readonly asset: string;
  readonly direction: TransferDirection;
  /** MicroSTX, or base units of the token; undefined where the answer had no whole number. 1 for an NFT. */
  readonly amount: bigint | undefined;
  /** The principal on the other side; undefined where there is none. */
  readonly other: string | undefined;
}

const side = z.string().nullish();
const moved = z.object({ amount: z.unknown(), sender: side, recipient: side });

/** Operation 4.5; with `height` it returns the whole block, whatever the limit. */
export const transactionsWithTransfers = operation({
  name: "transactions_with_transfers",
  replacement: { name: "transaction_events" },
  path: "/extended/v1/address/{principal}/transactions_with_transfers",
  body: z.object({
    results: z.array(
      z.object({
        tx: z.object({ tx_id: z.string(), block_hash: z.string() }),
        stx_transfers: z.array(moved),
        ft_transfers: z.array(moved.extend({ asset_identifier: z.string() })).default([]),
        nft_transfers: z.array(z.object({ asset_identifier: z.string(), sender: side, recipient: side })).default([]),
      }),
    ),
  }),
});

/** Operation 4.3: only events in which the principal takes part. A mint has no sender, a burn no recipient. */
export const addressTransactionEvents = operation({
  name: "address_transaction_events",
  replacement: { name: "transaction_events" },
  path: "/extended/v2/addresses/{address}/transactions/{tx_id}/events",
  body: z.object({
    total: z.int().nonnegative(),
    results: z.array(
      z.object({
        type: z.enum(["stx", "ft", "nft"]),
        data: z.object({
          asset_identifier: z.string().optional(),
          amount: z.unknown().optional(),
          sender: side,
          recipient: side,
        }),
      }),
    ),
  }),
});

/** How the principal takes part; undefined when it does not. An absent or empty side is a mint or a burn. */
export function directionOf(
  principal: string,
  sender: string | null | undefined,
  recipient: string | null | undefined,
): TransferDirection | undefined {
  if (sender === principal) return recipient === principal ? "self" : recipient ? "out" : "burn";
  if (recipient !== principal) return undefined;
  return sender ? "in" : "mint";
}

/** What a movement is to the principal; undefined when it does not take part. */
function transferOf(
  { kind, asset, sender, recipient, amount }: AssetMove,
  principal: string,
  api: StacksApi,
  from: Operation,
): Transfer | undefined {
  const direction = directionOf(principal, sender, recipient);
  if (direction === undefined) return undefined;
  const other = direction === "out" ? recipient : direction === "in" ? sender : undefined;
  const whole = kind === "nft" ? 1n : wholeNumber(amount, api, from, `${kind}_transfers.amount`);
  return {
    kind,
    asset: kind === "stx" ? "" : isAssetId(asset) ? asset : OTHER,
    direction,
    amount: whole,
    other: other && isPrincipal(other) ? other : undefined,
  };
}

/** The transfers of a block's transactions, by transaction (4.5). */
export async function readTransfers(
  api: StacksApi,
  principal: string,
  height: number,
  hash: string,
): Promise<ReadonlyMap<string, readonly Transfer[]>> {
  const { body } = await api.getWhole(transactionsWithTransfers, { path: { principal }, query: { height } });
  // A server that is behind can still have another block at this height.
  const ofTheBlock = body.results.filter(({ tx }) => tx.block_hash === hash);
  return new Map(
    ofTheBlock.map(({ tx, stx_transfers, ft_transfers, nft_transfers }) => {
      const movements: AssetMove[] = [
        ...stx_transfers.map((item) => ({ kind: "stx" as const, asset: "", ...item })),
        ...ft_transfers.map((item) => ({ kind: "ft" as const, asset: item.asset_identifier, ...item })),
        ...nft_transfers.map((item) => ({ kind: "nft" as const, asset: item.asset_identifier, ...item })),
      ];
      return [tx.tx_id, toTransfers(movements, principal, api, transactionsWithTransfers)];
    }),
  );
}

const EVENTS_PAGE = 50;
// A transaction that moves more than this for one principal is no transfer any more, and its pages would eat the budget.
const MOST_EVENTS = 500;

/** The transfers of one transaction that has some (4.3); undefined when the server does not tell all of them. */
export async function readEvents(
  api: StacksApi,
  principal: string,
  txId: string,
): Promise<readonly Transfer[] | undefined> {
  const movements: AssetMove[] = [];
  for (;;) {
    const path = { address: principal, tx_id: txId };
    const query = { limit: EVENTS_PAGE, offset: movements.length };
    const answer = await api.getWhole(addressTransactionEvents, { path, query }).catch((error: unknown) => {
      if (error instanceof ApiError && error.reason === "not_found") return undefined;
      throw error;
    });
    // A transaction that is on its way to another block is not found, or has no events for a moment.
    if (answer === undefined || answer.body.results.length === 0 || answer.body.total > MOST_EVENTS) return undefined;
    const { total, results } = answer.body;
    movements.push(...results.map(({ type, data }) => ({ kind: type, asset: data.asset_identifier ?? "", ...data })));
    if (movements.length >= total) return toTransfers(movements, principal, api, addressTransactionEvents);
  }
}

/** The transfers of one transaction, from all of its events; undefined when the server does not tell them. */
export async function readTransfersOf(
  api: StacksApi,
  principal: string,
  txId: string,
): Promise<readonly Transfer[] | undefined> {
  const moves = await readMoves(api, txId);
  return moves && toTransfers(moves, principal, api, transactionEvents);
}

function toTransfers(movements: readonly AssetMove[], principal: string, api: StacksApi, from: Operation): Transfer[] {
  return movements
    .map((movement) => transferOf(movement, principal, api, from))
    .filter((transfer) => transfer !== undefined);
}
