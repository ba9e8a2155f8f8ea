// The operation that lists the waiting transactions of the chain, and how responses with waiting transactions become
// transactions.
import { z } from "zod";
import { type Operation, operation, type Parameters, type StacksApi } from "../../api/operation.ts";
import { hash } from "../../chain/block-source.ts";
import { feeOf } from "../amounts.ts";
import { isPrincipal } from "../clarity-names.ts";
import { isEnumValue, OTHER, TX_TYPES } from "../labels.ts";
import { cursorList } from "../lists/cursor-list.ts";
import type { List, Row } from "../lists/newest-rows.ts";

/** A waiting transaction. */
export interface WaitingTransaction extends Row {
  readonly type: string;
  /** In microSTX; undefined if it is not an integer. */
  readonly fee: number | undefined;
  /** A sender and a nonce have at most one mined transaction. */
  readonly sender: string;
  readonly nonce: number;
  /** Recipient of a transfer, or the called or deployed contract; undefined if there is none, or it is not valid. */
  readonly receiver: string | undefined;
  /** Time when the server received it. Unix time, seconds. */
  readonly receivedAt: number;
}

const natural = z.int().nonnegative();
// Checked when it is used: one that is not valid must not invalidate the page.
const contract = z.object({ contract_id: z.string() }).optional().catch(undefined);

/** A page of waiting transactions. */
export const waitingBody = z.object({
  total: natural,
  cursor: z.object({ next: z.string().max(100).nullable() }),
  results: z.array(
    z.object({
      tx_id: hash,
      type: z.string(),
      sender: z.object({ address: z.string().max(128), nonce: natural }),
      fee_rate: z.unknown(),
      receipt_time: natural,
      token_transfer: z.object({ recipient: z.string() }).optional().catch(undefined),
      contract_call: contract,
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

/** Maximum number of transactions on one page. */
export const PAGE = 50;

/** The waiting transactions that an operation lists. A page that starts above the cursor is not the requested one. */
export function waitingList<const Path extends string>(
  api: StacksApi,
  operation: Operation<Path, Body>,
  path: Parameters<Path>["path"],
): List<WaitingTransaction> {
  const toRow = (item: Body["results"][number]) => toTransaction(item, api, operation);
  return cursorList(api, operation, path, { limit: PAGE, toRow, isPageAt: isBelow });
}

// The transaction of a cursor may have been mined. The page then starts at the next older one.
function isBelow(cursor: string, row: WaitingTransaction | undefined): boolean {
  return row === undefined || row.receivedAt <= Number(cursor.split(":")[0]);
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
    receivedAt: tx.receipt_time,
  };
}
