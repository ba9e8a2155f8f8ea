// Four weeks of a fee market, minute by minute.
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

// The needed fee is defined by the blocks of the next ten minutes.
const AHEAD_MINUTES = 10;

/** One value a minute; NaN where there is none. */
export type Column = Float64Array;

/** The data of the server at the end of each minute; fees in µSTX. */
export interface Server {
  /** Priority low (p50) of all types together. */
  readonly low: Column;
  /** Waiting transactions, by type. */
  readonly waiting: Readonly<Record<Type, Column>>;
  /** Execution cost of all blocks so far, in budgets of a tenure, and their transactions. */
  readonly cost: Column;
  readonly included: Column;
}

/** Every mined transaction in the order of the chain, as columns. */
export interface Mined {
  readonly length: number;
  readonly fee: Float64Array;
  /** Index in `TYPES`. */
  readonly type: Uint8Array;
  readonly height: Uint32Array;
  /** Time of the block, seconds of the trace. */
  readonly at: Uint32Array;
}

/** A trace: the observable values, and the true ones for the evaluation. */
export interface Trace {
  readonly label: string;
  readonly minutes: number;
  readonly server: Server;
  readonly mined: Mined;
  /** The cheapest fee in the full blocks of each minute over the floor; 0 while blocks have room. */
  readonly price: Column;
  /**
   * The fee over the floor above which a transaction that arrives at the end of the minute is mined within the next ten
   * minutes; Infinity if none is.
   */
  readonly needed: Column;
  readonly incidents: readonly Incident[];
  readonly transactions: {
    readonly entered: number;
    readonly mined: number;
    readonly left: number;
    readonly waiting: number;
  };
}

/**
 * Follows every transaction of a trace while it is played, to evaluate something other than the alerts on the same
 * market:
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

/** Columns that grow. */
class MinedLog implements Mined {
  length = 0;
  fee = new Float64Array(1 << 16);
  type = new Uint8Array(1 << 16);
  height = new Uint32Array(1 << 16);
  at = new Uint32Array(1 << 16);

  add({ height, at, transactions }: Block): void {
    for (const { type, fee } of transactions) {
      if (this.length === this.fee.length) this.#grow();
      this.fee[this.length] = fee;
      this.type[this.length] = TYPES.indexOf(type);
      this.height[this.length] = height;
      this.at[this.length] = at;
      this.length += 1;
    }
  }

  #grow(): void {
    const longer = <Values extends Float64Array | Uint8Array | Uint32Array>(values: Values, to: Values): Values => {
      to.set(values);
      return to;
    };
    const length = 2 * this.length;
    this.fee = longer(this.fee, new Float64Array(length));
    this.type = longer(this.type, new Uint8Array(length));
    this.height = longer(this.height, new Uint32Array(length));
    this.at = longer(this.at, new Uint32Array(length));
  }
}

/** The least of the next values of a column, each minute. */
function leastAhead(column: Column, minutes: number): Column {
  return column.map((_, minute) => {
    let min = Number.POSITIVE_INFINITY;
    for (let next = minute + 1; next <= minute + minutes && next < column.length; next += 1)
      min = Math.min(min, column[next] as number);
    return min;
  });
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
  const server = {
    low: column(),
    waiting: { token_transfer: column(), contract_call: column(), smart_contract: column() },
    cost: column(),
    included: column(),
  };
  const mined = new MinedLog();
  const price = column();
  const entries = column().fill(Number.POSITIVE_INFINITY);
  const floors = column();
  let entered = 0;
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
  for (let minute = 0; minute < minutes; minute += 1) {
    while (now < (minute + 1) * 60) {
      const seconds = miner.interval();
      now += seconds;
      // Transactions that arrive after the start of a block wait for the next one, because of gossip and mining delays.
      const block = miner.mine(now, pool);
      mined.add(block);
      listener.mined?.(block);
      prices.push(miner.price);
      entries[minute] = Math.min(entries[minute] as number, block.entry);
      demand.arrive(now, seconds, published, send);
    }
    left += pool.expire(now);
    listener.minute?.(minute, pool);
    floors[minute] = world.floor * shiftFactor(incidents, now);
    price[minute] = middle(prices);
    prices = [];
    published = publish(pool);
    server.low[minute] = roundHalfEven(published.low);
    for (const type of TYPES) server.waiting[type][minute] = pool.count(type);
    server.cost[minute] = miner.cost;
    server.included[minute] = mined.length;
  }
  const inFloors = (value: number, minute: number) => value / (floors[minute] as number);
  return {
    label,
    minutes,
    server,
    mined,
    price: price.map(inFloors),
    needed: leastAhead(entries, AHEAD_MINUTES).map(inFloors),
    incidents,
    transactions: { entered, mined: mined.length, left, waiting: pool.size },
  };
}
