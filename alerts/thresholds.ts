// Every number of the alerts and recording rules. Those in LIMITS are values: `stacks-exporter rules` and the chart
// take others. The evaluation of the fee rules imports the same numbers, so its published results apply to these rules.

/** A duration in the format of Prometheus: one number and one unit. */
export type Duration = `${number}${"s" | "m" | "h" | "d"}`;

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Converts a duration to seconds: `5m` gives 300. */
export function seconds(duration: Duration): number {
  return Number(duration.slice(0, -1)) * UNIT_SECONDS[duration.slice(-1) as keyof typeof UNIT_SECONDS];
}

/** MicroSTX per STX: alerts show amounts in STX. */
export const MICRO = 1_000_000;

/** The limits of an alert. */
export interface Limits {
  readonly for: Duration;
  /** Time for which it keeps firing after the condition has ended: bridges gaps and flapping. */
  readonly keepFiringFor?: Duration;
  readonly [limit: string]: number | Duration | undefined;
}

/** The limits of each alert. */
export const LIMITS = {
  /**
   * Lowest fee of mined contract calls, divided by the 25th percentile of the usual fee, both from the collector
   * `transactions`. While blocks have room, some cheap calls are always mined, so it exceeds 1 only when they wait. Its
   * condition is met above `feeRatio` throughout `window`, or above both limits now: `window` has
   * no effect unless `highRatio` is the higher one.
   */
  StacksFeeSpike: { feeRatio: 2.8, window: "9m", highRatio: 8, for: "0s", keepFiringFor: "30m" },
  /** Median fee of mined transactions above your own budget, in STX. */
  StacksFeeAbsolute: { transferStx: 0.1, callStx: 0.5, for: "5m", keepFiringFor: "30m" },
  /** Mean fee that an address paid above feeRatio times the highest median fee of its type. */
  StacksOwnFeeAboveMarket: { feeRatio: 3, minTransactions: 3, for: "5m", keepFiringFor: "30m" },

  /** The limits are `max_outflow` of the watch list. What is counted is confirmed: there is nothing to wait for. */
  StacksAddressOutflowHigh: { for: "0s", keepFiringFor: "15m" },
  /** Outflow above ratio times its usual level, and above minStx. */
  StacksAddressOutflowUnusual: { ratio: 10, minStx: 10_000, for: "5m", keepFiringFor: "30m" },
  /** The limits are `silent_after` of the watch list. */
  StacksAddressSilent: { for: "5m", keepFiringFor: "10m" },
  /** Share of failed transactions among those sent, and their number. */
  StacksAddressTransactionsFailing: { ratio: 0.3, minFailed: 3, for: "5m", keepFiringFor: "30m" },
  /** The value that a limit needs is absent after the first polls. */
  StacksAddressLimitUnwatched: { for: "5m" },
  /** The limits are `min_balance` of the watch list. */
  StacksAddressBalanceLow: { for: "1m", keepFiringFor: "15m" },
  /**
   * Burn blocks until the prepare phase of the cycle that begins where the lock ends; 144 are a day. The cycles are
   * those of mainnet: of 2,100 burn blocks since the first one, the last 100 to prepare the next.
   */
  StacksAddressUnlockSoon: {
    burnBlocks: 144,
    firstBurnBlock: 666_050,
    cycle: 2100,
    prepare: 100,
    for: "5m",
    keepFiringFor: "15m",
  },
  StacksAddressBehind: { transactions: 100, for: "1h", keepFiringFor: "10m" },
  StacksAddressReverted: { for: "2m" },
  /** Minutes for which a transaction that the address sends has waited. */
  StacksAddressTransactionStuck: { minutes: 20, for: "1m", keepFiringFor: "5m" },
  /**
   * Transactions that the missing nonce blocks. It waits for longer than the interval of `mempool_transactions`, which
   * sees a nonce that arrives late. It keeps firing until the blocked transactions are mined and
   * StacksAddressTransactionStuck has ended.
   */
  StacksAddressNonceGap: { transactions: 1, for: "5m", keepFiringFor: "15m" },

  /** The limits are `silent_after` of the watch list. */
  StacksContractSilent: { for: "5m", keepFiringFor: "10m" },
  /** Share of failed calls, and their number. Failed calls per successful call: more than times as many as usual. */
  StacksContractCallsFailing: { ratio: 0.2, times: 3, minFailed: 5, for: "5m", keepFiringFor: "30m" },
  StacksContractEventsGap: { for: "2m" },
  StacksContractEventsReverted: { for: "2m" },
  StacksAddressContractDeployed: { for: "1m" },

  /** Age of the newest block: about 60 blocks. */
  StacksChainTipStale: { minutes: 10, for: "5m", keepFiringFor: "5m" },
  /** Age of the newest burn block: nine times the mean interval. */
  StacksBurnTipStale: { minutes: 90, for: "5m", keepFiringFor: "5m" },
  StacksChainReorgDeep: { blocks: 2, for: "1m" },
  StacksTenureShort: { blocks: 10, for: "15m", keepFiringFor: "15m" },
  StacksChainBlocksSkipped: { for: "2m" },

  StacksExporterDown: { for: "5m" },
  StacksExporterAbsent: { for: "10m" },
  StacksUpstreamDown: { for: "5m", keepFiringFor: "5m" },
  StacksApiUnauthorized: { failures: 2, for: "1m" },
  StacksCollectorFailing: { for: "15m", keepFiringFor: "5m" },
  /** Age of the last success, in intervals. */
  StacksCollectorStale: { intervals: 5, for: "5m", keepFiringFor: "5m" },
  StacksCollectorRetired: { for: "5m", keepFiringFor: "5m" },
  StacksMempoolFrozen: { for: "5m", keepFiringFor: "5m" },
  /** Actual interval divided by the configured one. */
  StacksBudgetStretched: { ratio: 1.5, for: "15m", keepFiringFor: "5m" },
  /** Requests left in the reserve, in minutes of an even share of the month. The reserve holds six hours. */
  StacksBudgetMonthLow: { minutes: 6, for: "15m", keepFiringFor: "5m" },
  StacksUpstreamRateLimited: { pauses: 3, for: "2m" },
  StacksSchemaDrift: { for: "10m" },
  StacksLabelOverflow: { for: "2m" },
  StacksSeriesHigh: { ratio: 0.9, for: "30m", keepFiringFor: "5m" },
  StacksReloadRefused: { for: "5m", keepFiringFor: "5m" },
  StacksStateWriteFailing: { for: "5m" },
  /** It ends after the alerts that it inhibits, as StacksNoUpstreamUp does. */
  StacksStateDamaged: { for: "2m", keepFiringFor: "6m" },
  StacksShardsDisagree: { for: "10m", keepFiringFor: "5m" },
  StacksShardMissing: { for: "10m" },
  StacksNoUpstreamUp: { for: "5m", keepFiringFor: "6m" },
  /** Longer than a restart or an update of the API. */
  StacksUpstreamUnavailable: { for: "1h", keepFiringFor: "10m" },
} as const satisfies Readonly<Record<`Stacks${string}`, Limits>>;

