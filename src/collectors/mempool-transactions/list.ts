// The operation that lists the waiting transactions of the chain, and how its responses become transactions.
import { z } from "zod";
import { operation, type StacksApi, type Validated } from "../../api/operation.ts";
import { feeOf } from "../amounts.ts";
import { hash } from "../chain/block-source.ts";
import type { List, Page, Row } from "../feed/read.ts";
import { isEnumValue, OTHER, TX_TYPES } from "../labels.ts";

/** A waiting transaction. */
export interface WaitingTransaction extends Row {
  readonly type: string;
  /** In microSTX; undefined if it is no whole number. */
  readonly fee: number | undefined;
  /** A sender and a nonce have at most one mined transaction. */
  readonly sender: string;
  readonly nonce: number;
  /** When the server received it. Unix time, seconds. */
  readonly receivedAt: number;
}

const natural = z.int().nonnegative();

/** The waiting transactions of the chain, newest receipt first. Servers of older versions lack it. */
export const waitingTransactions = operation({
  name: "mempool_transactions",
  path: "/extended/v3/mempool/transactions",
  isOptional: true,
  body: z.object({
    total: natural,
    cursor: z.object({ next: z.string().max(100).nullable() }),
    results: z.array(
      z.object({
        tx_id: hash,
        type: z.string(),
        sender: z.object({ address: z.string().max(128), nonce: natural }),
        fee_rate: z.unknown(),
        receipt_time: natural,
      }),
    ),
  }),
});

type Body = z.infer<typeof waitingTransactions.body>;

/** Maximum number of transactions on one page. */
export const PAGE = 50;

/** The waiting transactions. A page that starts above the cursor is not the requested one: undefined. */
export function waitingList(api: StacksApi): List<WaitingTransaction> {
  const toPage = ({ body, etag }: Validated<Body>): Page<WaitingTransaction> => ({
    rows: body.results.map((item) => toTransaction(item, api)),
    total: body.total,
    older: body.cursor.next ?? undefined,
    isLast: body.cursor.next === null,
    etag,
  });
  return {
    operation: waitingTransactions.name,
    hasCursors: true,
    async page(_, cursor) {
      const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
      const page = toPage(await api.getWhole(waitingTransactions, { path: {}, query }));
      return cursor === undefined || isBelow(cursor, page.rows[0]) ? page : undefined;
    },
    async changedSince(etag) {
      const response = await api.getIfChanged(waitingTransactions, { path: {}, query: { limit: PAGE } }, etag);
      return response && toPage(response);
    },
  };
}

// The transaction that a cursor names can be mined meanwhile. The page then starts at the next older one.
function isBelow(cursor: string, row: WaitingTransaction | undefined): boolean {
  return row === undefined || row.receivedAt <= Number(cursor.split(":")[0]);
}

function toTransaction(tx: Body["results"][number], api: StacksApi): WaitingTransaction {
  if (!(TX_TYPES as readonly string[]).includes(tx.type)) api.noteDrift(waitingTransactions, "type", "enum");
  return {
    id: tx.tx_id,
    hash: "",
    type: isEnumValue(tx.type) ? tx.type : OTHER,
    fee: feeOf(tx.fee_rate, api, waitingTransactions, "fee_rate"),
    sender: tx.sender.address,
    nonce: tx.sender.nonce,
    receivedAt: tx.receipt_time,
  };
}
