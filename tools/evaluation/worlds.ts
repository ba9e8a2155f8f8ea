// The markets and exporters with which the alerts are evaluated: one assumption changed at a time.

import { transactions } from "../../src/collectors/transactions/transactions.ts";
import { parseSchedule } from "../../src/config/interval.ts";
import { type Extend, FOREVER, type Range, type Regime, WORLD, type World } from "./world.ts";

/** A market, and an exporter on it. */
export interface Setting {
  readonly what: string;
  readonly world: World;
  readonly regimes: readonly Regime[];
  /** Minutes between two polls. */
  readonly every: number;
  /** Minutes by which servers are behind, one of them at random in each poll. */
  readonly lags?: readonly number[];
}

const { people, chain, flood, rush, flash, war, whim, stuck, surge } = WORLD;

/** Renewals of the whole budget, at the earliest so many seconds after the last one. */
const every = (seconds: number, from = 0, until = FOREVER): Extend => ({ from, until, seconds, leastUsed: 0.5 });

// Average calls of a budget for the same use of blocks: with 36 s between renewals a budget is used up to two thirds,
// and with burn blocks only, it lasts for a tenure.
const CALLS = { 600: 340, 144: chain.budget, 36: 31 } as const;

const withPeople = (change: Partial<World["people"]>, world = WORLD): World => ({
  ...world,
  people: { ...world.people, ...change },
});
const withChain = (change: Partial<World["chain"]>, world = WORLD): World => ({
  ...world,
  chain: { ...world.chain, ...change },
});

/** Budgets that are renewed with tenures only, which was so until January 2025. */
const TENURES = withChain({ budget: CALLS[600], extends: [], blockShare: 0.03 });
const FAST = withChain({ budget: CALLS[36], extends: [every(36)] });

/** Blocks of another capacity, with as many users and incidents as fill them to the same degree. */
function scaled(part: number, world = WORLD): World {
  const crowd = <Crowd extends { readonly perSecond: readonly [number, number] }>(one: Crowd) => ({
    ...one,
    perSecond: [one.perSecond[0] * part, one.perSecond[1] * part] as const,
  });
  const { perSecond, deterredBy } = world.people;
  return {
    ...withPeople({ perSecond: perSecond * part, deterredBy: deterredBy * part }, world),
    chain: { ...world.chain, budget: world.chain.budget * part },
    rush: crowd(rush),
    flash: crowd(flash),
    flood: crowd(flood),
    war: crowd(war),
    whim: crowd(whim),
  };
}

/** Wallets that suggest about the lowest fee that is included. */
const AT_THE_FLOOR: World = {
  ...withPeople({
    transferFee: { ...people.transferFee, median: 1500 },
    callFee: { median: 1200, sigma: 0.5 },
  }),
  defaultFee: 1000,
  flood: { ...flood, fee: [1.6, 3] },
};
/** Wallets that suggest three times as much. */
const AT_THREE_FLOORS: World = { ...withPeople({ callFee: { ...people.callFee, median: 3000 } }), defaultFee: 3000 };

/** Mints that pay a part of what they pay elsewhere, and grow for some seconds. */
function mints(part: number, ramp = 0): World {
  const changed = <Mint extends { readonly fee: Range }>(mint: Mint) => ({
    ...mint,
    ramp,
    fee: [mint.fee[0] * part, mint.fee[1] * part] as const,
  });
  return { ...WORLD, rush: changed(rush), flash: changed(flash), war: changed(war) };
}

const DEARER_FLOODS: World["flood"] = { ...flood, fee: [0.8, 3] };

/** More short rises: mints of some minutes, surges and senders that overpay are more frequent, and floods dearer. */
const restless = (world: World): World => ({
  ...world,
  flash: { ...world.flash, perFourWeeks: 6 },
  surge: { ...world.surge, perFourWeeks: 4 },
  whim: { ...world.whim, perFourWeeks: 4 },
  flood: DEARER_FLOODS,
});

