// The operation that lists all mined transactions of the chain, and how its responses become transactions.
import { z } from "zod";
import { operation, type StacksApi } from "../../api/operation.ts";
import { DIMENSIONS, hash } from "../../chain/block-source.ts";
import type { Row } from "../../ledger/ledger.ts";
import type { List } from "../../ledger/read.ts";
import { cursorAt, cursorList } from "../list.ts";
import { contractCall, functionOf } from "../transaction.ts";
import { feeOf, isEnumValue, isPrincipal, OTHER } from "../values.ts";
import type { MinedRow } from "./window.ts";

/** A mined transaction. */
export interface MinedTransaction extends Row, MinedRow {
  readonly status: string;
  readonly sender: string;
  readonly nonce: number;
  /** The principals that take part, as far as they are valid: sender, sponsor, recipient, called contract. */
  readonly parties: readonly string[];
  /** The contract of a contract_call. */
  readonly called: string | undefined;
  /** The function of a contract_call: `contract::function`. */
  readonly calledFunction?: string | undefined;
  /** Why a miner changed or extended the tenure, for a tenure_change. */
  readonly cause: string | undefined;
}

const natural = z.int().nonnegative();
// Parties and fees are checked when they are used: one that is not valid must not invalidate the page.
const party = z.object({ address: z.string() }).nullish().catch(undefined);

/** The causes of tenure changes, as the API names them. */
export const TENURE_CAUSES: readonly string[] = [
  "block_found",
  "extended",
  ...DIMENSIONS.map((one) => `extended_${one}`),
];

/** The mined transactions of the chain, newest first. Servers of older versions lack it. */
export const transactionList = operation({
  name: "transactions",
  path: "/extended/v3/transactions",
  isOptional: true,
  body: z.object({
    total: natural,
    cursor: z.object({ next: z.string().max(100).nullable(), previous: z.string().max(100).nullish() }),
    results: z.array(
      z.object({
        tx_id: hash,
        type: z.string(),
        status: z.string(),
        sender: z.object({ address: z.string().max(128), nonce: z.int() }),
        sponsor: party,
        fee_rate: z.unknown(),
        block: z.object({ height: natural, hash, time: z.int(), tx_index: natural }),
        token_transfer: z.object({ recipient: z.string() }).optional().catch(undefined),
        contract_call: contractCall,
        tenure_change: z.object({ cause: z.string() }).optional().catch(undefined),
      }),
    ),
  }),
});

type Body = z.infer<typeof transactionList.body>;

/** Maximum number of transactions on one page. */
export const PAGE = 50;

/** The transactions of the chain. */
export function chainList(api: StacksApi): List<MinedTransaction> {
  const toRow = (item: Body["results"][number]) => toTransaction(item, api);
  return cursorList(api, transactionList, { path: {}, query: { limit: PAGE }, toRow });
}

/** One page of transactions, newest first, from the first transaction of the block at a height down. */
export async function readPageAt(api: StacksApi, height: number): Promise<readonly MinedTransaction[]> {
  const query = { limit: PAGE, cursor: cursorAt({ height, index: 0 }) };
  const { body } = await api.get(transactionList, { path: {}, query });
  return body.results.map((item) => toTransaction(item, api));
}

function toTransaction({ block, ...tx }: Body["results"][number], api: StacksApi): MinedTransaction {
  const recipient = tx.token_transfer?.recipient;
  const called = tx.contract_call?.contract_id;
  const parties = [tx.sender.address, tx.sponsor?.address, recipient, called];
  return {
    id: tx.tx_id,
    height: block.height,
    index: block.tx_index,
    hash: block.hash,
    type: nameOf(tx.type),
    status: nameOf(tx.status),
    fee: feeOf(tx.fee_rate, api, transactionList, "fee_rate"),
    at: block.time,
    sender: tx.sender.address,
    nonce: tx.sender.nonce,
    parties: parties.filter((party) => party !== undefined && isPrincipal(party)) as string[],
    called: called !== undefined && isPrincipal(called) ? called : undefined,
    calledFunction: functionOf(tx.contract_call),
    cause: tx.tenure_change && nameOf(tx.tenure_change.cause),
  };
}

// It is stored and becomes a label value.
const nameOf = (text: string): string => (isEnumValue(text) ? text : OTHER);
