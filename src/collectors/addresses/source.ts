// The operations that list the transactions of a principal, and how their responses become transactions.
import { z } from "zod";
import { operation, type StacksApi } from "../../api/operation.ts";
import type { Row } from "../../ledger/ledger.ts";
import type { List } from "../../ledger/read.ts";
import { MAX_MICROSTX, wholeNumber } from "../amounts.ts";
import { hash } from "../chain/block-source.ts";
import { cursorList, offsetList } from "../lists/list.ts";

/** The direction of a transaction for the principal. */
export const DIRECTIONS = ["sent", "sponsored", "received"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The direction of a transaction: a principal that is both sender and sponsor counts as sender. */
export function directionOf({ sender, sponsor }: Transaction, principal: string): Direction {
  if (sender === principal) return "sent";
  return sponsor === principal ? "sponsored" : "received";
}

/** A listed transaction. Amounts and fees in microSTX; undefined if they are not integers. */
export interface Transaction extends Row {
  readonly type: string;
  readonly status: string;
  /** Unix time in seconds; undefined if the server does not know it. */
  readonly time: number | undefined;
  readonly sender: string;
  readonly sponsor: string | undefined;
  readonly fee: bigint | undefined;
  readonly sent: bigint | undefined;
  readonly received: bigint | undefined;
  /** The transfer of a token_transfer. */
  readonly transfer: { readonly recipient: string; readonly amount: bigint | undefined } | undefined;
  /** Whether tokens of the principal moved; undefined if the list counts events instead. */
  readonly tokens: { readonly ft: boolean; readonly nft: boolean } | undefined;
  /** Only `address_transactions` has it. */
  readonly detail:
    | {
        /** Whether assets of the principal moved. */
        readonly hasTransfers: boolean;
        /** Events of all kinds. */
        readonly eventCount: number;
      }
    | undefined;
}

const natural = z.int().nonnegative();
// Parsed when it is used: an invalid amount must not invalidate the whole page.
const amount = z.unknown();
const actions = z.object({ transfer: natural, mint: natural, burn: natural });
const calledFunction = z.object({ contract_id: z.string(), function_name: z.string() }).optional().catch(undefined);

const transaction = z.object({
  tx_id: hash,
  tx_type: z.string(),
  tx_status: z.string(),
  fee_rate: amount,
  sender_address: z.string(),
  sponsor_address: z.string().optional(),
  block_hash: hash,
  block_height: z.int(),
  block_time: z.int(),
  tx_index: z.int(),
  canonical: z.boolean(),
  event_count: natural,
  token_transfer: z.object({ recipient_address: z.string(), amount }).optional(),
  // Only calls of watched contracts need these.
  contract_call: calledFunction,
  tx_result: z.object({ repr: z.string() }).optional().catch(undefined),
});

/** The transactions of a principal, newest first. */
export const addressTransactions = operation({
  name: "address_transactions",
  replacement: { name: "principal_transactions", lacks: "results of calls" },
  path: "/extended/v2/addresses/{address}/transactions",
  body: z.object({
    limit: natural,
    total: natural,
    results: z.array(
      z.object({
        tx: transaction,
        stx_sent: amount,
        stx_received: amount,
        events: z.object({ stx: actions, ft: actions, nft: actions }),
      }),
    ),
  }),
});

/** Replacement of `address_transactions`, without the results of calls. */
export const principalTransactions = operation({
  name: "principal_transactions",
  path: "/extended/v3/principals/{principal}/transactions",
  body: z.object({
    total: natural,
    limit: natural,
    cursor: z.object({ next: z.string().nullable(), previous: z.string().nullish() }),
    results: z.array(
      z.object({
        transaction: z.object({
          tx_id: hash,
          type: z.string(),
          status: z.string(),
          sender: z.object({ address: z.string() }),
          sponsor: z.object({ address: z.string() }).nullable(),
          fee_rate: amount,
          block: z.object({ height: natural, hash, time: z.int(), tx_index: natural }),
          token_transfer: z.object({ recipient: z.string(), amount }).optional(),
          contract_call: calledFunction,
        }),
        balance_changes: z.object({ stx: z.object({ sent: amount, received: amount }) }),
        affected_balances: z.object({ ft: z.boolean(), nft: z.boolean() }),
      }),
    ),
  }),
});

const timeOf = (seconds: number): number | undefined => (seconds > 0 ? seconds : undefined);

/** A transaction of a response of `address_transactions`. */
export type OriginalItem = z.infer<typeof addressTransactions.body>["results"][number];
/** A transaction of a response of its replacement. */
export type ReplacementItem = z.infer<typeof principalTransactions.body>["results"][number];

function fromOriginal({ tx, stx_sent, stx_received, events }: OriginalItem, api: StacksApi): Transaction {
  const whole = (value: unknown, field: string) => wholeNumber(value, api, addressTransactions, field, MAX_MICROSTX);
  return {
    id: tx.tx_id,
    height: tx.block_height,
    index: tx.tx_index,
    hash: tx.block_hash,
    type: tx.tx_type,
    status: tx.tx_status,
    time: timeOf(tx.block_time),
    sender: tx.sender_address,
    sponsor: tx.sponsor_address,
    fee: whole(tx.fee_rate, "fee_rate"),
    sent: whole(stx_sent, "stx_sent"),
    received: whole(stx_received, "stx_received"),
    transfer: tx.token_transfer && {
      recipient: tx.token_transfer.recipient_address,
      amount: whole(tx.token_transfer.amount, "token_transfer.amount"),
    },
    tokens: undefined,
    detail: {
      hasTransfers: Object.values(events).some((byAction) => Object.values(byAction).some((count) => count > 0)),
      eventCount: tx.event_count,
    },
  };
}

function fromReplacement(item: ReplacementItem, api: StacksApi): Transaction {
  const { transaction: tx, affected_balances: tokens } = item;
  const { stx } = item.balance_changes;
  const whole = (value: unknown, field: string) => wholeNumber(value, api, principalTransactions, field, MAX_MICROSTX);
  return {
    id: tx.tx_id,
    height: tx.block.height,
    index: tx.block.tx_index,
    hash: tx.block.hash,
    type: tx.type,
    status: tx.status,
    time: timeOf(tx.block.time),
    sender: tx.sender.address,
    sponsor: tx.sponsor?.address,
    fee: whole(tx.fee_rate, "fee_rate"),
    sent: whole(stx.sent, "stx.sent"),
    received: whole(stx.received, "stx.received"),
    transfer: tx.token_transfer && {
      recipient: tx.token_transfer.recipient,
      amount: whole(tx.token_transfer.amount, "token_transfer.amount"),
    },
    tokens,
    detail: undefined,
  };
}

/** Maximum number of transactions on one page. */
export const PAGE = 50;

/** The transactions of a principal, from `address_transactions`. */
export const originalList = (api: StacksApi, address: string): List<Transaction> =>
  originalRows(api, address, (item) => fromOriginal(item, api));

/** The same list, from the replacement of `address_transactions`. */
export const replacementList = (api: StacksApi, principal: string): List<Transaction> =>
  replacementRows(api, principal, (item) => fromReplacement(item, api));

/** The rows of `address_transactions`. */
export const originalRows = <Of extends Row>(
  api: StacksApi,
  address: string,
  toRow: (item: OriginalItem) => Of,
): List<Of> =>
  offsetList(api, addressTransactions, {
    path: { address },
    query: { limit: PAGE, exclude_function_args: true },
    toRow: (item) => (item.tx.canonical ? toRow(item) : undefined),
  });

/** The rows of the replacement of `address_transactions`. */
export const replacementRows = <Of extends Row>(
  api: StacksApi,
  principal: string,
  toRow: (item: ReplacementItem) => Of,
): List<Of> => cursorList(api, principalTransactions, { path: { principal }, query: { limit: PAGE }, toRow });
