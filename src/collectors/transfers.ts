// Transfers of a principal, mints and burns among them: as operation 4.5 lists them for one block.
import { z } from "zod";
import { operation, type StacksApi } from "../api/operation.ts";
import { wholeNumber } from "./address-source.ts";

/** Directions of a transfer as the principal sees it. */
export const TRANSFER_DIRECTIONS = ["in", "out", "self", "mint", "burn"] as const;
export type TransferDirection = (typeof TRANSFER_DIRECTIONS)[number];

/** One movement of an asset in which the principal takes part. */
export interface Transfer {
  readonly kind: "stx" | "ft" | "nft";
  /** Identifier of the asset; empty for STX. */
  readonly asset: string;
  readonly direction: TransferDirection;
  /** MicroSTX, or base units of the token; undefined where the answer had no whole number. 1 for an NFT. */
  readonly amount: bigint | undefined;
  /** Who is on the other side; undefined where there is nobody. */
  readonly other: string | undefined;
}

const side = z.string().nullish();
const moved = z.object({ amount: z.unknown(), sender: side, recipient: side });

/** Operation 4.5; with `height` it returns the whole block, whatever the limit. */
export const transactionsWithTransfers = operation({
  name: "transactions_with_transfers",
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

/** The transfers of a block's transactions, by transaction. */
export async function readTransfers(
  api: StacksApi,
  principal: string,
  height: number,
): Promise<ReadonlyMap<string, readonly Transfer[]>> {
  const { body } = await api.getWhole(transactionsWithTransfers, { path: { principal }, query: { height } });
  const whole = (value: unknown, field: string) => wholeNumber(value, api, transactionsWithTransfers, field);
  const found = new Map<string, readonly Transfer[]>();
  for (const { tx, stx_transfers, ft_transfers, nft_transfers } of body.results) {
    const transfers: Transfer[] = [];
    const add = (kind: Transfer["kind"], asset: string, item: z.infer<typeof moved>, amount: bigint | undefined) => {
      const direction = directionOf(principal, item.sender, item.recipient);
      if (direction === undefined) return;
      const other = direction === "out" ? item.recipient : direction === "in" ? item.sender : undefined;
      transfers.push({ kind, asset, direction, amount, other: other ?? undefined });
    };
    for (const item of stx_transfers) add("stx", "", item, whole(item.amount, "stx_transfers.amount"));
    for (const item of ft_transfers) add("ft", item.asset_identifier, item, whole(item.amount, "ft_transfers.amount"));
    for (const item of nft_transfers) add("nft", item.asset_identifier, { ...item, amount: undefined }, 1n);
    found.set(tx.tx_id, transfers);
  }
  return found;
}