/** What StacksFeeSpike compares: the lowest fee of these transactions with this percentile of the usual fee. */
export const PRICE = { type: "contract_call", usual: "p25" } as const;

/** Baselines that are recorded: how often, and the age from which one is not used. */
export const BASELINES = { interval: "5m", staleness: "15m" } as const;

/** The usual outflow of an address. A poll counts what was sent since the last one, at most `window` ago. */
export const OUTFLOW = { window: "1h", baseline: "7d", minHistory: "1d" } as const;

/** Failed calls of a contract: lately, and usually. */
export const FAILED_CALLS = { window: "1h", baseline: "7d" } as const;

/** Times that the alerts look back. */
export const WINDOWS = {
  /** What an address sent or paid; what was skipped, reverted, replaced or cut off; pauses of the server. */
  usual: "1h",
  tenures: "2h",
  /** How long a target counts as an exporter after its last successful scrape. */
  exporter: "7d",
  unauthorized: "15m",
  stateWrite: "15m",
  /** StacksMempoolFrozen: no change despite new blocks, although polls are at least this frequent. */
  mempoolFrozen: "15m",
  mempoolPolls: "5m",
} as const satisfies Readonly<Record<string, Duration>>;

/** Largest age of the last success that counts as fresh, in intervals: one is usual, two means one failed poll. */
export const FRESH_BELOW = 2.5;
