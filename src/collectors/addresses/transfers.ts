// Reads the transfers, mints and burns of a principal: from the list itself, by block, by transaction of the principal,
// or from all events of a transaction.
import { z } from "zod";
import { ApiError, isShortage } from "../../api/errors.ts";
import { type Operation, operation, type StacksApi } from "../../api/operation.ts";

import { isNotOffered } from "../../api/replacement.ts";
import { MAX_MICROSTX, wholeNumber } from "../amounts.ts";

import { type AssetMove, readMoves, transactionEvents } from "../chain/transaction-source.ts";
import { isAssetId } from "../clarity-names.ts";
import type { Completing } from "../counting.ts";
import { OTHER } from "../labels.ts";
import type { Transaction } from "./source.ts";

/** Directions of a transfer, from the point of view of the principal. */
export const TRANSFER_DIRECTIONS = ["in", "out", "self", "mint", "burn"] as const;
type TransferDirection = (typeof TRANSFER_DIRECTIONS)[number];

/** A transfer, mint or burn in which the principal takes part. */
export interface Transfer {
  readonly kind: "stx" | "ft" | "nft";
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

const side = z.string().nullish();
const moved = z.object({ amount: z.unknown(), sender: side, recipient: side });

/** The transfers of a block. With `height`, the server returns the whole block and ignores the limit. */
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

/** The events of a transaction in which the principal takes part. A mint has no sender, a burn no recipient. */
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

/** The direction; undefined if the principal does not take part. An absent or empty side is a mint or a burn. */
function transferDirection(
  principal: string,
  sender: string | null | undefined,
  recipient: string | null | undefined,
): TransferDirection | undefined {
  if (sender === principal) return recipient === principal ? "self" : recipient ? "out" : "burn";
  if (recipient !== principal) return undefined;
  return sender ? "in" : "mint";
}

type Listed = z.infer<typeof transactionsWithTransfers.body>["results"][number];

function transfersIn(item: Listed, principal: string, api: StacksApi): Transfer[] {
  const { stx_transfers, ft_transfers, nft_transfers } = item;
  const moves: AssetMove[] = [
    ...stx_transfers.map((move) => ({ kind: "stx" as const, asset: "", ...move })),
    ...ft_transfers.map((move) => ({ kind: "ft" as const, asset: move.asset_identifier, ...move })),
    ...nft_transfers.map((move) => ({ kind: "nft" as const, asset: move.asset_identifier, ...move })),
  ];
  return toTransfers(moves, principal, api, transactionsWithTransfers);
}

/** The transfers of a block's transactions, by transaction id (`transactions_with_transfers`). */
async function readBlockTransfers(
  api: StacksApi,
  principal: string,
  height: number,
  hash: string,
): Promise<ReadonlyMap<string, readonly Transfer[]>> {
  const { body } = await api.getWhole(transactionsWithTransfers, { path: { principal }, query: { height } });
  // A lagging server can still have another block at this height.
  const results = body.results.filter(({ tx }) => tx.block_hash === hash);
  return new Map(results.map((item) => [item.tx.tx_id, transfersIn(item, principal, api)]));
}

const EVENTS_PAGE = 50;
// Pages of more events would use up the budget.
const MAX_EVENTS = 500;

/** The transfers of one transaction that has some; undefined if the server does not return all of them. */
async function readAddressEvents(
  api: StacksApi,
  principal: string,
  txId: string,
): Promise<readonly Transfer[] | undefined> {
  const moves: AssetMove[] = [];
  for (;;) {
    const path = { address: principal, tx_id: txId };
    const query = { limit: EVENTS_PAGE, offset: moves.length };
    const response = await api.getWhole(addressTransactionEvents, { path, query }).catch((error: unknown) => {
      if (error instanceof ApiError && error.reason === "not_found") return undefined;
      throw error;
    });
    // While a reorganisation moves a transaction to another block, it is not found or has no events.
    if (response === undefined || response.body.results.length === 0) return undefined;
    const { total, results } = response.body;
    if (total > MAX_EVENTS) return undefined;
    moves.push(...results.map(({ type, data }) => ({ kind: type, asset: data.asset_identifier ?? "", ...data })));
    if (moves.length >= total) return toTransfers(moves, principal, api, addressTransactionEvents);
  }
}

/** The transfers of one transaction, from all of its events; undefined if the server does not return them. */
async function readTransactionEvents(
  api: StacksApi,
  principal: string,
  txId: string,
): Promise<readonly Transfer[] | undefined> {
  const moves = await readMoves(api, txId);
  return moves && toTransfers(moves, principal, api, transactionEvents);
}

/** The moves in which the principal takes part. */
function toTransfers(moves: readonly AssetMove[], principal: string, api: StacksApi, from: Operation): Transfer[] {
  return moves.flatMap(({ kind, asset, sender, recipient, amount }) => {
    const direction = transferDirection(principal, sender, recipient);
    if (direction === undefined) return [];
    return {
      kind,
      asset: kind === "stx" ? "" : isAssetId(asset) ? asset : OTHER,
      direction,
      amount:
        kind === "nft"
          ? 1n
          : wholeNumber(amount, api, from, `${kind}_transfers.amount`, kind === "stx" ? MAX_MICROSTX : undefined),
    };
  });
}

/** The operations that return transfers, the one that costs least first. */
export const transferOperations: readonly Operation[] = [
  transactionsWithTransfers,
  addressTransactionEvents,
  transactionEvents,
];

/** Maximum number of requests for transfers in one poll. More would exceed its deadline. */
export const MAX_REQUESTS = 60;

/** Adds their transfers to transactions. Without an operation that returns transfers, they have none. */
export function withTransfers(api: StacksApi, principal: string): Completing<WholeTransaction> {
  let requests = MAX_REQUESTS;
  let block: { readonly hash: string; readonly transfers: ReadonlyMap<string, readonly Transfer[]> } | undefined;
  const sources: readonly ((tx: Transaction) => Promise<readonly Transfer[] | undefined>)[] = [
    async ({ id, hash, height }) => {
      if (block?.hash !== hash) {
        requests -= 1;
        block = { hash, transfers: await readBlockTransfers(api, principal, height, hash) };
      }
      return block.transfers.get(id);
    },
    ({ id }) => {
      requests -= 1;
      return readAddressEvents(api, principal, id);
    },
    ({ id }) => {
      requests -= 1;
      return readTransactionEvents(api, principal, id);
    },
  ];
  const offered = new Map(
    transferOperations.flatMap((from, index) => (api.isRetired(from) ? [] : [[from, sources[index]] as const])),
  );

  /** The transfers of a transaction, from the first operation that has them; undefined if none has. */
  async function read(tx: Transaction): Promise<readonly Transfer[] | undefined> {
    for (const [from, source] of offered) {
      try {
        const transfers = await source?.(tx);
        if (transfers !== undefined) return transfers;
      } catch (error) {
        if (!isNotOffered(error, from)) throw error;
        offered.delete(from);
      }
    }
    return undefined;
  }

  return async (transactions) => {
    const rows: WholeTransaction[] = [];
    for (const tx of transactions) {
      let transfers = offered.size === 0 ? [] : listedTransfers(principal, tx);
      if (transfers === undefined) {
        if (requests <= 0) return { rows, isMissing: false };
        try {
          transfers = await read(tx);
        } catch (error) {
          if (!isShortage(error)) throw error;
          return { rows, isMissing: false };
        }
        if (offered.size === 0) transfers = [];
        if (transfers === undefined) return { rows, isMissing: true };
      }
      rows.push({ ...tx, transfers });
    }
    return { rows, isMissing: false };
  };
}

/** The transfers of a transaction as listed; undefined when they have to be read. */
function listedTransfers(principal: string, { moved, transfer, sender }: Transaction): readonly Transfer[] | undefined {
  if (moved === "none") return [];
  const direction = transfer && transferDirection(principal, sender, transfer.recipient);
  if (moved === "any" || transfer === undefined || direction === undefined) return undefined;
  return [{ kind: "stx", asset: "", direction, amount: transfer.amount }];
}
