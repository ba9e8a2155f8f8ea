// Metrics of an exporter on a trace, minute by minute: polls of each collector, servers that lag, and outages.
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
import { currentFees } from "../../src/collectors/transactions/window.ts";
import { TYPES } from "./pool.ts";
import { firstIndex } from "./search.ts";
import { type Column, EPOCH, type Mined, type Trace } from "./trace.ts";

/** Minutes between two polls of each collector. */
export interface Polls {
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

/** The types whose prices rules compare. */
export const PRICED = ["contract_call", "token_transfer"] as const;
export type Priced<Value> = Readonly<Record<(typeof PRICED)[number], Value>>;

/** Something for each of them. */
export const priced = <Value>(of: (type: (typeof PRICED)[number]) => Value): Priced<Value> =>
  Object.fromEntries(PRICED.map((type) => [type, of(type)])) as Priced<Value>;

/** The scraped samples. Sample `i` is of minute `i` after the start; fees in µSTX; NaN without a sample. */
export interface Samples {
  readonly minutes: number;
  /** Number of waiting transactions. */
  readonly waiting: Column;
  /** Execution cost of all blocks so far, in budgets, and their transactions. */
  readonly cost: Column;
  readonly included: Column;
  /** The 25th percentile of the fees of a type that were mined lately, and its usual level. */
  readonly mined: Priced<Column>;
  readonly usual: Priced<Column>;
}

const PAGE = 50;
// More rows than the newest 30 of a type, and than those of ten minutes.
const MOST_ROWS = 3000;
const LEAST_ROWS = 300;
const RECENT_SECONDS = 900;

/** First index of ascending values that is above `limit`. */
const firstAbove = (values: Uint32Array, limit: number) =>
  firstIndex(values.length, (index) => (values[index] as number) > limit);

/** Rows `from` to `until` (not included), newest first. */
function rowsOf({ fee, at, height, type, sender }: Mined, from: number, until: number): PlacedRow[] {
  const rows: PlacedRow[] = [];
  for (let index = until - 1; index >= Math.max(0, from); index -= 1) {
    rows.push({
      fee: fee[index] as number,
      type: TYPES[type[index] as number] as string,
      at: EPOCH + (at[index] as number),
      height: height[index] as number,
      sender: sender[index] as number,
    });
  }
  return rows;
}

/** The collector `transactions`: reads mined transactions up to a time, and samples the past. Times in seconds. */
class MinedFees {
  fees = priced(() => Number.NaN);
  usual = priced(() => Number.NaN);
  readonly #mined: Mined;
  #baseline: Baseline = NO_BASELINE;
  /** The baseline does not change before. */
  #settledTo = 0;
  /** Rows from and up to here are known. */
  #start: number | undefined;
  #end = 0;

  constructor(mined: Mined) {
    this.#mined = mined;
  }

  /** A poll at `now`, at a server that knows the chain up to `until`. */
  poll(now: number, until: number): void {
    const { at } = this.#mined;
    // A server that is behind adds nothing.
    this.#end = Math.max(this.#end, firstAbove(at, until));
    const recent = firstAbove(at, now - RECENT_SECONDS);
    // The first poll reads a page, or the window.
    this.#start ??= Math.min(recent, this.#end - PAGE);
    const from = Math.max(this.#start, this.#end - MOST_ROWS, Math.min(recent, this.#end - LEAST_ROWS));
    const rows = rowsOf(this.#mined, from, this.#end);
    const fees = currentFees(rows, EPOCH + now);
    this.fees = priced((type) => fees[type].percentiles?.p25 ?? Number.NaN);
    if (EPOCH + now >= this.#settledTo) this.#sample(EPOCH + now, rows);
  }

  /** A poll requests at most one page of the past. */
  #sample(now: number, newest: readonly PlacedRow[]): void {
    this.#baseline = withNewest(this.#baseline, newest, now);
    const page = nextPage(this.#baseline, now);
    if (page !== undefined) {
      const end = firstAbove(this.#mined.height, page.height);
      this.#baseline = withPage(this.#baseline, page, rowsOf(this.#mined, end - PAGE, end), now);
    }
    const usual = baselineFees(this.#baseline);
    this.usual = priced((type) => usual[type].percentiles?.p25 ?? Number.NaN);
    const present = Math.floor(now / PERIOD_SECONDS);
    const isSampled = this.#baseline.periods.some(({ number, fees }) => number === present && fees !== undefined);
    if (isSampled && page === undefined) this.#settledTo = (present + 1) * PERIOD_SECONDS;
  }
}

const COLLECTORS = ["mempool", "blocks", "transactions"] as const;
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
    waiting: column(),
    cost: column(),
    included: column(),
    mined: priced(column),
    usual: priced(column),
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
    samples.waiting[index] = server.waiting[seen.mempool] as number;
    samples.cost[index] = server.cost[seen.blocks] as number;
    samples.included[index] = server.included[seen.blocks] as number;
    for (const type of PRICED) {
      samples.mined[type][index] = minedFees.fees[type];
      samples.usual[type][index] = minedFees.usual[type];
    }
  }
  return samples;
}
