// Four weeks of a fee market, and the samples of an exporter, minute by minute.
import { roundHalfEven } from "../../simulator/chain/percentile.ts";
import { Random } from "../../simulator/chain/random.ts";
import { type Block, Miner } from "./blocks.ts";
import { Demand, type Published, type Send, shiftFactor } from "./demand.ts";
import { drawIncidents, type Incident } from "./incidents.ts";
import { Pool, type Transaction, TYPES, type Type } from "./pool.ts";
import { type Regime, WORLD, type World } from "./world.ts";

/** The trace begins on a Monday, 00:00 UTC. Unix seconds. */
export const EPOCH = 1_767_571_200;
export const DAYS = 28;
/** Days at the start in which baselines fill and nothing is scored. */
export const TRAINING_DAYS = 8;

/** Minutes between two polls of blocks, as by default. All other values are sampled every minute. */
export const BLOCKS_POLL = 2;
// The lowest included fee of a calm day is a third of the suggestion of wallets: above three floors it is not included.
const FLOORS_IN_DEFAULT = 3;

/** One value a minute; NaN where there is no sample. */
export type Column = Float64Array;

/** What there is to see. Sample `i` was taken in minute `i`; fees in µSTX. */
export interface Samples {
  readonly minutes: number;
  /** Priorities low (p50) and high (p95) of all types together. */
  readonly low: Column;
  readonly high: Column;
  /** Waiting transactions, by type. */
  readonly waiting: Readonly<Record<Type, Column>>;
  /** Execution cost of all blocks so far, in budgets of a tenure, as of the last poll of blocks. */
  readonly cost: Column;
}

/** A trace: what there is to see, and what was going on. */
export interface Trace {
  readonly label: string;
  readonly samples: Samples;
  /** Price to get in over the floor, each minute; 0 while blocks have room. Known to the judge only. */
  readonly price: Column;
  readonly incidents: readonly Incident[];
  readonly transactions: {
    readonly entered: number;
    readonly mined: number;
    readonly left: number;
    readonly waiting: number;
  };
}

/**
 * Follows every transaction of a trace while it is played, to judge something else than the alerts by the same market:
 *
 *     playTrace("tuning-1", "small", 3, WORLD, {
 *       arrived: (transaction) => …,           // also those that can never be mined
 *       mined: ({ at, transactions }) => …,    // wait of each: at - transaction.at, at least one block
 *       minute: (minute, waiting) => …,        // what a list of waiting transactions holds
 *     });
 *
 * A transaction is the same object in all calls. One that leaves unmined just no longer waits.
 */
export interface Listener {
  arrived?(transaction: Transaction): void;
  mined?(block: Block): void;
  /** The end of each minute, `(minute + 1) * 60` seconds after the start or up to a block later. */
  minute?(minute: number, waiting: Iterable<Transaction>): void;
}

/** The middle of a few numbers, the lower of two. */
function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
}

function publish(pool: Pool): Published {
  return { low: pool.quantile(0.5), medium: pool.quantile(0.75), high: pool.quantile(0.95), waiting: pool.size };
}

/** Plays a market. The same seed, regime and number of days give the same trace on every machine. */
export function playTrace(
  seed: string,
  regime: Regime,
  days = DAYS,
  world: World = WORLD,
  listener: Listener = {},
): Trace {
  const label = `${seed}:${regime}`;
  const minutes = days * 1440;
  const incidents = drawIncidents(new Random(`${label}:incidents`), world, minutes * 60);
  const demand = new Demand(new Random(`${label}:demand`), new Random(`${label}:moods`), world, regime, incidents);
  const miner = new Miner(new Random(`${label}:blocks`), world.chain);
  const pool = new Pool();
  const column = () => new Float64Array(minutes).fill(Number.NaN);
  const samples = {
    minutes,
    low: column(),
    high: column(),
    waiting: { token_transfer: column(), contract_call: column(), smart_contract: column() },
    cost: column(),
  };
  const price = new Float64Array(minutes);
  const outages = incidents.filter(({ kind }) => kind === "outage");
  let entered = 0;
  let mined = 0;
  let left = 0;
  const send: Send = (transaction) => {
    pool.add(transaction);
    entered += 1;
    listener.arrived?.(transaction);
  };
  demand.begin(send);
  let published = publish(pool);
  let now = 0;
  let prices: number[] = [];
  let seenCost = Number.NaN;
  for (let minute = 0; minute < minutes; minute += 1) {
    while (now < (minute + 1) * 60) {
      const seconds = miner.interval();
      now += seconds;
      // What arrives after a block was begun waits for the next one: gossip, and the miner's look, take that long.
      const block = miner.mine(now, pool);
      mined += block.transactions.length;
      listener.mined?.(block);
      prices.push(miner.price);
      demand.arrive(now, seconds, published, send);
    }
    left += pool.expire(now);
    listener.minute?.(minute, pool);
    price[minute] = middle(prices) / ((world.defaultFee / FLOORS_IN_DEFAULT) * shiftFactor(incidents, now));
    prices = [];
    published = publish(pool);
    if (outages.some(({ from, until }) => now >= from && now < until)) {
      seenCost = Number.NaN;
      continue;
    }
    if (!Number.isNaN(published.low)) {
      samples.low[minute] = roundHalfEven(published.low);
      samples.high[minute] = roundHalfEven(published.high);
    }
    for (const type of TYPES) samples.waiting[type][minute] = pool.count(type);
    if (minute % BLOCKS_POLL === 0 || Number.isNaN(seenCost)) seenCost = miner.cost;
    samples.cost[minute] = seenCost;
  }
  return { label, samples, price, incidents, transactions: { entered, mined, left, waiting: pool.size } };
}