/** Minutes between two polls by default, with a free key. */
const EVERY = parseSchedule(transactions.schedule.free_key).intervalMs / 60_000;

const TYPICAL = { regimes: ["small", "large"], every: EVERY } as const;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** The markets for which the thresholds are chosen, and the default polls with a free key. */
export const BASE: readonly Setting[] = [
  { ...TYPICAL, what: "renewed after 144 s", world: WORLD },
  { ...TYPICAL, what: "renewed after 36 s", world: FAST },
  {
    ...TYPICAL,
    what: "after 144 s, then after 36 s",
    world: withChain({ extends: [every(144, 0, 18 * DAY), every(36, 18 * DAY)] }),
  },
];

/** Other markets and exporters: one assumption changed at a time. */
export const OTHERS: readonly Setting[] = [
  { ...TYPICAL, what: "wallets suggest about the lowest fee", world: AT_THE_FLOOR },
  { ...TYPICAL, what: "wallets suggest three times the lowest fee", world: AT_THREE_FLOORS },
  {
    ...TYPICAL,
    what: "reads renewed after 36 s, all after 144 s",
    world: withChain({ extends: [every(144), { ...every(36), leastUsed: 0.25, only: "reads" }] }),
  },
  { ...TYPICAL, what: "a third of the transactions", world: scaled(0.33) },
  { ...TYPICAL, what: "a tenth of the transactions", world: scaled(0.1) },
  { ...TYPICAL, what: "2,000 nonce gaps", world: WORLD, regimes: ["huge"] },
  { ...TYPICAL, what: "idle: users use 2 % of the blocks", world: withPeople({ perSecond: 0.025 }) },
  { ...TYPICAL, what: "users use 60 % of the blocks", world: withChain({ budget: 55 }) },
  { ...TYPICAL, what: "15 % of the users pay nothing", world: withPeople({ free: 0.15 }) },
  {
    ...TYPICAL,
    what: "a transfer costs as much as a call",
    world: withChain({ cost: { ...chain.cost, token_transfer: 1 }, budget: 185 }),
  },
  { ...TYPICAL, what: "polls every 5 minutes", world: WORLD, every: 5 },
  { ...TYPICAL, what: "servers up to 4 minutes behind", world: WORLD, lags: [0, 0, 1, 2, 4] },
  { ...TYPICAL, what: "six of ten users follow the published percentiles", world: withPeople({ following: 0.6 }) },
  { ...TYPICAL, what: "four times as many bidding wars", world: { ...WORLD, war: { ...war, perFourWeeks: 12 } } },
  { ...TYPICAL, what: "mints pay a quarter", world: mints(1 / 4) },
  { ...TYPICAL, what: "mints pay an eighth, and grow for 15 minutes", world: mints(1 / 8, 900) },
  {
    ...TYPICAL,
    what: "twice as many floods, dearer, for one to four hours",
    world: { ...WORLD, flood: { ...DEARER_FLOODS, perFourWeeks: 8, lasts: [HOUR, 4 * HOUR] } },
  },
  ...BASE.map((one) => ({ ...one, what: `many short rises, ${one.what}`, world: restless(one.world) })),
  { ...TYPICAL, what: "all calls cost the same", world: withChain({ costSigma: 0, functions: 0 }) },
  {
    ...TYPICAL,
    what: "calls pay nearly the same",
    world: withPeople({ following: 0.1, callFee: { median: 1500, sigma: 0.3 } }, withChain({ costSigma: 0.2 })),
  },
  { ...TYPICAL, what: "calls pay very different fees", world: withPeople({ callFee: { median: 3000, sigma: 1.2 } }) },
  {
    ...TYPICAL,
    what: "eight times as many senders that overpay",
    world: { ...WORLD, whim: { ...whim, perFourWeeks: 16 } },
  },
  {
    what: "irregular renewals, bursts, large and small calls",
    world: withPeople(
      { mood: { sigma: 0.6, seconds: 1800 }, transfers: 0.35, senders: 800 },
      withChain({
        budget: 95,
        costSigma: 1,
        extends: [every(300), { ...every(50), leastUsed: 0.25, only: "reads" }],
        blockSeconds: [3, 40],
      }),
    ),
    regimes: ["small"],
    every: EVERY,
    lags: [0, 0, 0, 1, 3],
  },
  {
    what: "a third of the size, wallets near the lowest fee, users follow, many bidding wars",
    world: {
      ...withPeople({ following: 0.5, atDefault: 0.3 }, scaled(0.33, { ...AT_THE_FLOOR, chain: FAST.chain })),
      war: { ...war, perFourWeeks: 9, perSecond: [0.3, 1.3] },
      shift: { perFourWeeks: 1, factor: [1.3, 2.5] },
    },
    regimes: ["large"],
    every: 4,
  },
];

