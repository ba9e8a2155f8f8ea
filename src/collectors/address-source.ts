// The operations that list the transactions of a principal, and how each answer becomes a Transaction.
import { z } from "zod";
import { type Operation, operation, type StacksApi, type Validated } from "../api/operation.ts";
import type { Dimension } from "./chain.ts";
import type { Listed } from "./horizon.ts";

/** Kinds of assets and what can happen to them, as 4.6 counts them. */
export const ASSET_CLASSES = ["stx", "ft", "nft"] as const;
export const ACTIONS = ["transfer", "mint", "burn"] as const;
export type AssetEvents = Readonly<
  Record<(typeof ASSET_CLASSES)[number], Readonly<Record<(typeof ACTIONS)[number], number>>>
>;

/** What is read of a transaction. Amounts and fees in microSTX; undefined where the answer had no whole number. */
export interface Transaction extends Listed {
  readonly type: string;
  readonly status: string;
  /** Unix time, seconds; undefined when the server does not know it. */
  readonly time: number | undefined;
  readonly sender: string;
  readonly nonce: number;
  readonly sponsor: string | undefined;
  readonly sponsorNonce: number | undefined;
  readonly fee: bigint | undefined;
  readonly sent: bigint | undefined;
  readonly received: bigint | undefined;
  /** The transfer of a token_transfer. */
  readonly transfer: { readonly recipient: string; readonly amount: bigint | undefined } | undefined;
  /** The contract of a contract_call. */
  readonly called: string | undefined;
  /** What only 4.6 tells. */
  readonly detail:
    | {
        readonly events: AssetEvents;
        readonly postConditionMode: string;
        readonly postConditions: readonly {
          readonly type: string;
          readonly code: string;
          readonly principal: string;
        }[];
        readonly eventCount: number;
        readonly cost: Readonly<Record<Dimension, number>>;
      }
    | undefined;
}

/** One page of a list. */
export interface ListPage {
  readonly transactions: readonly Transaction[];
  /** How many there are in all, as the server counts them. */
  readonly total: number;
  /** Most rows that the server puts on a page of this list. */
  readonly size: number;
  /** Cursor of the next older page, where the list has cursors. */
  readonly older: string | undefined;
  /** What to ask with whether it has changed. */
  readonly etag: string | undefined;
}

const natural = z.int().nonnegative();
// An amount that is no number must spoil its own transaction only, so it is looked at when it is used.
const amount = z.unknown();
const actions = z.object({ transfer: natural, mint: natural, burn: natural });

// Only a hint for others is made of it, so nothing may fail for it.
const called = z.object({ contract_id: z.string() }).optional().catch(undefined);

const transaction = z.object({
  tx_id: z.string().min(1),
  tx_type: z.string(),
  tx_status: z.string(),
  nonce: z.int(),
  fee_rate: amount,
  sender_address: z.string(),
  sponsor_address: z.string().optional(),
  sponsor_nonce: z.int().optional(),
  block_hash: z.string(),
  block_height: z.int(),
  block_time: z.int(),
  tx_index: z.int(),
  canonical: z.boolean(),
  microblock_canonical: z.boolean().default(true),
  is_unanchored: z.boolean().default(false),
  post_condition_mode: z.string(),
  post_conditions: z.array(
    z.object({
      type: z.string(),
      condition_code: z.string().optional(),
      principal: z.object({ type_id: z.string() }).optional(),
    }),
  ),
  event_count: natural,
  execution_cost_read_count: natural,
  execution_cost_read_length: natural,
  execution_cost_runtime: natural,
  execution_cost_write_count: natural,
  execution_cost_write_length: natural,
  token_transfer: z.object({ recipient_address: z.string(), amount }).optional(),
  contract_call: called,
});

