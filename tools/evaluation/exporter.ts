// Metrics of an exporter on a trace, minute by minute: polls of each collector, servers that lag, and outages.
import { FEES } from "../../alerts/thresholds.ts";
import { Random } from "../../simulator/chain/random.ts";
import {
  type Baseline,
  baselineFees,
  NO_BASELINE,
  nextPage,
  PERIOD_SECONDS,
  type PlacedRow,
  withNewest,
  withPage,
} from "../../src/collectors/transactions/baseline.ts";
import { PERCENTILES, percentileOf, WINDOW_SECONDS } from "../../src/collectors/transactions/window.ts";
import { firstIndex } from "./search.ts";
import { type Column, EPOCH, type Mined, type Trace } from "./trace.ts";

/** Minutes between two polls of each collector. */
export interface Polls {
  readonly fees: number;
  readonly mempool: number;
  readonly blocks: number;
  readonly transactions: number;
}

/** Options of an exporter. */
export interface Setup {
  readonly polls: Polls;
  /** Minutes by which servers are behind, one of them at random in each poll. */
  readonly lags?: readonly number[];
  /** The first minute, and the one after the last. */
  readonly from?: number;
  readonly until?: number;
}

/** The scraped samples. Sample `i` is of minute `i` after the start; fees in µSTX; NaN without a sample. */
export interface Samples {
  readonly minutes: number;
  /** Priority low (p50) of all types together. */
  readonly low: Column;
  /** Number of waiting transactions. */
  readonly waiting: Column;
  /** Execution cost of all blocks so far, in budgets of a tenure, and their transactions. */
  readonly cost: Column;
  readonly included: Column;
  /** Fees of all types that were mined in the last ten minutes, and their usual level. */
  readonly mined: Quartiles<Column>;
  readonly usual: Quartiles<Column>;
}

/** The percentiles of mined transactions that rules compare. */
export const QUARTILES = FEES.spike.percentiles;
export type Quartiles<Value> = Readonly<Record<(typeof QUARTILES)[number], Value>>;

/** Something for each of them. */
export const quartiles = <Value>(of: (name: (typeof QUARTILES)[number]) => Value): Quartiles<Value> =>
  Object.fromEntries(QUARTILES.map((name) => [name, of(name)])) as Quartiles<Value>;

/** The samples of the same exporter on a server that does not list mined transactions. */
export function withoutMined(samples: Samples): Samples {
  const nothing = quartiles(() => new Float64Array(samples.minutes).fill(Number.NaN));
  return { ...samples, mined: nothing, usual: nothing };
}

const PAGE = 50;
// The collector knows the transactions of so long.
const RECENT_SECONDS = 900;

/** First index of ascending values that is above `limit`. */
const firstAbove = (values: Uint32Array, limit: number) =>
  firstIndex(values.length, (index) => (values[index] as number) > limit);

/** Rows `from` to `until` (not included), newest first. The rules compare the fees of all types together. */
function rowsOf({ fee, at, height }: Mined, from: number, until: number): PlacedRow[] {
  const rows: PlacedRow[] = [];
  for (let index = until - 1; index >= Math.max(0, from); index -= 1) {
    const [paid, second, block] = [fee[index] as number, at[index] as number, height[index] as number];
    rows.push({ fee: paid, type: "contract_call", at: EPOCH + second, height: block });
  }
  return rows;
}

/** The collector `transactions`: reads mined transactions up to a time, and samples the past. Times in seconds. */
class MinedFees {
  fees = quartiles(() => Number.NaN);
  usual = quartiles(() => Number.NaN);
  readonly #mined: Mined;
  #baseline: Baseline = NO_BASELINE;
  /** The baseline does not change before. */
  #settledTo = 0;
  /** Rows up to here are known. */
  #end = 0;

  constructor(mined: Mined) {
    this.#mined = mined;
  }

