// Operations that return one transaction by its id, and what transactions of several operations have in common.
import { z } from "zod";
import { operation, orReplacement, type StacksApi } from "../api/operation.ts";
import type { Row } from "../ledger/ledger.ts";
import { isClarityName, isPrincipal } from "./values.ts";

/** The contract and the function of a call. They are checked when they are used. */
export const contractCall = z
  .object({ contract_id: z.string(), function_name: z.string().default("") })
  .optional()
  .catch(undefined);

/** A function as `contract::function`; undefined if there is none, or it is not valid. */
export const functionOf = (call: z.infer<typeof contractCall>): string | undefined =>
  call !== undefined && isPrincipal(call.contract_id) && isClarityName(call.function_name)
    ? `${call.contract_id}::${call.function_name}`
    : undefined;

/** One transaction. Only a mined one has a block. */
export const transaction = operation({
  name: "transaction",
  // Older servers do not offer it. Their 404 is remembered, because a poll may have one request.
  isOptional: true,
  path: "/extended/v3/transactions/{tx_id}",
  body: z.object({
    tx_id: z.string(),
    block: z
      .object({
        height: z.int().nonnegative(),
        hash: z.string().min(1),
        tx_index: z.int().nonnegative(),
      })
      .optional(),
  }),
});

/** A transaction: without a block, it waits. Undefined if the server does not know it, or has dropped it. */
export const readTransaction = async (api: StacksApi, txId: string) =>
  (await api.find(transaction, { path: { tx_id: txId } }))?.body;

/** A transaction of an operation that servers without that one offer. */
export const originalTransaction = operation({
  name: "original_transaction",
  path: "/extended/v1/tx/{tx_id}",
  body: z.object({
    block_height: z.int().optional(),
    block_hash: z.string().optional(),
    tx_index: z.int().optional(),
    canonical: z.boolean().optional(),
  }),
});

/** The place of a transaction in the chain. */
export type PlaceInChain = Pick<Row, "height" | "hash" | "index">;

/** The place of a transaction; undefined if it is in no block. */
export const readPlaceOf = (api: StacksApi, txId: string): Promise<PlaceInChain | undefined> =>
  orReplacement(
    api,
    transaction,
    async () => {
      const block = (await readTransaction(api, txId))?.block;
      return block && { height: block.height, hash: block.hash, index: block.tx_index };
    },
    async () => {
      // It returns 20 events otherwise, which can be too large.
      const parameters = { path: { tx_id: txId }, query: { event_limit: 1 } };
      const tx = (await api.find(originalTransaction, parameters))?.body;
      if (tx?.block_height === undefined || tx.block_hash === undefined || tx.canonical === false) return undefined;
      return { height: tx.block_height, hash: tx.block_hash, index: tx.tx_index ?? 0 };
    },
  );
