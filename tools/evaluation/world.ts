// The assumed market, every number of it. Nothing here was measured on a chain: no minute-by-minute history of a Stacks
// mempool is public. Fees in µSTX, times in seconds.

/** A fee around `median`; `sigma` is the deviation of its logarithm. */
export interface FeeSpread {
  readonly median: number;
  readonly sigma: number;
}

/** From one number to another. */
export type Range = readonly [low: number, high: number];

/** A factor that changes slowly around 1: deviation of its logarithm, and how long a mood lasts. */
export interface Swing {
  readonly sigma: number;
  readonly seconds: number;
}

/**
 * Renews a budget, or only its reads, between two times: at the earliest `seconds` after the last renewal, when this
 * share of it is used.
 */
export interface Extend {
  readonly from: number;
  readonly until: number;
  readonly seconds: number;
  readonly leastUsed: number;
  readonly only?: "reads";
}
export const FOREVER = Number.POSITIVE_INFINITY;

const MINUTE = 60;
const HOUR = 3600;

/** Mean number of waiting transactions that can never be mined. */
export const REGIMES = { none: 0, small: 20, large: 180, huge: 2000 } as const;
export type Regime = keyof typeof REGIMES;

/** The world in which the rules are tuned and reported. */
export const WORLD = {
  /** The fee that wallets suggest for a transfer. */
  defaultFee: 2000,
  /** Ordinary demand and fees. */
  people: {
    /** Transactions a second, averaged over the week. */
    perSecond: 0.5,
    mood: { sigma: 0.25, seconds: 2 * HOUR } as Swing,
    transfers: 0.54,
    deploys: 0.01,
    /** Share of them that pays nothing, and that miners include before all others. */
    free: 0,
    /** Share of the transfers at the default fee; the rest is spread. */
    atDefault: 0.6,
    transferFee: { median: 1500, sigma: 0.9 } as FeeSpread,
    callFee: { median: 2000, sigma: 0.7 } as FeeSpread,
    deployFee: { median: 50_000, sigma: 0.8 } as FeeSpread,
    /** Number of senders; the nth most active one sends in proportion to 1 / n. */
    senders: 5000,
    /** A queue of this many beyond the nonce gaps halves the number of those who join it. */
    deterredBy: 2500,
    /** Share of the senders that follow the fees of the API, and the priority they pay: low, medium, else high. */
    following: 0.3,
    payingLow: 0.5,
    payingMedium: 0.35,
  },
  /** Transactions whose earlier nonce is missing: every pool carries some around. */
  gaps: {
    seconds: 4 * HOUR,
    fee: { median: 6000, sigma: 1.2 } as FeeSpread,
    mood: { sigma: 0.2, seconds: 24 * HOUR } as Swing,
  },
  /** Blocks and budgets. */
  chain: {
    blockSeconds: [5, 15] as Range,
    /** Between burn blocks: at least, and on average beyond that. Each renews the budget. */
    burnLeast: 240,
    burnMore: 360,
    /** Average calls that use up the reads of a budget; ordinary demand uses 40 % of all budgets. */
    budget: 82,
    /** Writes of an average call, relative to its reads. */
    writes: 0.5,
    /** Cost of a transaction in average calls, and the deviation of the logarithm for calls. */
    cost: { token_transfer: 0, contract_call: 1, smart_contract: 3 },
    costSigma: 0.5,
    /** Functions, the nth with 1 / n of the calls, by whose cost nodes compare fees; 0: each call has its own cost. */
    functions: 60,
    /** A block takes about this share of the rest of a budget. */
    blockShare: 0.25,
    /** Transfers of STX are limited by the size of a block only. */
    transfersPerBlock: 1000,
    /** Renewals without a burn block. */
    extends: [{ from: 0, until: FOREVER, seconds: 144, leastUsed: 0.5 }] as readonly Extend[],
    /** A transaction that is not mined is dropped after this long. */
    expirySeconds: 2560 * MINUTE,
  },
  /** The exporter or the API is down. */
  outage: { perFourWeeks: 4, lasts: [10 * MINUTE, 6 * HOUR] as Range },
  /**
   * Many senders want the same thing: most arrivals at the start, or after a `ramp` in which they grow, and unmined
   * transactions are withdrawn.
   */
  rush: {
    perFourWeeks: 7,
    lasts: [25 * MINUTE, 180 * MINUTE] as Range,
    ramp: 0,
    perSecond: [2, 8] as Range,
    fee: [40_000, 200_000] as Range,
    sigma: 0.8,
  },
  /** The same for some minutes. */
  flash: {
    perFourWeeks: 2,
    lasts: [3 * MINUTE, 9 * MINUTE] as Range,
    ramp: 0,
    perSecond: [1, 4] as Range,
    fee: [20_000, 100_000] as Range,
    sigma: 0.8,
  },
  /** Ordinary demand several times over, in more or less of a hurry (what they pay relative to the usual fee). */
  surge: {
    perFourWeeks: 2,
    lasts: [5 * HOUR, 20 * HOUR] as Range,
    factor: [2, 8] as Range,
    urgency: [1, 6] as Range,
    ramp: [10 * MINUTE, 5 * HOUR] as Range,
  },
  /** More cheap calls than fit, all at one fee, in default fees. */
  flood: {
    perFourWeeks: 4,
    lasts: [10 * MINUTE, 40 * MINUTE] as Range,
    perSecond: [2, 8] as Range,
    fee: [0.8, 1.5] as Range,
  },
  /** A rush in which those who wait outbid the last full block. */
  war: {
    perFourWeeks: 3,
    lasts: [25 * MINUTE, 90 * MINUTE] as Range,
    ramp: 0,
    perSecond: [1, 4] as Range,
    fee: [10_000, 60_000] as Range,
    sigma: 0.5,
    /** They pay up to this many times the price. */
    outbid: [1.05, 1.5] as Range,
    /** Who would have to pay more than it is worth sends nothing: the median, in fees of the war, and its deviation. */
    worth: { median: 20, sigma: 0.8 } as FeeSpread,
  },
  /** One sender pays far too much for many transactions, though nothing is scarce. */
  whim: {
    perFourWeeks: 2,
    lasts: [30 * MINUTE, 12 * HOUR] as Range,
    perSecond: [0.05, 0.5] as Range,
    /** In default fees. */
    fee: [10, 100] as Range,
  },
  /** A few transactions at an absurd fee that cannot be mined. */
  whale: {
    perFourWeeks: 6,
    lasts: [10 * MINUTE, 4 * HOUR] as Range,
    count: [1, 6] as Range,
    fee: { median: 60_000_000, sigma: 0.7 } as FeeSpread,
  },
  /** Many well paid transactions that cannot be mined. */
  stuck: {
    perFourWeeks: 6,
    lasts: [HOUR, 6 * HOUR] as Range,
    count: [30, 150] as Range,
    fee: { median: 750_000, sigma: 0.7 } as FeeSpread,
  },
  /** From then on everything costs more, though nothing is scarce. */
  shift: { perFourWeeks: 0.4, factor: [1.3, 2] as Range },
};

/** A market to play. */
export type World = typeof WORLD;

/** Demand relative to its weekly mean: highest in the afternoon (UTC), low on weekends. `at` is since Monday 0:00. */
export function rhythm(at: number): number {
  const hour = (at % (24 * HOUR)) / HOUR;
  const weekend = Math.floor(at / (24 * HOUR)) % 7 >= 5 ? 0.85 : 1;
  return weekend * (1 + 0.35 * Math.sin(((hour - 9) / 24) * 2 * Math.PI));
}