/** Some of these markets, in which each call has its own cost. Miners know it; others do when it is mined. */
export const BY_CALL: readonly Setting[] = [...BASE.slice(0, 2), ...OTHERS]
  .filter(({ what }) => /^renewed|^twice|^irregular|^many short rises, renewed after 36|pay nearly/.test(what))
  .map((one) => ({ ...one, what: `cost by call, ${one.what}`, world: withChain({ functions: 0 }, one.world) }));

/** Budgets of whole tenures. */
export const WITHOUT_RENEWALS: readonly Setting[] = [
  { ...TYPICAL, what: "renewed with tenures (600 s)", world: TENURES },
  {
    ...TYPICAL,
    what: "renewed with tenures, a transfer costs as much as a call",
    world: withChain({ cost: { ...chain.cost, token_transfer: 1 }, budget: 750 }, TENURES),
  },
];

/** Worlds that changed no number; the first one was not compared either. They have seeds of their own. */
export const HELD_OUT: readonly Setting[] = [
  {
    ...TYPICAL,
    what: "held out: half the size, many functions of very different cost, slow blocks, users follow",
    world: withPeople(
      { following: 0.45, senders: 1500, callFee: { median: 1600, sigma: 0.9 } },
      withChain(
        { functions: 200, costSigma: 0.7, budget: 30, blockSeconds: [8, 25], extends: [every(90)] },
        scaled(0.5),
      ),
    ),
  },
  {
    what: "held out: fast renewals, few senders, very large and very small calls, short and strong mints",
    world: {
      ...withPeople(
        { mood: { sigma: 0.4, seconds: HOUR }, transfers: 0.7, senders: 400, callFee: { median: 2400, sigma: 0.9 } },
        withChain(
          {
            budget: 34,
            costSigma: 0.8,
            extends: [every(75), { ...every(25), leastUsed: 0.25, only: "reads" }],
            blockSeconds: [4, 9],
          },
          restless(WORLD),
        ),
      ),
      rush: { ...rush, perFourWeeks: 10, lasts: [18 * 60, 90 * 60], perSecond: [3, 12] },
      stuck: { ...stuck, perFourWeeks: 12 },
    },
    regimes: ["large"],
    every: EVERY,
    lags: [0, 0, 1, 2],
  },
  {
    what: "held out: equal calls, full half of the time, many floods and surges, renewals that change twice",
    world: {
      ...withPeople(
        { following: 0.15, deterredBy: 1500 },
        withChain(
          {
            budget: 50,
            costSigma: 0,
            functions: 0,
            extends: [every(110, 0, 14 * DAY), every(45, 14 * DAY, 21 * DAY), every(150, 21 * DAY)],
          },
          restless(WORLD),
        ),
      ),
      flood: { ...DEARER_FLOODS, perFourWeeks: 10, lasts: [10 * 60, 4 * HOUR] },
      surge: { ...surge, perFourWeeks: 7, lasts: [2 * HOUR, 12 * HOUR] },
    },
    regimes: ["small"],
    every: EVERY,
  },
];
