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
import { TYPES, type Type } from "./pool.ts";
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
  /** False on a server without the list of mined transactions. */
  readonly isMinedKnown?: boolean;
}

/** The scraped samples. Sample `i` is of minute `i` after the start; fees in µSTX; NaN without a sample. */
export interface Samples {
  readonly minutes: number;
  /** Priority low (p50) of all types together. */
  readonly low: Column;
  /** Waiting transactions, by type. */
  readonly waiting: Readonly<Record<Type, Column>>;
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

const PAGE = 50;
// The collector knows the transactions of so long.
const RECENT_SECONDS = 900;

/** First index whose value is above `limit`. `values` ascending up to `length`. */
function firstAbove(values: Uint32Array, length: number, limit: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows `from` to `until` (not included), newest first. */
function rowsOf({ fee, type, at, height }: Mined, from: number, until: number): PlacedRow[] {
  const rows: PlacedRow[] = [];
  for (let index = until - 1; index >= Math.max(0, from); index -= 1) {
    rows.push({
      fee: fee[index] as number,
      type: TYPES[type[index] as number] as Type,
      at: EPOCH + (at[index] as number),
      height: height[index] as number,
    });
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
    const { fee, at, length } = this.#mined;
    // A server that is behind adds nothing.
    this.#end = Math.max(this.#end, firstAbove(at, length, until));
    const start = firstAbove(at, length, now - WINDOW_SECONDS);
    // As `feesOf` of the rows, which would take most of the time of an evaluation.
    const paid = fee.slice(start, this.#end).sort();
    const free = paid.lastIndexOf(0) + 1;
    this.fees = quartiles((name) =>
      free < paid.length ? percentileOf(paid.subarray(free), PERCENTILES[name]) : Number.NaN,
    );
    if (EPOCH + now < this.#settledTo) return;
    const recent = firstAbove(at, length, now - RECENT_SECONDS);
    this.#sample(EPOCH + now, rowsOf(this.#mined, recent, this.#end));
  }

  /** A poll requests at most one page of the past. */
  #sample(now: number, newest: readonly PlacedRow[]): void {
    const { height, length } = this.#mined;
    this.#baseline = withNewest(this.#baseline, newest, now);
    const page = nextPage(this.#baseline, newest, now);
    if (page !== undefined) {
      const end = firstAbove(height, length, page.height);
      this.#baseline = withPage(this.#baseline, page, rowsOf(this.#mined, end - PAGE, end));
    }
    const usual = baselineFees(this.#baseline, newest, now)?.all.percentiles;
    this.usual = quartiles((name) => usual?.[name] ?? Number.NaN);
    const present = Math.floor(now / PERIOD_SECONDS);
    const isSampled = this.#baseline.periods.some(({ number, fees }) => number === present && fees !== undefined);
    if (isSampled && page === undefined) this.#settledTo = (present + 1) * PERIOD_SECONDS;
  }
}

/** The samples of an exporter that runs on a trace. The same arguments give the same samples. */
export function observe(trace: Trace, setup: Setup): Samples {
  const { polls, lags = [0], from = 0, until = trace.minutes, isMinedKnown = true } = setup;
  const { server, incidents, label } = trace;
  const minutes = until - from;
  const column = () => new Float64Array(minutes).fill(Number.NaN);
  const samples = {
    minutes,
    low: column(),
    waiting: { token_transfer: column(), contract_call: column(), smart_contract: column() },
    cost: column(),
    included: column(),
    mined: quartiles(column),
    usual: quartiles(column),
  };
  const random = new Random(`${label}:exporter`);
  const phase = (every: number) => Math.floor(random.next() * every);
  const phases = {
    fees: phase(polls.fees),
    mempool: phase(polls.mempool),
    blocks: phase(polls.blocks),
    transactions: phase(polls.transactions),
  };
  const outages = incidents.filter(({ kind }) => kind === "outage");
  const last: Partial<Record<keyof Polls, number>> = {};
  const minedFees = new MinedFees(trace.mined);
  let blocks = -1;
  for (let index = 0; index < minutes; index += 1) {
    const minute = from + index;
    const end = (minute + 1) * 60;
    if (outages.some((outage) => end >= outage.from && end < outage.until)) {
      for (const collector of Object.keys(polls) as (keyof Polls)[]) delete last[collector];
      blocks = -1;
      continue;
    }
    /** The end of the newest poll of a collector, in minutes; undefined if there was none in this minute. */
    const polled = (collector: keyof Polls): number | undefined => {
      const every = polls[collector];
      const regular = Math.floor((minute + 1 - phases[collector]) / every) * every + phases[collector];
      const isDue = last[collector] === undefined || regular > last[collector];
      if (!isDue) return undefined;
      // The first poll is at once.
      last[collector] = last[collector] === undefined ? minute + 1 : regular;
      return last[collector];
    };
    /** The last minute that the server of a poll knows. */
    const known = (at: number) => Math.max(0, Math.ceil(at) - 1 - random.pick(lags));
    const keep = (columns: readonly Column[]) => {
      if (index > 0) for (const one of columns) one[index] = one[index - 1] as number;
    };

    const feesAt = polled("fees");
    if (feesAt === undefined) keep([samples.low]);
    else samples.low[index] = server.low[known(feesAt)] as number;

    const mempoolAt = polled("mempool");
    if (mempoolAt === undefined) keep(Object.values(samples.waiting));
    else {
      const seen = known(mempoolAt);
      for (const type of TYPES) samples.waiting[type][index] = server.waiting[type][seen] as number;
    }

    const blocksAt = polled("blocks");
    // A server that is behind fails the poll.
    if (blocksAt !== undefined) blocks = Math.max(blocks, known(blocksAt));
    samples.cost[index] = server.cost[blocks] as number;
    samples.included[index] = server.included[blocks] as number;

    const transactionsAt = isMinedKnown ? polled("transactions") : undefined;
    if (transactionsAt !== undefined) minedFees.poll(60 * transactionsAt, 60 * (transactionsAt - random.pick(lags)));
    for (const name of QUARTILES) {
      samples.mined[name][index] = minedFees.fees[name];
      samples.usual[name][index] = minedFees.usual[name];
    }
  }
  return samples;
}