  /** A poll at `now`, at a server that knows the chain up to `until`. */
  poll(now: number, until: number): void {
    const { fee, at } = this.#mined;
    // A server that is behind adds nothing.
    this.#end = Math.max(this.#end, firstAbove(at, until));
    const start = firstAbove(at, now - WINDOW_SECONDS);
    // As `feesOf` of the rows, which would take most of the time of an evaluation.
    const paid = fee.slice(start, this.#end).sort();
    const free = paid.lastIndexOf(0) + 1;
    this.fees = quartiles((name) =>
      free < paid.length ? percentileOf(paid.subarray(free), PERCENTILES[name]) : Number.NaN,
    );
    if (EPOCH + now < this.#settledTo) return;
    const recent = firstAbove(at, now - RECENT_SECONDS);
    this.#sample(EPOCH + now, rowsOf(this.#mined, recent, this.#end));
  }

  /** A poll requests at most one page of the past. */
  #sample(now: number, newest: readonly PlacedRow[]): void {
    this.#baseline = withNewest(this.#baseline, newest, now);
    const page = nextPage(this.#baseline, now);
    if (page !== undefined) {
      const end = firstAbove(this.#mined.height, page.height);
      this.#baseline = withPage(this.#baseline, page, rowsOf(this.#mined, end - PAGE, end));
    }
    const usual = baselineFees(this.#baseline, now)?.all.percentiles;
    this.usual = quartiles((name) => usual?.[name] ?? Number.NaN);
    const present = Math.floor(now / PERIOD_SECONDS);
    const isSampled = this.#baseline.periods.some(({ number, fees }) => number === present && fees !== undefined);
    if (isSampled && page === undefined) this.#settledTo = (present + 1) * PERIOD_SECONDS;
  }
}

const COLLECTORS = ["fees", "mempool", "blocks", "transactions"] as const;
type Collector = (typeof COLLECTORS)[number];
const each = (of: (collector: Collector) => number): Record<Collector, number> =>
  Object.fromEntries(COLLECTORS.map((collector) => [collector, of(collector)])) as Record<Collector, number>;

/** The samples of an exporter that runs on a trace. The same arguments give the same samples. */
export function observe(trace: Trace, setup: Setup): Samples {
  const { polls, lags = [0], from = 0, until = trace.minutes } = setup;
  const { server, incidents, label } = trace;
  const minutes = until - from;
  const column = () => new Float64Array(minutes).fill(Number.NaN);
  const samples = {
    minutes,
    low: column(),
    waiting: column(),
    cost: column(),
    included: column(),
    mined: quartiles(column),
    usual: quartiles(column),
  };
  const random = new Random(`${label}:exporter`);
  const phases = each((collector) => Math.floor(random.next() * polls[collector]));
  const outages = incidents.filter(({ kind }) => kind === "outage");
  // Ends of the last polls, in minutes, and the last minutes that their servers knew; NaN before the first poll.
  const unpolled = each(() => Number.NaN);
  let [last, seen] = [{ ...unpolled }, { ...unpolled }];
  const minedFees = new MinedFees(trace.mined);
  for (let index = 0; index < minutes; index += 1) {
    const minute = from + index;
    const end = (minute + 1) * 60;
    if (outages.some((outage) => end >= outage.from && end < outage.until)) {
      [last, seen] = [{ ...unpolled }, { ...unpolled }];
      continue;
    }
    for (const collector of COLLECTORS) {
      const every = polls[collector];
      const regular = Math.floor((minute + 1 - phases[collector]) / every) * every + phases[collector];
      if (regular <= last[collector]) continue;
      // The first poll is at once.
      const at = Number.isNaN(last[collector]) ? minute + 1 : regular;
      last[collector] = at;
      const lag = random.pick(lags);
      const known = Math.max(0, Math.ceil(at) - 1 - lag);
      if (collector === "transactions") minedFees.poll(60 * at, 60 * (at - lag));
      // A server that is behind fails the poll of blocks.
      else if (collector !== "blocks" || !(known < seen.blocks)) seen[collector] = known;
    }
    samples.low[index] = server.low[seen.fees] as number;
    samples.waiting[index] = server.waiting[seen.mempool] as number;
    samples.cost[index] = server.cost[seen.blocks] as number;
    samples.included[index] = server.included[seen.blocks] as number;
    for (const name of QUARTILES) {
      samples.mined[name][index] = minedFees.fees[name];
      samples.usual[name][index] = minedFees.usual[name];
    }
  }
  return samples;
}
