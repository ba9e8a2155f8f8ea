// The operation that lists the waiting transactions of the chain, and how responses with waiting transactions become
// transactions.
import { z } from "zod";
import { ApiError, isShortage } from "../../api/errors.ts";
import { type Operation, operation, type Parameters, type StacksApi } from "../../api/operation.ts";
import { hash } from "../../chain/block-source.ts";
import { contractCall, functionOf } from "../transaction.ts";
import { feeOf, isEnumValue, isPrincipal, OTHER, TX_TYPES } from "../values.ts";
import type { Waiting } from "./estimate.ts";

/** A waiting transaction. */
export interface WaitingTransaction extends Waiting {
  readonly id: string;
  /** A sender and a nonce have at most one mined transaction. */
  readonly sender: string;
  readonly nonce: number;
  /** Recipient of a transfer, or the called or deployed contract; undefined if there is none, or it is not valid. */
  readonly receiver: string | undefined;
  /** The function of a contract_call: `contract::function`. */
  readonly calledFunction?: string | undefined;
}

const natural = z.int().nonnegative();
// Checked when it is used: one that is not valid must not invalidate the page.
const contract = z.object({ contract_id: z.string() }).optional().catch(undefined);

/** A page of waiting transactions. */
export const waitingBody = z.object({
  cursor: z.object({ next: z.string().max(100).nullable() }),
  results: z.array(
    z.object({
      tx_id: hash,
      type: z.string(),
      sender: z.object({ address: z.string().max(128), nonce: natural }),
      fee_rate: z.unknown(),
      receipt_time: natural,
      token_transfer: z.object({ recipient: z.string() }).optional().catch(undefined),
      contract_call: contractCall,
      smart_contract: contract,
    }),
  ),
});

type Body = z.infer<typeof waitingBody>;

/** The waiting transactions of the chain, newest receipt first. Servers of older versions lack it. */
export const waitingTransactions = operation({
  name: "mempool_transactions",
  path: "/extended/v3/mempool/transactions",
  isOptional: true,
  body: waitingBody,
});

// Maximum number of transactions on one page, and of pages of one read.
const PAGE = 50;
const MAX_PAGES = 20;

/** What a read has found. */
export interface WaitingRead {
  /** Newest first, each once. The list moves while it is read, so pages overlap. */
  readonly rows: readonly WaitingTransaction[];
  /** The end of the list was reached; undefined if a request failed before. */
  readonly isWhole: boolean | undefined;
}

// Half of the budget is left to others.
const pagesOf = (api: StacksApi): number => Math.max(1, Math.min(MAX_PAGES, Math.floor(api.room() / 2)));

/** Whether a read now could return more waiting transactions than these. */
export const canReadMoreThan = (count: number, api: StacksApi): boolean =>
  count < MAX_PAGES * PAGE && count < pagesOf(api) * PAGE;

/**
 * Reads waiting transactions from the newest one down. Without the rest if the budget ends, or the list changes.
 * @param isEnd whether a row and everything below it are known
 * @throws ApiError `bad_body` if the server ignores the cursor
 */
export async function readWaiting<const Path extends string>(
  api: StacksApi,
  operation: Operation<Path, Body>,
  path: Parameters<Path>["path"],
  isEnd: (row: WaitingTransaction) => boolean = () => false,
): Promise<WaitingRead> {
  const rows = new Map<string, WaitingTransaction>();
  let cursor: string | undefined;
  for (let left = pagesOf(api); left > 0; left -= 1) {
    try {
      const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
      const { body } = await api.get(operation, { path, query });
      const page = body.results.map((item) => toTransaction(item, api, operation));
      if (cursor !== undefined && (page[0]?.receivedAt ?? 0) > Number(cursor.split(":")[0]))
        throw new ApiError("bad_body", operation.name, "a page begins above its cursor");
      for (const row of page) rows.set(row.id, row);
      cursor = body.cursor.next ?? undefined;
      const isWhole = cursor === undefined;
      if (isWhole || page.some(isEnd)) return { rows: [...rows.values()], isWhole };
    } catch (error) {
      // The transaction of a cursor can be gone.
      const isPartial = isShortage(error) || (error instanceof ApiError && error.reason === "not_found");
      if (cursor === undefined || !isPartial) throw error;
      return { rows: [...rows.values()], isWhole: undefined };
    }
  }
  return { rows: [...rows.values()], isWhole: false };
}

function toTransaction(tx: Body["results"][number], api: StacksApi, from: Operation): WaitingTransaction {
  if (!(TX_TYPES as readonly string[]).includes(tx.type)) api.noteDrift(from, "type", "enum");
  const receiver =
    tx.token_transfer?.recipient ?? tx.contract_call?.contract_id ?? tx.smart_contract?.contract_id ?? "";
  return {
    id: tx.tx_id,
    type: isEnumValue(tx.type) ? tx.type : OTHER,
    fee: feeOf(tx.fee_rate, api, from, "fee_rate"),
    sender: tx.sender.address,
    nonce: tx.sender.nonce,
    receiver: isPrincipal(receiver) ? receiver : undefined,
    calledFunction: functionOf(tx.contract_call),
    receivedAt: tx.receipt_time,
  };
}
