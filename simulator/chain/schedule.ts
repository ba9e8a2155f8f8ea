// Intervals between blocks. Both kinds of block have their own random stream, so block times do not depend on the
// content of the blocks.
import { Random } from "./random.ts";

/** Virtual seconds between Stacks blocks: 5 to 15, 10 on average. */
export function blockInterval(random: Random): number {
  return random.int(5, 15);
}

/** Virtual seconds between burn blocks: at least 240, about 600 on average, sometimes half an hour. */
export function burnInterval(random: Random): number {
  return Math.round(240 + random.exponential(360));
}

/** The random stream of block intervals of a seed. */
export function blockStream(seed: string): Random {
  return new Random(`${seed}:blocks`);
}

/** Seconds that the first `blocks` blocks take, so that a history can end at a given time. */
export function historySeconds(seed: string, blocks: number): number {
  const random = blockStream(seed);
  let seconds = 0;
  for (let left = blocks; left > 0; left -= 1) seconds += blockInterval(random);
  return seconds;
}
