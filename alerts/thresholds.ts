// Every number of the alerts and recording rules. The evaluation of the fee rules imports the same numbers, so its
// published results apply to these rules.

/** A duration in the format of Prometheus: one number and one unit. */
export type Duration = `${number}${"s" | "m" | "h" | "d"}`;

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Converts a duration to seconds: `5m` gives 300. */
export function seconds(duration: Duration): number {
  return Number(duration.slice(0, -1)) * UNIT_SECONDS[duration.slice(-1) as keyof typeof UNIT_SECONDS];
}

/** MicroSTX per STX: alerts show amounts in STX. */
export const MICRO = 1_000_000;

/**
 * Fee market. The *fee ratio* compares the 25th percentile of the fees of mined transactions of a type with its usual
 * level, both from the collector `transactions`. The *backlog* is the number of waiting transactions beyond the usual
 * number, in budgets: the transactions that use up the limits which a new tenure or an extend renews.
 */
export const FEES = {
  /** The usual level of waiting transactions: the median over `window`, evaluated every `interval`. */
  baseline: {
    interval: "5m",
    window: "7d",
    /** History needed before there is a baseline. */
    minHistory: "1h",
    /** A baseline older than this is not used. */
    staleness: "15m",
  },
  /** Transactions of a budget, measured over `window`. */
  capacity: { window: "1d" },
  /** StacksFeeSpike: fee ratio of contract calls or of transfers > feeRatio, unless the backlog is <= budgets. */
  spike: { types: ["contract_call", "token_transfer"], feeRatio: 3, budgets: 2, for: "1m", keepFiringFor: "30m" },
  /** StacksFeeAbsolute (optional): median fee of mined transactions above your own budget, in microSTX by type. */
  absolute: {
    microstx: { token_transfer: 100_000, contract_call: 500_000 },
    for: "5m",
    keepFiringFor: "30m",
  },
  /**
   * StacksOwnFeeAboveMarket: mean fee that an address paid within `window` > feeRatio times the median fee of mined
   * transactions of the type.
   */
  own: { feeRatio: 3, window: "1h", minTransactions: 3, for: "5m", keepFiringFor: "30m" },
} as const;

/** Watched addresses. */
export const ADDRESSES = {
  /** StacksAddressOutflowHigh: the limits are `max_outflow` of the watch list. */
  outflowHigh: { for: "1m", keepFiringFor: "15m" },
  /**
   * StacksAddressOutflowUnusual: outflow within `window` > ratio times its median over `baseline`, and >
   * minMicrostx. A poll counts the outflow since the last one, so the interval is at most `window`.
   */
  outflowUnusual: {
    ratio: 10,
    minMicrostx: 10_000_000_000,
    window: "1h",
    baseline: "7d",
    minHistory: "1d",
    for: "5m",
    keepFiringFor: "30m",
  },
  /** StacksAddressSilent: the limits are `silent_after` of the watch list. */
  silent: { for: "5m", keepFiringFor: "10m" },
  /**
   * StacksAddressTransactionsFailing: share of failed transactions among those sent within `window`, and their
   * number.
   */
  failing: { ratio: 0.3, minFailed: 3, window: "1h", for: "5m", keepFiringFor: "30m" },
  /** StacksAddressLimitUnwatched: the value that a limit needs is absent after the first polls. */
  limitUnwatched: { for: "5m", keepFiringFor: "5m" },
  /** StacksAddressBalanceLow: the limits are `min_balance` of the watch list. */
  balanceLow: { for: "2m", keepFiringFor: "15m" },
  /**
   * StacksAddressUnlockSoon: burn blocks until the prepare phase of the cycle in which locked STX unlock; 144 are a
   * day. The cycles are those of mainnet: of 2,100 burn blocks since the first one, the last 100 to prepare the next.
   */
  unlockSoon: {
    burnBlocks: 144,
    firstBurnBlock: 666_050,
    cycle: 2100,
    prepare: 100,
    for: "5m",
    keepFiringFor: "15m",
  },
  /** StacksAddressBehind: transactions not read yet. */
  behind: { transactions: 100, for: "1h", keepFiringFor: "10m" },
  /** StacksAddressGap, StacksAddressReverted, StacksAddressCountingRepaired: any within `window`. */
  gap: { window: "1h", for: "2m" },
  reverted: { window: "1h", for: "2m" },
} as const;

