// The operations that list the transactions of a principal, and how their responses become transactions.
import { z } from "zod";
import { type Operation, operation, type StacksApi } from "../../api/operation.ts";
import { hash } from "../../chain/block-source.ts";
import type { Row } from "../../ledger/ledger.ts";
import type { List } from "../../ledger/read.ts";
import { MAX_MICROSTX, wholeNumber } from "../amounts.ts";
import { cursorList, offsetList } from "../list.ts";

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
  contract_call: calledFunction,
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
          contract_call: calledFunction,
        }),
        balance_changes: z.object({ stx: z.object({ sent: amount, received: amount }) }),
        affected_balances: z.object({ ft: z.boolean(), nft: z.boolean() }),
      }),
    ),
  }),
});

type OriginalItem = z.infer<typeof addressTransactions.body>["results"][number];
type ReplacementItem = z.infer<typeof principalTransactions.body>["results"][number];

/** The fields of both operations. */
interface Fields extends Omit<Transaction, "fee" | "sent" | "received" | "moved" | "transfer" | "call"> {
  /** Not validated. */
  readonly amounts: Readonly<Record<"fee" | "sent" | "received", readonly [field: string, value: unknown]>>;
  readonly transfer: { readonly recipient: string; readonly amount?: unknown } | undefined;
  readonly called: z.infer<typeof calledFunction>;
  readonly result?: string | undefined;
  /** Whether assets of the principal moved; undefined: only if the amounts of STX are more than the fee. */
  readonly isMoved: boolean | undefined;
  /** Whether nothing but the transfer of a token_transfer can have moved. */
  readonly isPlain: boolean;
}

function transactionOf(
  { amounts, transfer, called, result, isMoved, isPlain, ...others }: Fields,
  principal: string,
  api: StacksApi,
  from: Operation,
): Transaction {
  const whole = ([field, value]: readonly [string, unknown]) => wholeNumber(value, api, from, field, MAX_MICROSTX);
  const [fee, sent, received] = [whole(amounts.fee), whole(amounts.sent), whole(amounts.received)];
  const paid = (others.sponsor ?? others.sender) === principal ? fee : 0n;
  const hasMoved = isMoved ?? ((sent ?? 0n) > (paid ?? 0n) || (received ?? 0n) > 0n);
  if (others.type === "contract_call" && called === undefined) api.noteDrift(from, "contract_call", "missing");
  return {
    ...others,
    time: others.time !== undefined && others.time > 0 ? others.time : undefined,
    ...{ fee, sent, received },
    moved: !hasMoved ? "none" : isPlain ? "plain" : "any",
    transfer: transfer && { ...transfer, amount: whole(["token_transfer.amount", transfer.amount]) },
    call: called && {
      contract: called.contract_id,
      function: called.function_name,
      ...(result === undefined ? {} : { result }),
    },
  };
}

function fromOriginal({ tx, stx_sent, stx_received, events }: OriginalItem): Fields {
  const isMoved = Object.values(events).some((byAction) => Object.values(byAction).some((count) => count > 0));
  return {
    id: tx.tx_id,
    height: tx.block_height,
    index: tx.tx_index,
    hash: tx.block_hash,
    type: tx.tx_type,
    status: tx.tx_status,
    time: tx.block_time,
    sender: tx.sender_address,
    sponsor: tx.sponsor_address,
    amounts: { fee: ["fee_rate", tx.fee_rate], sent: ["stx_sent", stx_sent], received: ["stx_received", stx_received] },
    isMoved,
    isPlain: tx.tx_type === "token_transfer" && tx.event_count === 1,
    transfer: tx.token_transfer && {
      recipient: tx.token_transfer.recipient_address,
      amount: tx.token_transfer.amount,
    },
    called: tx.contract_call,
    result: tx.tx_result?.repr,
  };
}

function fromReplacement({ transaction: tx, balance_changes, affected_balances }: ReplacementItem): Fields {
  const hasTokens = affected_balances.ft || affected_balances.nft;
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
    amounts: {
      fee: ["fee_rate", tx.fee_rate],
      sent: ["stx.sent", balance_changes.stx.sent],
      received: ["stx.received", balance_changes.stx.received],
    },
    isMoved: hasTokens || undefined,
    isPlain: !hasTokens && tx.type === "token_transfer",
    transfer: tx.token_transfer,
    called: tx.contract_call,
  };
}

/** Maximum number of transactions on one page. */
export const PAGE = 50;

/** The transactions of a principal, newest first: from `address_transactions`, and from its replacement. */
export function transactionLists<Of extends Row>(
  api: StacksApi,
  principal: string,
  toRow: (transaction: Transaction) => Of,
): readonly [List<Of>, List<Of>] {
  return [
    offsetList(api, addressTransactions, {
      path: { address: principal },
      query: { limit: PAGE, exclude_function_args: true },
      toRow: (item) =>
        item.tx.canonical ? toRow(transactionOf(fromOriginal(item), principal, api, addressTransactions)) : undefined,
    }),
    cursorList(api, principalTransactions, {
      path: { principal },
      query: { limit: PAGE },
      toRow: (item) => toRow(transactionOf(fromReplacement(item), principal, api, principalTransactions)),
    }),
  ];
}
