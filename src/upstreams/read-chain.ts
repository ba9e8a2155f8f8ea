// Reads which chain a server follows. The hash of block 1 identifies a chain.
import { z } from "zod";
import { operation, type StacksApi } from "../api/operation.ts";
import { isNotOffered, orReplacement } from "../api/replacement.ts";
import { blockByHeight, status } from "../collectors/chain/block-source.ts";

const body = z.object({ height: z.int(), hash: z.string().regex(/^0x[0-9a-f]{64}$/) });

/** A canonical block by its height. */
export const blockAt = operation({ name: "block", path: "/extended/v2/blocks/{id}", body });

const oldBlockAt = operation({
  name: blockByHeight.name,
  path: "/extended/v1/block/by_height/{id}",
  body,
  replacement: blockByHeight.replacement,
});

/** Every operation that upstreams request in addition to the collectors. */
export const upstreamOperations = [blockAt, oldBlockAt, status];

/** Which chain a server follows; `unknown` when it has blocks but does not serve block 1. */
export type ServerChain =
  | { readonly kind: "known"; readonly firstBlock: string }
  | { readonly kind: "empty" }
  | { readonly kind: "unknown" };

/**
 * Reads which chain a server follows: one request, unless the server does not have block 1.
 * @throws ApiError when there is no valid response.
 */
export async function readChain(api: StacksApi): Promise<ServerChain> {
  const path = { id: 1 };
  try {
    const first = await orReplacement(
      api,
      blockAt,
      () => api.find(blockAt, { path }),
      () => api.find(oldBlockAt, { path }),
    );
    if (first !== undefined) return { kind: "known", firstBlock: first.body.hash };
  } catch (error) {
    if (isNotOffered(error, oldBlockAt)) return { kind: "unknown" };
    throw error;
  }
  const { chain_tip } = (await api.get(status, { path: {} })).body;
  return { kind: chain_tip === undefined ? "empty" : "unknown" };
}