/** Waiting transactions of watched addresses. */
export const WAITING = {
  /** StacksAddressTransactionStuck: time for which a transaction that the address sends has waited. */
  stuck: { after: "20m", for: "1m", keepFiringFor: "5m" },
  /**
   * StacksAddressNonceGap: transactions that the missing nonce blocks. It waits for longer than the interval of
   * `mempool_transactions`, which sees a nonce that arrives late. It keeps firing until the blocked transactions are
   * mined and StacksAddressTransactionStuck has ended.
   */
  nonceGap: { transactions: 1, for: "5m", keepFiringFor: "15m" },
} as const;

/** Watched contracts. */
export const CONTRACTS = {
  /** StacksContractSilent: the limits are `silent_after` of the watch list. */
  silent: { for: "5m", keepFiringFor: "10m" },
  /**
   * StacksContractCallsFailing: share of failed calls within `window`, and their number. Failed calls per successful
   * call: more than `times` as many as over `baseline`.
   */
  failing: { ratio: 0.2, times: 3, minFailed: 5, window: "1h", baseline: "7d", for: "5m", keepFiringFor: "30m" },
  /** StacksContractEventsGap, StacksContractEventsReverted: any within `window`. */
  gap: { window: "1h", for: "2m" },
  reverted: { window: "1h", for: "2m" },
  /** StacksAddressContractDeployed: any within `window`. */
  deployed: { window: "1h", for: "1m" },
} as const;

/** The chain. */
export const CHAIN = {
  /** StacksChainTipStale: age of the newest block, about 60 blocks. */
  tipStale: { after: "10m", for: "5m", keepFiringFor: "5m" },
  /** StacksBurnTipStale: age of the newest burn block, nine times the mean interval. */
  burnTipStale: { after: "90m", for: "5m", keepFiringFor: "5m" },
  /** StacksChainReorgDeep: blocks replaced by one reorganisation, detected within `window`. */
  reorg: { blocks: 2, window: "1h", for: "1m" },
  /** StacksTenureShort: blocks per tenure, the median over `window`. */
  tenureShort: { blocks: 10, window: "2h", for: "15m", keepFiringFor: "15m" },
  /** StacksChainBlocksSkipped: any within `window`. */
  skipped: { window: "1h", for: "2m" },
} as const;

/** The upstreams of a network. */
export const UPSTREAMS = {
  noneUp: { for: "5m", keepFiringFor: "5m" },
  /** StacksUpstreamUnavailable: longer than a restart or an update of the API. */
  oneDown: { for: "1h", keepFiringFor: "10m" },
} as const;

/** The exporter and the API behind it. */
export const EXPORTER = {
  /** Largest age of the last success that counts as fresh, in intervals: one is usual, two means one failed poll. */
  freshBelow: 2.5,
  absent: { for: "10m" },
  /** StacksExporterDown: how long a target counts as an exporter after its last successful scrape. */
  down: { memory: "7d", for: "5m" },
  upstreamDown: { for: "5m", keepFiringFor: "5m" },
  collectorFailing: { for: "15m", keepFiringFor: "5m" },
  /** StacksCollectorStale: age of the last success, in intervals. */
  collectorStale: { intervals: 5, for: "5m" },
  collectorRetired: { for: "5m" },
  /** StacksMempoolFrozen: no change within `window` despite new blocks, polled at least every `slowest`. */
  mempoolFrozen: { window: "15m", slowest: "5m", for: "5m", keepFiringFor: "5m" },
  /** StacksBudgetStretched: actual interval divided by the configured one. */
  budgetStretched: { ratio: 1.5, for: "15m" },
  /**
   * StacksBudgetMonthLow: requests left in the reserve, in hours of an even share of the month. The reserve holds an
   * hour.
   */
  budgetMonthLow: { hours: 0.1, for: "15m" },
  /** StacksUpstreamRateLimited: pauses requested by the server within `window`. */
  rateLimited: { pauses: 3, window: "1h", for: "2m" },
  /** StacksApiUnauthorized: at least `failures` failed polls within `window`. */
  unauthorized: { failures: 2, window: "15m", for: "1m" },
  /** StacksSchemaDrift: unexpected values within `window`. */
  schemaDrift: { window: "1h", for: "10m" },
  /** StacksLabelOverflow: any within `window`. */
  labelOverflow: { window: "1h", for: "2m" },
  /** StacksSeriesHigh: exposed series divided by the limit. */
  seriesHigh: { ratio: 0.9, for: "30m" },
  reload: { for: "5m" },
  shards: { for: "10m" },
  /** StacksStateWriteFailing: failed writes within `window`. */
  stateWrite: { window: "15m", for: "5m" },
  stateDamaged: { for: "2m" },
} as const;
