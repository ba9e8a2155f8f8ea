// Whether the tip that a server shows can be believed: servers lag, resync, and sometimes are wrong.
import { ApiError } from "../../api/errors.ts";
import { type Block, type Chain, tipOf, wasReplaced } from "./chain.ts";

/** What a tip is measured by. */
export interface TipLimits {
  /** Fastest pace of blocks that is believed without a check. */
  readonly blocksPerMinute: number;
  /** Unix time, milliseconds. */
  readonly now: number;
}

// A server that is behind shows older blocks only. One whose newest block is so much later than the known tip, and lower,
// proves that the known tip is not on its chain.
const LATER_SECONDS = 300;
// Blocks come in bursts: so many more than the pace allows are no reason to doubt.
const SLACK = 10;

/**
 * Refuses a tip that is below the known one, or that belongs to a fork that was replaced.
 * @throws ApiError `behind`, or what `checkIdentity` throws when the server follows another chain.
 */
export async function checkNotBehind(
  chain: Chain,
  tip: Block,
  operation: string,
  checkIdentity: () => Promise<void>,
): Promise<void> {
  const known = tipOf(chain);
  const lag = known.height - tip.height;
  if (lag < 0 || (lag === 0 && (tip.hash === known.hash || !wasReplaced(chain, tip)))) return;
  const isShared = chain.recent.some(({ height, hash }) => height === tip.height && hash === tip.hash);
  if (!isShared && !wasReplaced(chain, tip)) await checkIdentity();
  const isLater = tip.time !== undefined && known.time !== undefined && tip.time - known.time > LATER_SECONDS;
  if (isLater && lag > 0) return;
  const where =
    lag === 0
      ? `the block at the tip ${tip.height} was replaced`
      : `the tip is ${tip.height}, ${lag} blocks below the known tip ${known.height}`;
  throw new ApiError("behind", operation, where);
}

/** Whether so many blocks can have come since the known tip was accepted. */
export function isPlausible(chain: Chain, tip: Pick<Block, "height">, { blocksPerMinute, now }: TipLimits): boolean {
  const minutes = Math.max(0, now - chain.acceptedAt) / 60_000;
  return tip.height - tipOf(chain).height <= SLACK + minutes * blocksPerMinute;
}

/**
 * Refuses a tip that joins no known block and came too fast: a server that is wrong about its tip can repeat that in every
 * operation, and nothing links what it shows to the known chain.
 * @throws ApiError `bad_body`
 */
export function checkPace(chain: Chain, tip: Block, limits: TipLimits, operation: string): void {
  if (isPlausible(chain, tip, limits)) return;
  const jump = tip.height - tipOf(chain).height;
  const message = `the tip ${tip.height} joins no known block, and is ${jump} blocks above the known tip, more than blocks_per_minute allows`;
  throw new ApiError("bad_body", operation, message);
}

/**
 * Confirms a tip by another operation, which has to tell the same block with the same parent.
 * @throws ApiError `bad_body` when it does not.
 */
export async function confirmTip(
  tip: Block,
  chain: Chain | undefined,
  operation: string,
  readTip: () => Promise<Block | undefined>,
): Promise<void> {
  // Backends behind one address lag by a block or two: one that does not have the block yet gets a second chance.
  const found = (await readTip()) ?? (await readTip());
  if (found !== undefined && found.hash === tip.hash && found.parentHash === tip.parentHash) return;
  const jump = chain === undefined ? "" : `, ${tip.height - tipOf(chain).height} blocks above the known tip`;
  throw new ApiError("bad_body", operation, `the tip ${tip.height}${jump} is not confirmed by another operation`);
}
