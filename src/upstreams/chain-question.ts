// Which chain a server follows: the hash of its block 1, by whichever operation it has.
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

/** Every operation that upstreams request beside the collectors. */
export const upstreamOperations = [blockAt, oldBlockAt, status];

/** What a server says of its chain. `silent`: it has blocks and does not show block 1, so nothing can be compared. */
export type ChainAnswer =
  | { readonly kind: "chain"; readonly firstBlock: string }
  | { readonly kind: "empty" }
  | { readonly kind: "silent" };

/**
 * Asks for block 1; one request, unless the server does not have it.
 * @throws ApiError when the server gives no valid answer.
 */
export async function askChain(api: StacksApi): Promise<ChainAnswer> {
  const first = await findFirst(api);
  if (first === undefined) return { kind: "silent" };
  if (first !== "none") return { kind: "chain", firstBlock: first };
  const { chain_tip } = (await api.get(status, { path: {} })).body;
  return { kind: chain_tip === undefined ? "empty" : "silent" };
}

// The hash; "none" when the server has no such block; undefined when it has no such operation.
async function findFirst(api: StacksApi): Promise<string | undefined> {
  const path = { id: 1 };
  try {
    const answer = await orReplacement(
      api,
      blockAt,
      () => api.find(blockAt, { path }),
      () => api.find(oldBlockAt, { path }),
    );
    return answer === undefined ? "none" : answer.body.hash;
  } catch (error) {
    if (!isNotOffered(error, oldBlockAt)) throw error;
    return undefined;
  }
}
