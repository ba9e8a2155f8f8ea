// The outflow of an address within an hour, by the block times of its transactions. The increase of a counter is not
// sufficient: after an outage, or with a long interval, one poll counts the outflow of many hours. Pure.

/** The outflow of one block. */
export interface Spent {
  /** Unix time in seconds. */
  readonly time: number;
  /** MicroSTX, or base units of a token. */
  readonly amount: bigint;
}

/** The largest amount within an hour that contains transactions of a poll. */
interface Peak {
  /** Time of the poll. Unix time in milliseconds. */
  readonly countedAt: number;
  readonly amount: bigint;
}

/** The outflow of one asset. */
export interface Outflow {
  /** Outflows of the last hour of block time, ascending: later ones can share an hour with them. */
  readonly recent: readonly Spent[];
  /** Peaks of the last hour, the largest first. A peak before a larger one is left out. */
  readonly peaks: readonly Peak[];
}

export const NO_OUTFLOW: Outflow = { recent: [], peaks: [] };

const HOUR_SECONDS = 3600;
const HOUR_MS = 3_600_000;

/** The largest amount within an hour, of the hours with transactions that were counted in the hour before the poll. */
export const largestOutflow = ({ peaks }: Outflow): bigint => peaks[0]?.amount ?? 0n;

/** Adds what a poll has counted. @param now Unix time in milliseconds */
export function withOutflow(before: Outflow, spent: readonly Spent[], now: number): Outflow {
  const peaks = before.peaks.filter(({ countedAt }) => countedAt > now - HOUR_MS);
  if (spent.length === 0) return { ...before, peaks };
  const all = byBlock(before.recent, spent);
  const amount = largestWithNew(all);
  const lastHour = (all.at(-1)?.time ?? 0) - HOUR_SECONDS;
  return {
    recent: all.filter(({ time }) => time > lastHour).map(({ time, amount }) => ({ time, amount })),
    peaks: [...peaks.filter((peak) => peak.amount > amount), { countedAt: now, amount }],
  };
}

interface Block extends Spent {
  readonly isNew: boolean;
}

function byBlock(recent: readonly Spent[], spent: readonly Spent[]): readonly Block[] {
  const blocks = new Map<number, Block>(recent.map((block) => [block.time, { ...block, isNew: false }]));
  for (const { time, amount } of spent) {
    blocks.set(time, { time, amount: amount + (blocks.get(time)?.amount ?? 0n), isNew: true });
  }
  return [...blocks.values()].sort((a, b) => a.time - b.time);
}

/** The largest sum of an hour that contains a new block. */
function largestWithNew(blocks: readonly Block[]): bigint {
  let largest = 0n;
  let sum = 0n;
  let newBlocks = 0;
  let first = 0;
  for (const { time, amount, isNew } of blocks) {
    sum += amount;
    newBlocks += isNew ? 1 : 0;
    for (let left = blocks[first]; left !== undefined && left.time <= time - HOUR_SECONDS; left = blocks[first]) {
      sum -= left.amount;
      newBlocks -= left.isNew ? 1 : 0;
      first += 1;
    }
    if (newBlocks > 0 && sum > largest) largest = sum;
  }
  return largest;
}
