// The transfers, mints and burns of a principal: as listed, or from the first operation that has them.
import { ApiError, isShortage } from "../../api/errors.ts";
import type { Operation, StacksApi } from "../../api/operation.ts";
import { isNotOffered } from "../../api/operation.ts";
import { MAX_MICROSTX, wholeNumber } from "../amounts.ts";
import { isAssetId } from "../clarity-names.ts";
import type { Completing } from "../counting.ts";
import { OTHER } from "../labels.ts";
import type { Transaction } from "./source.ts";
import {
  addressTransactionEvents,
  type Move,
  readAddressMoves,
  readBlockMoves,
  readMoves,
  transactionEvents,
  transactionsWithTransfers,
} from "./transfer-source.ts";

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

/** Adds their transfers to transactions. Without an operation that returns transfers, they have none. */
export function withTransfers(api: StacksApi, principal: string): Completing<WholeTransaction> {
  let requests = 0;
  const requested = <Result>(read: () => Promise<Result>): Promise<Result> => {
    requests += 1;
    if (requests > MAX_REQUESTS) throw new ApiError("budget", transactionEvents.name, "too many for one poll");
    return read();
  };
  let block: { readonly hash: string; readonly moves: ReadonlyMap<string, readonly Move[]> } | undefined;
  const reads = new Map<Operation, (tx: Transaction) => Promise<readonly Move[] | undefined>>([
    [
      transactionsWithTransfers,
      async (tx) => {
        if (block?.hash !== tx.hash)
          block = { hash: tx.hash, moves: await requested(() => readBlockMoves(api, principal, tx)) };
        return block.moves.get(tx.id);
      },
    ],
    [addressTransactionEvents, ({ id }) => requested(() => readAddressMoves(api, principal, id))],
    [transactionEvents, ({ id }) => requested(() => readMoves(api, id))],
  ]);
  for (const from of reads.keys()) if (api.isRetired(from)) reads.delete(from);

  /** The transfers of a transaction; undefined if no response has them. */
  async function transfersOf(tx: Transaction): Promise<readonly Transfer[] | undefined> {
    const listed = reads.size === 0 ? [] : listedTransfers(principal, tx);
    if (listed !== undefined) return listed;
    for (const [from, read] of reads) {
      try {
        const moves = await read(tx);
        if (moves !== undefined) return toTransfers(moves, principal, api, from);
      } catch (error) {
        if (!isNotOffered(error, from)) throw error;
        reads.delete(from);
      }
    }
    return reads.size === 0 ? [] : undefined;
  }

  return async (transactions) => {
    const rows: WholeTransaction[] = [];
    try {
      for (const tx of transactions) {
        const transfers = await transfersOf(tx);
        if (transfers === undefined) return { rows, isMissing: true };
        rows.push({ ...tx, transfers });
      }
    } catch (error) {
      if (!isShortage(error)) throw error;
    }
    return { rows, isMissing: false };
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
