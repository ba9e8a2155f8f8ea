// Every number that an alert or a recording rule compares with, in one place. The evaluation of the fee rules imports the same
// numbers, so what is published about them is about these.

/** A duration as Prometheus writes it: one number and one unit. */
export type Duration = `${number}${"s" | "m" | "h" | "d"}`;

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Seconds of a duration: `5m` gives 300. */
export function seconds(duration: Duration): number {
  return Number(duration.slice(0, -1)) * UNIT_SECONDS[duration.slice(-1) as keyof typeof UNIT_SECONDS];
}

/**
 * Fee market. "Low" is the priority `low`, the median of what waits, of all types together. Its *ratio* is the median over
 * `fast` (or `slow`) divided by its baseline; the *backlog ratio* is the number of waiting transactions divided by its baseline.
 */
export const FEES = {
  /** The usual level: median over `window` of medians over `smoothing`, taken every `interval`. */
  baseline: {
    interval: "5m",
    smoothing: "10m",
    window: "7d",
    /** No baseline, and so no ratio, before there is that much history. */
    leastHistory: "1d",
    /** A baseline older than this is not used. */
    staleness: "15m",
  },
  /** Windows over which the present fee is the median. */
  windows: { fast: "3m", slow: "30m" },
  /**
   * Use of the blocks: how fast the budget of tenures is used up, in the fullest dimension: the rate over `window` of the used
   * share, which starts from zero with each tenure as a counter does, times `tenure`, the usual length of one. 1 is as much as
   * tenures allow. The share itself tells little: it is small at the start of any tenure and large at the end of a long one.
   * Unknown: the alerts do without it.
   */
  blockUsage: {
    window: "10m",
    tenure: "10m",
    /** Up to here blocks have room: a high fee is nobody's price. Ratio. */
    roomUpTo: 0.8,
    /** Below this nobody who pays anything is kept out. Ratio. */
    idleBelow: 0.6,
  },
  /** StacksFeeSpike: ratio (fast) > feeRatio, backlog ratio > backlogRatio, at least leastWaiting wait, blocks not known to have room. */
  spike: { feeRatio: 3, backlogRatio: 4, leastWaiting: 20, for: "1m", keepFiringFor: "30m" },
  /** StacksFeeElevated: ratio (slow) > feeRatio, backlog ratio > backlogRatio, at least leastWaiting wait, blocks not known to have room. */
  elevated: { feeRatio: 2, backlogRatio: 3, leastWaiting: 20, for: "5m", keepFiringFor: "1h" },
  /** StacksMempoolBacklog: backlog ratio > backlogRatio, at least leastWaiting wait, blocks not known to have room. */
  backlog: { backlogRatio: 3, leastWaiting: 100, for: "10m", keepFiringFor: "30m" },
  /** StacksFeeTopHeavy: priority high over low > spreadRatio while ratio (fast) < feeRatioBelow, at least leastWaiting wait. */
  topHeavy: { spreadRatio: 50, feeRatioBelow: 1.5, leastWaiting: 20, for: "30m", keepFiringFor: "30m" },
  /** StacksMempoolStuckCluster: ratio (fast) > feeRatio while blocks are idle or, their use unknown, backlog ratio < backlogRatioBelow. */
  stuckCluster: { feeRatio: 3, backlogRatioBelow: 1.5, leastWaiting: 20, for: "15m", keepFiringFor: "30m" },
  /** StacksFeesLow (optional): ratio (slow) < feeRatioBelow, at least leastWaiting wait. */
  low: { feeRatioBelow: 0.7, leastWaiting: 20, for: "30m", keepFiringFor: "1h" },
  /** StacksFeeAbsolute (optional): priority medium above a budget of one's own. MicroSTX, by type. */
  absolute: {
    microstx: { token_transfer: 100_000, contract_call: 500_000, smart_contract: 2_000_000 },
    for: "5m",
    keepFiringFor: "30m",
  },
  /** StacksOwnFeeAboveMarket: median of the fees that an address paid within `window` > feeRatio times priority medium of the type. */
  own: { feeRatio: 3, window: "1h", leastTransactions: 3, for: "5m", keepFiringFor: "30m" },
} as const;
