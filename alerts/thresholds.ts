// Every number that an alert or a recording rule compares with, in one place. The evaluation of the fee rules imports the same
// numbers, so what is published about them is about these.

/** A duration as Prometheus writes it: one number and one unit. */
export type Duration = `${number}${"s" | "m" | "h" | "d"}`;

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Seconds of a duration: `5m` gives 300. */
export function seconds(duration: Duration): number {
  return Number(duration.slice(0, -1)) * UNIT_SECONDS[duration.slice(-1) as keyof typeof UNIT_SECONDS];
}

/** MicroSTX of one STX: alerts say amounts in STX. */
export const MICRO = 1_000_000;

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
  windows: { fast: "2m", slow: "30m" },
  /**
   * Use of the blocks: execution cost at the pace of the last `fast` (or `slow`) for as long as `tenure`, the usual length of one, over the
   * limit of a tenure, in the fullest dimension. 1 is as much as tenures allow. The used share of the current tenure tells
   * little: it is small at the start of any tenure and large at the end of a long one. Unknown: the alerts do without it.
   */
  blockUsage: {
    /** Several polls of the collector `blocks` each: between two of them, nothing seems to be used. */
    windows: { fast: "4m", slow: "15m" },
    tenure: "10m",
    /**
     * Up to here blocks have room: a high fee is nobody's price. A spike is told of when blocks are about full; a backlog, which
     * says something by itself, unless they are about as empty as on a calm day. Ratio.
     */
    roomUpTo: { fast: 0.75, slow: 0.5 },
    /** Below this nobody who pays anything is kept out. Ratio. */
    idleBelow: 0.6,
  },
  /** StacksFeeSpike: ratio (fast) > feeRatio, backlog ratio > backlogRatio, at least leastWaiting wait, blocks not known to have room. */
  spike: { feeRatio: 3.5, backlogRatio: 3, leastWaiting: 500, for: "1m", keepFiringFor: "30m" },
  /** StacksFeeElevated: ratio (slow) > feeRatio, backlog ratio > backlogRatio, at least leastWaiting wait, blocks not known to have room. */
  elevated: { feeRatio: 2, backlogRatio: 3, leastWaiting: 500, for: "5m", keepFiringFor: "1h" },
  /** StacksMempoolBacklog: backlog ratio > backlogRatio, at least leastWaiting wait, blocks not known to have room. */
  backlog: { backlogRatio: 4, leastWaiting: 500, for: "1m", keepFiringFor: "1h" },
  /** StacksFeeTopHeavy: priority high over low > spreadRatio while ratio (fast) < feeRatioBelow, at least leastWaiting wait. */
  topHeavy: { spreadRatio: 50, feeRatioBelow: 1.5, leastWaiting: 20, for: "30m", keepFiringFor: "30m" },
  /** StacksMempoolStuckCluster: ratio (fast) > feeRatio while blocks are idle or, their use unknown, backlog ratio < backlogRatioBelow; at least leastWaiting wait. */
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

/** Watched addresses. */
export const ADDRESSES = {
  /** Groups of the watch list that alerts look for; a group that nobody uses makes its alert silent. */
  groups: { heartbeat: "heartbeat", treasury: "treasury" },
  /** StacksAddressOutflowHigh (optional): STX that left within `window`, fees included. MicroSTX. */
  outflowHigh: { microstx: 100_000_000_000, window: "1h", for: "2m", keepFiringFor: "15m" },
  /** StacksAddressOutflowUnusual: outflow within `window` > ratio times its median over `baseline`, and > leastMicrostx. */
  outflowUnusual: {
    ratio: 10,
    leastMicrostx: 10_000_000_000,
    window: "1h",
    baseline: "7d",
    leastHistory: "1d",
    for: "5m",
    keepFiringFor: "30m",
  },
  /** StacksAddressSilent: an address of the group heartbeat has sent nothing for longer than this. */
  silent: { after: "2h", for: "5m", keepFiringFor: "10m" },
  /** StacksAddressTransactionsFailing: share of failed among those sent within `window`, when at least leastFailed failed. */
  failing: { ratio: 0.3, leastFailed: 3, window: "1h", for: "5m", keepFiringFor: "30m" },
  /** StacksAddressNewAsset (optional): an asset received there within `now`, received within `fresh` and not within `memory` before, by an address known for `known`. */
  newAsset: { now: "3m", memory: "7d", fresh: "1h", known: "1d", for: "2m" },
  /** StacksAddressUnprotectedTransaction: of the group treasury, within `window`. */
  unprotected: { window: "1h", for: "2m" },
  /** StacksSponsorFeesHigh (optional): fees paid as a sponsor within `window`. MicroSTX. */
  sponsor: { microstx: 50_000_000, window: "1d", for: "5m", keepFiringFor: "1h" },
  /** StacksAddressBehind: transactions that are not read yet. */
  behind: { transactions: 100, for: "1h", keepFiringFor: "10m" },
  /** StacksAddressGap, StacksAddressReverted, StacksAddressCountingRepaired: any, within `window`. */
  gap: { window: "1h", for: "2m" },
  reverted: { window: "1h", for: "2m" },
  repaired: { window: "1h", for: "2m" },
} as const;

