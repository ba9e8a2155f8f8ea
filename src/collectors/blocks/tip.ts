// Checks of the tip that a server returns: servers lag, resync from an empty database, or return wrong blocks.
import { ApiError } from "../../api/errors.ts";
import type { StacksApi } from "../../api/operation.ts";
import { block, blockList, readBlock } from "../chain/block-source.ts";
import { type Block, type Chain, tipOf, wasReplaced } from "../chain/chain.ts";

/** Settings and state of one poll. */
export interface FollowOptions {
  /** Maximum number of blocks to read. */
  readonly catchUp: number;
  /** Highest rate of blocks that is accepted without a check. */
  readonly blocksPerMinute: number;
  /** Unix time, milliseconds. */
  readonly now: number;
  /** Checks that the server follows the right chain. @throws ApiError `wrong_chain` */
  readonly checkIdentity: () => Promise<void>;
}

// A server that is behind returns only older blocks. If its newest block is this much later than the known tip, but
// lower, the known tip is not on its chain.
const LATER_SECONDS = 300;
// Blocks come in bursts: a chain may be this far ahead of its rate.
const BURST = 10;

/**
 * Rejects a tip that is below the known one, or on a fork that was replaced.
 * @throws ApiError `behind`, or the error of `checkIdentity` if the server follows another chain.
 */
export async function checkTip(
  chain: Chain,
  tip: Block,
  operation: string,
  { checkIdentity }: FollowOptions,
): Promise<void> {
  const known = tipOf(chain);
  const lag = known.height - tip.height;
  const isReplaced = wasReplaced(chain, tip);
  if (lag < 0 || (lag === 0 && (tip.hash === known.hash || !isReplaced))) return;
  const isKnown = chain.recent.some(({ height, hash }) => height === tip.height && hash === tip.hash);
  if (!isKnown && !isReplaced) await checkIdentity();
  const isLater = tip.time !== undefined && known.time !== undefined && tip.time - known.time > LATER_SECONDS;
  if (isLater && lag > 0) return;
  const message =
    lag === 0
      ? `the block at the tip ${tip.height} was replaced`
      : `the tip is ${tip.height}, ${lag} blocks below the known tip ${known.height}`;
  throw new ApiError("behind", operation, message);
}

/** Whether the chain can have grown to this tip since the known tip was accepted. */
export function isPlausible(chain: Chain, tip: Block, { blocksPerMinute, now }: FollowOptions): boolean {
  const minutes = Math.max(0, now - chain.acceptedAt) / 60_000;
  return tip.height - tipOf(chain).height <= BURST + minutes * blocksPerMinute;
}

/**
 * Rejects a tip that is too high and not connected to the known chain. Another operation cannot confirm such a tip: a
 * server with wrong blocks can return them from every operation.
 * @throws ApiError `bad_body`
 */
export function checkRate(chain: Chain, tip: Block, operation: string, options: FollowOptions): void {
  if (isPlausible(chain, tip, options)) return;
  const jump = tip.height - tipOf(chain).height;
  const where = `the tip ${tip.height} is not connected to the known chain, and ${jump} blocks above its tip`;
  throw new ApiError("bad_body", operation, `${where}, more than blocks_per_minute allows`);
}

/**
 * Confirms a tip of the list: another operation must return the same block with the same parent.
 * @throws ApiError `bad_body`
 */
export async function confirmTip(api: StacksApi, tip: Block, chain: Chain | undefined): Promise<void> {
  const read = () => readBlock(api, tip.height, block);
  // Backends behind one address differ by a block or two: if one does not have the block yet, ask once more.
  const found = (await read()) ?? (await read());
  if (found !== undefined && found.hash === tip.hash && found.parentHash === tip.parentHash) return;
  const jump = chain === undefined ? "" : `, ${tip.height - tipOf(chain).height} blocks above the known tip`;
  throw new ApiError("bad_body", blockList.name, `the tip ${tip.height}${jump} is not confirmed by another operation`);
}
