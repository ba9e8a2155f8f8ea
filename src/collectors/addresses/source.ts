// The operations that list the transactions of a principal, and how their responses become transactions.
import { z } from "zod";
import { type Operation, operation, type StacksApi } from "../../api/operation.ts";
import { hash } from "../../chain/block-source.ts";
import type { Row } from "../../ledger/ledger.ts";
import type { List } from "../../ledger/read.ts";
import { cursorList, MAX_INDEX, MICROBLOCK, offsetList } from "../list.ts";
import { contractCall } from "../transaction.ts";
import { MAX_MICROSTX, wholeNumber } from "../values.ts";

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
  /** Assets of the principal that moved. `plain`: only the STX of the transfer. */
  readonly moved: "none" | "plain" | "any";
  /** The transfer of a token_transfer. */
  readonly transfer: { readonly recipient: string; readonly amount: bigint | undefined } | undefined;
  /** The call of a contract_call. Only `address_transactions` has its result. */
  readonly call: { readonly contract: string; readonly function: string; readonly result?: string } | undefined;
}

const natural = z.int().nonnegative();
// Parsed when it is used: an invalid amount must not invalidate the whole page.
const amount = z.unknown();
const actions = z.object({ transfer: natural, mint: natural, burn: natural });

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
  microblock_sequence: z.int().default(MICROBLOCK),
  canonical: z.boolean(),
  event_count: natural,
  token_transfer: z.object({ recipient_address: z.string(), amount }).optional(),
  contract_call: contractCall,
  tx_result: z.object({ repr: z.string() }).optional().catch(undefined),
});

/** The transactions of a principal, newest first. */
export const addressTransactions = operation({
  name: "address_transactions",
  replacement: "principal_transactions",
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
          contract_call: contractCall,
        }),
        balance_changes: z.object({ stx: z.object({ sent: amount, received: amount }) }),
        affected_balances: z.object({ ft: z.boolean(), nft: z.boolean() }),
      }),
    ),
  }),
});

type OriginalItem = z.infer<typeof addressTransactions.body>["results"][number];
type ReplacementItem = z.infer<typeof principalTransactions.body>["results"][number];

/** Parses an amount of microSTX. */
type Whole = (field: string, value: unknown) => bigint | undefined;

/** Assets that moved. @param isPlain whether nothing but the transfer of a token_transfer can have moved */
const movedOf = (hasMoved: boolean, isPlain: boolean): Transaction["moved"] =>
  !hasMoved ? "none" : isPlain ? "plain" : "any";

const callOf = (called: z.infer<typeof contractCall>): Transaction["call"] =>
  called && { contract: called.contract_id, function: called.function_name };

function fromOriginal({ tx, stx_sent, stx_received, events }: OriginalItem, whole: Whole): Transaction {
  const hasMoved = Object.values(events).some((byAction) => Object.values(byAction).some((count) => count > 0));
  const { token_transfer: transfer, tx_result: result } = tx;
  const call = callOf(tx.contract_call);
  return {
    id: tx.tx_id,
    height: tx.block_height,
    // Indexes begin at 0 in each microblock, and again in the block that follows them.
    index: (tx.microblock_sequence - MICROBLOCK) * (MAX_INDEX + 1) + tx.tx_index,
    hash: tx.block_hash,
    type: tx.tx_type,
    status: tx.tx_status,
    time: tx.block_time,
    sender: tx.sender_address,
    sponsor: tx.sponsor_address,
    fee: whole("fee_rate", tx.fee_rate),
    sent: whole("stx_sent", stx_sent),
    received: whole("stx_received", stx_received),
    moved: movedOf(hasMoved, tx.tx_type === "token_transfer" && tx.event_count === 1),
    transfer: transfer && {
      recipient: transfer.recipient_address,
      amount: whole("token_transfer.amount", transfer.amount),
    },
    call: call && result ? { ...call, result: result.repr } : call,
  };
}

function fromReplacement(
  { transaction: tx, balance_changes: { stx }, affected_balances }: ReplacementItem,
  principal: string,
  whole: Whole,
): Transaction {
  const [fee, sent] = [whole("fee_rate", tx.fee_rate), whole("stx.sent", stx.sent)];
  const received = whole("stx.received", stx.received);
  const paid = (tx.sponsor ?? tx.sender).address === principal ? (fee ?? 0n) : 0n;
  const hasTokens = affected_balances.ft || affected_balances.nft;
  const hasMoved = hasTokens || (sent ?? 0n) > paid || (received ?? 0n) > 0n;
  const { token_transfer: transfer } = tx;
  return {
    id: tx.tx_id,
    height: tx.block.height,
    index: tx.block.tx_index,
    hash: tx.block.hash,
    type: tx.type,
    status: tx.status,
    time: tx.block.time,
    sender: tx.sender.address,
    sponsor: tx.sponsor?.address,
    ...{ fee, sent, received },
    moved: movedOf(hasMoved, !hasTokens && tx.type === "token_transfer"),
    transfer: transfer && { ...transfer, amount: whole("token_transfer.amount", transfer.amount) },
    call: callOf(tx.contract_call),
  };
}

/** Makes the transactions of an operation. Without a valid time, the server does not know it. */
const makerOf = (api: StacksApi, from: Operation) => (make: (whole: Whole) => Transaction) => {
  const { time = 0, ...tx } = make((field, value) => wholeNumber(value, api, from, field, MAX_MICROSTX));
  if (tx.type === "contract_call" && tx.call === undefined) api.noteDrift(from, "contract_call", "missing");
  return { ...tx, time: time > 0 ? time : undefined };
};

/** Maximum number of transactions on one page. */
export const PAGE = 50;

/** The transactions of a principal, newest first: from `address_transactions`, and from its replacement. */
export function transactionLists<Of extends Row>(
  api: StacksApi,
  principal: string,
  toRow: (transaction: Transaction) => Of,
): readonly [List<Of>, List<Of>] {
  const original = makerOf(api, addressTransactions);
  const replacement = makerOf(api, principalTransactions);
  return [
    offsetList(api, addressTransactions, {
      path: { address: principal },
      query: { limit: PAGE, exclude_function_args: true },
      toRow: (item) => (item.tx.canonical ? toRow(original((whole) => fromOriginal(item, whole))) : undefined),
    }),
    cursorList(api, principalTransactions, {
      path: { principal },
      query: { limit: PAGE },
      toRow: (item) => toRow(replacement((whole) => fromReplacement(item, principal, whole))),
    }),
  ];
}
