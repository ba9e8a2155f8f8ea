// When blocks come. Both intervals have their own stream of chance, so the rhythm of the chain does not depend on
// what is in the blocks.
import { Random } from "./random.ts";

const BURN_SECONDS = 600;

/** Minimum interval between Stacks blocks in virtual seconds. */
export const FASTEST_BLOCK_SECONDS = 5;

/** Virtual seconds between Stacks blocks: 5 to 15, 10 on average. */
export function blockInterval(random: Random): number {
  return random.int(FASTEST_BLOCK_SECONDS, 15);
}

/** Virtual seconds between burn blocks: at least 240, about 600 on average, sometimes half an hour. */
export function burnInterval(random: Random): number {
  return Math.round(BURN_SECONDS * 0.4 + random.exponential(BURN_SECONDS * 0.6));
}

/** The stream of block intervals of a seed. */
export function blockStream(seed: string): Random {
  return new Random(`${seed}:blocks`);
}

/** Seconds that the first `blocks` blocks take, so that a history can end exactly at a given moment. */
export function historySeconds(seed: string, blocks: number): number {
  const random = blockStream(seed);
  let seconds = 0;
  for (let left = blocks; left > 0; left -= 1) seconds += blockInterval(random);
  return seconds;
}
