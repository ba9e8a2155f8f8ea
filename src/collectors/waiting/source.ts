// The operations that return the waiting transactions of one principal.
import { z } from "zod";
import { operation, type StacksApi } from "../../api/operation.ts";
import { waitingBody } from "../mempool-transactions/list.ts";

/**
 * The waiting transactions that a principal sends or receives, newest receipt first.
 */
export const principalWaiting = operation({
  name: "principal_mempool",
  path: "/extended/v3/principals/{principal}/mempool/transactions",
  isOptional: true,
  body: waitingBody,
});

const natural = z.int().nonnegative();

/** The nonces of an account; contracts have none. Pending ones are empty until one is confirmed. */
export const principalNonces = operation({
  name: "principal_nonces",
  path: "/extended/v3/principals/{principal}/nonces",
  isOptional: true,
  body: z.object({
    last_confirmed_nonce: natural.nullable(),
    mempool: z.object({ last_nonce: natural.nullable(), pending_nonces: z.array(natural) }),
  }),
  maxBodyBytes: 2 ** 20,
});

/** Nonces as one server knows them. */
export interface Nonces {
  /** The highest one that is mined; -1 if none is. */
  readonly confirmed: number;
  /** The highest one that waits, those of sponsored transactions included; -1 if none does. */
  readonly last: number;
  /** Those that wait between these two, those of sponsored transactions included. */
  readonly pending: readonly number[];
}

/** Reads the nonces of an account. */
export async function readNonces(api: StacksApi, principal: string): Promise<Nonces> {
  const { body } = await api.getWhole(principalNonces, { path: { principal } });
  const { last_confirmed_nonce: confirmed, mempool } = body;
  return { confirmed: confirmed ?? -1, last: mempool.last_nonce ?? -1, pending: mempool.pending_nonces };
}