/** Watched contracts. */
export const CONTRACTS = {
  /** StacksContractSilent: no event for ratio times the mean time between events over `baseline`, and for longer than `least`. */
  silent: { ratio: 10, least: "1h", baseline: "7d", leastEvents: 20, for: "10m", keepFiringFor: "10m" },
  /** StacksContractEventsGap, StacksContractEventsReverted: any, within `window`. */
  gap: { window: "1h", for: "2m" },
  reverted: { window: "1h", for: "2m" },
} as const;

/** The chain. */
export const CHAIN = {
  /** StacksChainTipStale: age of the newest block; about 60 blocks are missing. */
  tipStale: { after: "10m", for: "5m", keepFiringFor: "5m" },
  /** StacksBurnTipStale: age of the newest anchor; nine times the mean between two burn blocks. */
  burnTipStale: { after: "90m", for: "5m", keepFiringFor: "5m" },
  /** StacksChainReorgDeep: blocks replaced at once, noticed within `window`. */
  reorg: { blocks: 2, window: "1h", for: "1m" },
  /** StacksTenureShort: blocks of a tenure, the median over `window`. */
  tenureShort: { blocks: 10, window: "2h", for: "15m", keepFiringFor: "15m" },
  /** StacksChainBlocksSkipped: any, within `window`. */
  skipped: { window: "1h", for: "2m" },
} as const;

/** The upstreams of a network. */
export const UPSTREAMS = {
  noneUp: { for: "5m", keepFiringFor: "5m" },
  /** StacksUpstreamUnavailable: long enough for a restart or an update of the API. */
  oneDown: { for: "1h", keepFiringFor: "10m" },
  /** StacksUpstreamsDisagree: any within `window`; they are compared once an hour. */
  disagreement: { window: "2h", for: "1m" },
} as const;

/** The exporter and the API behind it. */
export const EXPORTER = {
  /** An age of the last success up to here counts as fresh. Intervals of the collector; one is usual, two means one failed poll. */
  freshBelow: 2.5,
  absent: { for: "10m" },
  /** StacksExporterDown: how long it is known that a target was an exporter; with another one there, nothing else tells of it then. */
  down: { memory: "7d", for: "5m" },
  upstreamDown: { for: "5m", keepFiringFor: "5m" },
  collectorFailing: { for: "15m", keepFiringFor: "5m" },
  /** StacksCollectorStale: age of the last success. Intervals. */
  collectorStale: { intervals: 5, for: "5m" },
  collectorRetired: { for: "5m" },
  operationRetired: { for: "5m" },
  /** StacksMempoolFrozen: no change within `window` while blocks came, polled at least every `slowest`. */
  mempoolFrozen: { window: "15m", slowest: "5m", for: "5m", keepFiringFor: "5m" },
  /** StacksBudgetStretched: how much slower than wished polls are. Ratio. */
  budgetStretched: { ratio: 1.5, for: "15m" },
  /**
   * StacksBudgetMonthLow: what may leave at once of an even share of the month, which is kept for about an hour. Hours of that
   * share.
   */
  budgetMonthLow: { hours: 0.1, for: "15m" },
  /** StacksUpstreamRateLimited: pauses that the server asked for within `window`. */
  rateLimited: { pauses: 3, window: "1h", for: "2m" },
  /** StacksApiUnauthorized: at least `failures` failed polls within `window`. */
  unauthorized: { failures: 2, window: "15m", for: "1m" },
  /** StacksSchemaDrift: unexpected values within `window`. */
  schemaDrift: { window: "1h", for: "10m" },
  /** StacksLabelOverflow: any, within `window`. */
  labelOverflow: { window: "1h", for: "2m" },
  /** StacksSeriesHigh: series on the page over those that there may be. Ratio. */
  seriesHigh: { ratio: 0.9, for: "30m" },
  watchListReload: { for: "5m" },
  /** StacksStateWriteFailing: failed writes within `window`. */
  stateWrite: { window: "15m", for: "5m" },
  /** StacksStateRowSetAside: a row was set aside within `window`. */
  stateRowSetAside: { window: "1d", for: "2m" },
  /** StacksOperationDeprecated (optional): any, within `window`. */
  deprecated: { window: "1h", for: "1h" },
} as const;
