// The markets and exporters with which the alerts are evaluated: one assumption changed at a time.
import type { Preset } from "../../src/api/budget-presets.ts";
import { blocks } from "../../src/collectors/blocks/blocks.ts";
import { type DefaultSchedule, scheduleOf } from "../../src/collectors/collector.ts";
import { fees } from "../../src/collectors/fees.ts";
import { mempool } from "../../src/collectors/mempool.ts";
import { transactions } from "../../src/collectors/transactions/transactions.ts";
import { intervalOf, parseSchedule } from "../../src/scheduler/interval.ts";
import type { Polls } from "./exporter.ts";
import { type Regime, WORLD, type World } from "./world.ts";

/** A market, and an exporter on it. */
export interface Setting {
  readonly what: string;
  readonly world: World;
  readonly regimes: readonly Regime[];
  readonly polls: Polls;
  /** Minutes by which servers are behind, one of them at random in each poll. */
  readonly lags?: readonly number[];
}

const { people, chain, flood, stuck, rush, flash, surge, outage } = WORLD;

/** Blocks of another capacity, with as many users and incidents as fill them to the same degree. */
function withCapacity(tenureUnits: number): World {
  const part = tenureUnits / chain.tenureUnits;
  const scaled = <Crowd extends { readonly perSecond: readonly [number, number] }>(crowd: Crowd) => ({
    ...crowd,
    perSecond: [crowd.perSecond[0] * part, crowd.perSecond[1] * part] as const,
  });
  return {
    ...WORLD,
    people: { ...people, perSecond: people.perSecond * part, deterredBy: people.deterredBy * part },
    chain: { ...chain, tenureUnits },
    rush: scaled(rush),
    flash: scaled(flash),
    flood: scaled(flood),
  };
}

const withPeople = (change: Partial<World["people"]>): World => ({ ...WORLD, people: { ...people, ...change } });
const withChain = (change: Partial<World["chain"]>): World => ({ ...WORLD, chain: { ...chain, ...change } });

/** Minutes between two polls of each collector by default. */
function defaultPolls(preset: Preset): Polls {
  const minutes = ({ schedule }: { readonly schedule: DefaultSchedule }) =>
    intervalOf(parseSchedule(scheduleOf(schedule, preset))) / 60_000;
  return {
    fees: minutes(fees),
    mempool: minutes(mempool),
    blocks: minutes(blocks),
    transactions: minutes(transactions),
  };
}

/** The default polls with a free key. */
export const POLLS = defaultPolls("free_key");

const every = (minutes: number): Polls => ({ fees: minutes, mempool: minutes, blocks: minutes, transactions: minutes });
const TYPICAL = { regimes: ["small", "large"], polls: POLLS } as const;

/** The market for which the thresholds are chosen, and the default polls with a free key. */
export const BASE: Setting = { what: "base: 750 transactions in a tenure", world: WORLD, ...TYPICAL };

/** Other markets and exporters. */
export const OTHERS: readonly Setting[] = [
  // The size of mainnet: about 12,000 transactions a day.
  { ...TYPICAL, what: "216 transactions in a tenure", world: withCapacity(216) },
  { ...TYPICAL, what: "72 transactions in a tenure", world: withCapacity(72) },
  { ...TYPICAL, what: "no nonce gaps", world: WORLD, regimes: ["none"] },
  { ...TYPICAL, what: "2,000 nonce gaps", world: WORLD, regimes: ["huge"] },
  { ...TYPICAL, what: "216 in a tenure, 2,000 nonce gaps", world: withCapacity(216), regimes: ["huge"] },
  { ...TYPICAL, what: "idle: users use 2 % of the blocks", world: withPeople({ perSecond: 0.025 }) },
  { ...TYPICAL, what: "users use 60 % of the blocks", world: withChain({ tenureUnits: 500 }) },
  { ...TYPICAL, what: "8 % of the users pay nothing", world: withPeople({ free: 0.08 }) },
  { ...TYPICAL, what: "15 % of the users pay nothing", world: withPeople({ free: 0.15 }) },
  { ...TYPICAL, what: "30 % of the users pay nothing", world: withPeople({ free: 0.3 }) },
  { ...TYPICAL, what: "polls every minute", world: WORLD, polls: every(1) },
  { ...TYPICAL, what: "polls every 5 minutes", world: WORLD, polls: every(5) },
  { ...TYPICAL, what: "servers up to 4 minutes behind", world: WORLD, lags: [0, 0, 1, 2, 4] },
  {
    ...TYPICAL,
    what: "an outage every day",
    world: { ...WORLD, outage: { ...outage, perFourWeeks: 28 } },
  },
  { ...TYPICAL, what: "no user follows the published percentiles", world: withPeople({ following: 0 }) },
  { ...TYPICAL, what: "six of ten users follow them", world: withPeople({ following: 0.6 }) },
  {
    ...TYPICAL,
    what: "wallets suggest the lowest fee that is included",
    world: {
      ...withPeople({
        transferFee: { ...people.transferFee, median: 1500 },
        callFee: { ...people.callFee, median: 3000 },
      }),
      defaultFee: 1000,
      flood: { ...flood, fee: [2.4, 9] },
    },
  },
  {
    ...TYPICAL,
    what: "rushes and surges half as strong",
    world: { ...WORLD, rush: { ...rush, perSecond: [1, 4] }, surge: { ...surge, factor: [1.5, 4] } },
  },
  {
    ...TYPICAL,
    what: "floods pay at most the suggestion of wallets",
    world: { ...WORLD, flood: { ...flood, fee: [0.3, 1] } },
  },
  {
    ...TYPICAL,
    what: "three times as many stuck clusters",
    world: { ...WORLD, stuck: { ...stuck, perFourWeeks: 3 * stuck.perFourWeeks } },
  },
  {
    ...TYPICAL,
    what: "a transfer uses a third of the budget of a call",
    world: withChain({ units: { token_transfer: 0.5, contract_call: 1.5, smart_contract: 3 } }),
  },
];