/** Operation 4.6. */
export const addressTransactions = operation({
  name: "address_transactions",
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

/** Replacement of 4.6. It tells neither post-conditions, execution cost nor the number of events. */
export const principalTransactions = operation({
  name: "principal_transactions",
  path: "/extended/v3/principals/{principal}/transactions",
  body: z.object({
    total: natural,
    limit: natural,
    cursor: z.object({ next: z.string().nullable() }),
    results: z.array(
      z.object({
        transaction: z.object({
          tx_id: z.string().min(1),
          type: z.string(),
          status: z.string(),
          sender: z.object({ address: z.string(), nonce: z.int() }),
          sponsor: z.object({ address: z.string(), nonce: z.int() }).nullable(),
          fee_rate: amount,
          block: z.object({ height: natural, hash: z.string(), time: z.int(), tx_index: natural }),
          token_transfer: z.object({ recipient: z.string(), amount }).optional(),
          contract_call: called,
        }),
        balance_changes: z.object({ stx: z.object({ sent: amount, received: amount }) }),
      }),
    ),
  }),
});

/** A whole number from the wire that is not negative; undefined when it is something else, which is counted as drift. */
export function wholeNumber(value: unknown, api: StacksApi, from: Operation, field: string): bigint | undefined {
  // No amount of the chain has more than 128 bits; a longer text is not worth reading.
  if (typeof value === "string" && /^\d{1,39}$/.test(value)) return BigInt(value);
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  api.noteDrift(from, field, value === undefined ? "missing" : value === null ? "null" : "type");
  return undefined;
}

const timeOf = (seconds: number): number | undefined => (seconds > 0 ? seconds : undefined);

type OldItem = z.infer<typeof addressTransactions.body>["results"][number];
type NewItem = z.infer<typeof principalTransactions.body>["results"][number];

function fromOld({ tx, stx_sent, stx_received, events }: OldItem, api: StacksApi): Transaction {
  const whole = (value: unknown, field: string) => wholeNumber(value, api, addressTransactions, field);
  return {
    txId: tx.tx_id,
    height: tx.block_height,
    index: tx.tx_index,
    blockHash: tx.block_hash,
    isCanonical: tx.canonical,
    isMicroblockCanonical: tx.microblock_canonical,
    isUnanchored: tx.is_unanchored,
    type: tx.tx_type,
    status: tx.tx_status,
    time: timeOf(tx.block_time),
    sender: tx.sender_address,
    nonce: tx.nonce,
    sponsor: tx.sponsor_address,
    sponsorNonce: tx.sponsor_nonce,
    fee: whole(tx.fee_rate, "fee_rate"),
    sent: whole(stx_sent, "stx_sent"),
    received: whole(stx_received, "stx_received"),
    transfer: tx.token_transfer && {
      recipient: tx.token_transfer.recipient_address,
      amount: whole(tx.token_transfer.amount, "token_transfer.amount"),
    },
    called: tx.contract_call?.contract_id,
    detail: {
      events,
      postConditionMode: tx.post_condition_mode,
      postConditions: tx.post_conditions.map(({ type, condition_code = "", principal }) => ({
        type,
        code: condition_code,
        principal: principal?.type_id ?? "",
      })),
      eventCount: tx.event_count,
      cost: {
        read_count: tx.execution_cost_read_count,
        read_length: tx.execution_cost_read_length,
        runtime: tx.execution_cost_runtime,
        write_count: tx.execution_cost_write_count,
        write_length: tx.execution_cost_write_length,
      },
    },
  };
}

function fromNew({ transaction: tx, balance_changes: { stx } }: NewItem, api: StacksApi): Transaction {
  const whole = (value: unknown, field: string) => wholeNumber(value, api, principalTransactions, field);
  return {
    txId: tx.tx_id,
    height: tx.block.height,
    index: tx.block.tx_index,
    blockHash: tx.block.hash,
    isCanonical: true,
    isMicroblockCanonical: true,
    isUnanchored: false,
    type: tx.type,
    status: tx.status,
    time: timeOf(tx.block.time),
    sender: tx.sender.address,
    nonce: tx.sender.nonce,
    sponsor: tx.sponsor?.address,
    sponsorNonce: tx.sponsor?.nonce,
    fee: whole(tx.fee_rate, "fee_rate"),
    sent: whole(stx.sent, "stx.sent"),
    received: whole(stx.received, "stx.received"),
    transfer: tx.token_transfer && {
      recipient: tx.token_transfer.recipient,
      amount: whole(tx.token_transfer.amount, "token_transfer.amount"),
    },
    called: tx.contract_call?.contract_id,
    detail: undefined,
  };
}

/** Most transactions on one page. */
export const PAGE = 50;

type OldAnswer = Validated<z.infer<typeof addressTransactions.body>>;
type NewAnswer = Validated<z.infer<typeof principalTransactions.body>>;

const oldPage = (api: StacksApi, { body, etag }: OldAnswer): ListPage => ({
  transactions: body.results.map((item) => fromOld(item, api)),
  total: body.total,
  size: Math.min(PAGE, body.limit || PAGE),
  older: undefined,
  etag,
});

const newPage = (api: StacksApi, { body, etag }: NewAnswer): ListPage => ({
  transactions: body.results.map((item) => fromNew(item, api)),
  total: body.total,
  size: Math.min(PAGE, body.limit || PAGE),
  older: body.cursor.next ?? undefined,
  etag,
});

const OLD_QUERY = { limit: PAGE, exclude_function_args: true };

/** A page of 4.6, by the number of newer transactions. */
export async function readOld(api: StacksApi, address: string, offset: number): Promise<ListPage> {
  const query = { ...OLD_QUERY, ...(offset === 0 ? {} : { offset }) };
  return oldPage(api, await api.getWhole(addressTransactions, { path: { address }, query }));
}

/** A page of the replacement, by cursor. */
export async function readNew(api: StacksApi, principal: string, cursor: string | undefined): Promise<ListPage> {
  const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
  return newPage(api, await api.getWhole(principalTransactions, { path: { principal }, query }));
}

/** The first page of the list of either operation; undefined when it is still the one with that validator. */
export async function readIfChanged(
  api: StacksApi,
  principal: string,
  isNew: boolean,
  etag: string,
): Promise<ListPage | undefined> {
  if (isNew) {
    const answer = await api.getIfChanged(principalTransactions, { path: { principal }, query: { limit: PAGE } }, etag);
    return answer && newPage(api, answer);
  }
  const asked = { path: { address: principal }, query: OLD_QUERY };
  const answer = await api.getIfChanged(addressTransactions, asked, etag);
  return answer && oldPage(api, answer);
}
