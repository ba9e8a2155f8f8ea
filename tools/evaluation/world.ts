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

const MINUTE = 60;
const HOUR = 3600;

/** Mean number of waiting transactions that can never be mined. */
export const REGIMES = { none: 0, small: 20, large: 180, huge: 2000 } as const;
export type Regime = keyof typeof REGIMES;

/** The world in which the rules are tuned and reported. */
export const WORLD = {
  /** The fee that wallets suggest for a transfer. */
  defaultFee: 3000,
  /** The lowest included fee of a calm day: what is expensive is measured in it. */
  floor: 1000,
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
    transferFee: { median: 2500, sigma: 1.1 } as FeeSpread,
    callFee: { median: 9000, sigma: 0.9 } as FeeSpread,
    deployFee: { median: 50_000, sigma: 0.8 } as FeeSpread,
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
  /** Blocks and tenures. */
  chain: {
    blockSeconds: [5, 15] as Range,
    /** Between burn blocks: at least, and on average beyond that. */
    burnLeast: 240,
    burnMore: 360,
    /** Units of a tenure; ordinary demand uses 40 % of it in ten minutes. */
    tenureUnits: 750,
    /** Units that a transaction uses. */
    units: { token_transfer: 1, contract_call: 1, smart_contract: 1 },
    /** A block takes about this share of a tenure's budget, so a rush uses it up in some minutes. */
    blockShare: 0.03,
    /** A budget that is used up is renewed after this long without a burn block. */
    extendSeconds: 600,
    /** A transaction that is not mined is dropped after this long. */
    expirySeconds: 2560 * MINUTE,
  },
  /** The exporter or the API is down. */
  outage: { perFourWeeks: 4, lasts: [10 * MINUTE, 6 * HOUR] as Range },
  /** Many senders want the same thing: most arrivals at the start, and unmined transactions are withdrawn. */
  rush: {
    perFourWeeks: 7,
    lasts: [25 * MINUTE, 180 * MINUTE] as Range,
    perSecond: [2, 8] as Range,
    fee: [40_000, 200_000] as Range,
    sigma: 0.8,
  },
  /** The same for some minutes. */
  flash: {
    perFourWeeks: 6,
    lasts: [3 * MINUTE, 9 * MINUTE] as Range,
    perSecond: [1, 4] as Range,
    fee: [20_000, 100_000] as Range,
    sigma: 0.8,
  },
  /** Ordinary demand several times over, in more or less of a hurry (what they pay relative to the usual fee). */
  surge: {
    perFourWeeks: 4,
    lasts: [5 * HOUR, 20 * HOUR] as Range,
    factor: [2, 8] as Range,
    urgency: [1, 6] as Range,
    ramp: [10 * MINUTE, 5 * HOUR] as Range,
  },
  /** More cheap transfers than fit, all at one fee, in default fees. */
  flood: {
    perFourWeeks: 4,
    lasts: [10 * MINUTE, 40 * MINUTE] as Range,
    perSecond: [2, 8] as Range,
    fee: [0.8, 3] as Range,
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
  shift: { perFourWeeks: 0.4, factor: [1.5, 4] as Range },
};

/** A market to play. */
export type World = typeof WORLD;

/** Demand relative to its weekly mean: highest in the afternoon (UTC), low on weekends. `at` is since Monday 0:00. */
export function rhythm(at: number): number {
  const hour = (at % (24 * HOUR)) / HOUR;
  const weekend = Math.floor(at / (24 * HOUR)) % 7 >= 5 ? 0.85 : 1;
  return weekend * (1 + 0.35 * Math.sin(((hour - 9) / 24) * 2 * Math.PI));
}
