// Whether the upstreams agree on a block that is settled.
import { SPARE_PRIORITY } from "../api/budget.ts";
import type { StacksApi } from "../api/operation.ts";
import { blockAt } from "./chain-question.ts";
import type { Upstream } from "./upstream.ts";

// Deeper than any fork of blocks that Stacks signers have accepted, also where transactions count at sight.
const SETTLED_BLOCKS = 20;

/** An upstream whose block at a settled height is another one than that of the active upstream. */
export interface Disagreement {
  readonly upstream: Upstream;
  readonly height: number;
  readonly hash: string;
  /** The hash that the active upstream says. */
  readonly activeHash: string;
}

/**
 * Compares the block at a settled height; one request to each upstream that has told its tip.
 * @param ask the API of an upstream, for one request of this priority.
 * @throws ApiError when one of them gives no valid answer.
 * @returns the upstreams that disagree; undefined when there was nothing to compare.
 */
export async function compare(
  active: Upstream,
  others: readonly Upstream[],
  confirmations: number,
  ask: (upstream: Upstream, priority: number) => StacksApi,
): Promise<readonly Disagreement[] | undefined> {
  const heights = [active, ...others].flatMap(({ tip }) => tip?.height ?? []);
  const compared = others.filter(({ tip }) => tip !== undefined);
  const height = Math.min(...heights) - Math.max(confirmations, SETTLED_BLOCKS);
  if (active.tip === undefined || compared.length === 0 || height < 1) return undefined;
  const hashAt = async (upstream: Upstream, priority: number) =>
    (await ask(upstream, priority).find(blockAt, { path: { id: height } }))?.body.hash;
  // The active one is needed for polls: this takes what they leave.
  const activeHash = await hashAt(active, SPARE_PRIORITY);
  if (activeHash === undefined) return undefined;
  const found = await Promise.all(
    compared.map(async (upstream) => ({ upstream, height, activeHash, hash: await hashAt(upstream, 0) })),
  );
  return found.flatMap(({ hash, ...rest }) => (hash === undefined || hash === activeHash ? [] : [{ ...rest, hash }]));
}
