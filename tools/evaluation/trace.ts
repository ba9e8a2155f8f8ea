// Four weeks of a fee market, minute by minute.
import { percentile } from "../../simulator/chain/percentile.ts";
import { Random } from "../../simulator/chain/random.ts";
import type { PlacedRow } from "../../src/collectors/transactions/baseline.ts";
import { Miner } from "./blocks.ts";
import { Demand, type Published, type Send, shiftFactor } from "./demand.ts";
import { drawIncidents, type Incident } from "./incidents.ts";
import { Pool, type Transaction } from "./pool.ts";
import type { Regime, World } from "./world.ts";

/** The trace begins on a Monday, 00:00 UTC. Unix seconds. */
export const EPOCH = 1_767_571_200;
export const DAYS = 28;
/** Days at the start in which baselines fill and nothing is scored. */
export const TRAINING_DAYS = 8;
/** Days without incidents, on which the usual fee is measured. */
const CALM_DAYS = 2;

/** What was paid is defined by the blocks of the last minutes: between two renewals of a budget few calls get in. */
export const BEHIND_MINUTES = 5;
// The needed fee is defined by the blocks of the next ten minutes.
const AHEAD_MINUTES = 10;

/** One value a minute; NaN where there is none. */
export type Column = Float64Array;

/** A mined transaction, as the exporter sees it; times are Unix seconds. */
export interface Mined extends PlacedRow {
  /** Time of its arrival. */
  readonly receivedAt: number;
  readonly id: string;
  readonly calledFunction: string | undefined;
  /** In average calls. */
  readonly cost: number;
}

/** A trace: the observable values, and the true ones for the evaluation. */
export interface Trace {
  readonly label: string;
  readonly minutes: number;
  /** Every mined transaction, in the order of the chain. */
  readonly mined: readonly Mined[];
  /** The lowest rate that got into a block within the last minutes, over the floor; 0 if one of them had room. */
  readonly price: Column;
  /**
   * The fee over the floor above which a transaction that arrives at the end of the minute is mined within the next ten
   * minutes; Infinity if none is.
   */
  readonly needed: Column;
  /** The same within the next hour. */
  readonly neededHour: Column;
  /** The floor: the usual fee, µSTX. */
  readonly floors: Column;
  readonly incidents: readonly Incident[];
}

function publish(pool: Pool, price: number): Published {
  const at = (part: number) => (pool.fees.length === 0 ? Number.NaN : percentile(pool.fees, part));
  return { low: at(0.5), medium: at(0.75), high: at(0.95), waiting: pool.fees.length, price };
}

/** The least of the last values of a column, each minute; the one before while there is none. */
function cheapest(column: Column): Column {
  let last = 0;
  return column.map((_, minute) => {
    const least = Math.min(...column.subarray(Math.max(0, minute - BEHIND_MINUTES + 1), minute + 1));
    if (least < Number.POSITIVE_INFINITY) last = least;
    return last;
  });
}

/** The least of the next values of a column, each minute. */
function leastAhead(column: Column, minutes: number): Column {
  return column.map((_, minute) => Math.min(...column.subarray(minute + 1, minute + 1 + minutes)));
}

/** Sees the end of a minute while calls wait: what waits, and the transactions mined so far, oldest first. */
export type OnMinute = (minute: number, waiting: () => readonly Transaction[], mined: readonly Mined[]) => void;

/** Plays a market, and gives the lowest rate that got into a block of each minute. */
function playMarket(
  [label, regime, world, minutes]: readonly [label: string, regime: Regime, world: World, minutes: number],
  incidents: readonly Incident[],
  mined: Mined[],
  onMinute?: OnMinute,
): Column {
  const demand = new Demand(new Random(`${label}:demand`), new Random(`${label}:moods`), world, regime, incidents);
  const miner = new Miner(new Random(`${label}:blocks`), world.chain);
  const pool = new Pool();
  const entries = new Float64Array(minutes).fill(Number.POSITIVE_INFINITY);
  const send: Send = (transaction) => pool.add(transaction);
  demand.begin(send);
  let published = publish(pool, 0);
  let [now, height] = [0, 0];
  for (let minute = 0; minute < minutes; minute += 1) {
    while (now < (minute + 1) * 60) {
      const seconds = miner.interval();
      now += seconds;
      height += 1;
      // Transactions that arrive after the start of a block wait for the next one, because of gossip and mining delays.
      const { transactions, entry } = miner.mine(now, pool);
      for (const { fee, type, sender, at, calledFunction, cost } of transactions) {
        const [id, receivedAt] = [`${mined.length}`, EPOCH + at];
        mined.push({ id, fee, type, sender, height, calledFunction, cost, receivedAt, at: EPOCH + now });
      }
      entries[minute] = Math.min(entries[minute] as number, entry);
      demand.arrive(now, seconds, published, send);
    }
    pool.expire(now);
    published = publish(pool, miner.price);
    if (miner.price > 0) onMinute?.(minute, () => pool.waiting, mined);
  }
  return entries;
}

/** What a quarter of the calls pay at most on calm days, µSTX, measured: some users follow the published fees. */
function usualFee(regime: Regime, world: World): number {
  const mined: Mined[] = [];
  playMarket(["calm", regime, world, CALM_DAYS * 1440], [], mined);
  const fees = mined.flatMap(({ type, fee = 0 }) => (type === "contract_call" && fee > 0 ? fee : []));
  return percentile(
    fees.sort((a, b) => a - b),
    0.25,
  );
}

/** Plays a trace. The same seed, regime and number of days give the same one on every machine. */
export function playTrace(seed: string, regime: Regime, world: World, days = DAYS, onMinute?: OnMinute): Trace {
  const label = `${seed}:${regime}`;
  const minutes = days * 1440;
  const incidents = drawIncidents(new Random(`${label}:incidents`), world, minutes * 60);
  const mined: Mined[] = [];
  const entries = playMarket([label, regime, world, minutes], incidents, mined, onMinute);
  const usual = usualFee(regime, world);
  const floors = entries.map((_, minute) => usual * shiftFactor(incidents, (minute + 1) * 60));
  const inFloors = (value: number, minute: number) => value / (floors[minute] as number);
  return {
    label,
    minutes,
    mined,
    price: cheapest(entries).map(inFloors),
    needed: leastAhead(entries, AHEAD_MINUTES).map(inFloors),
    neededHour: leastAhead(entries, 60).map(inFloors),
    floors,
    incidents,
  };
}
