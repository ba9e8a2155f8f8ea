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
import { firstIndex } from "./search.ts";
import { type Column, EPOCH, type Mined, type Trace } from "./trace.ts";

/** Options of an exporter. */
export interface Setup {
  /** Minutes between two polls. */
  readonly every: number;
  /** Minutes by which servers are behind, one of them at random in each poll. */
  readonly lags?: readonly number[];
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

/** First index of the mined transactions after a time, Unix seconds. */
const firstAfter = (mined: readonly Mined[], time: number) =>
  firstIndex(mined.length, (index) => (mined[index] as Mined).at > time);

/** Transactions `from` to `until` (not included), newest first. */
const newestOf = (mined: readonly Mined[], from: number, until: number) =>
  mined.slice(Math.max(0, from), Math.max(0, until)).reverse();

/** The collector `transactions`: reads mined transactions up to a time, and samples the past. Unix times, seconds. */
class MinedFees {
  fees = priced(() => Number.NaN);
  usual = priced(() => Number.NaN);
  readonly #mined: readonly Mined[];
  #baseline: Baseline = NO_BASELINE;
  /** The baseline does not change before. */
  #settledTo = 0;
  /** Rows from and up to here are known. */
  #start: number | undefined;
  #end = 0;

  constructor(mined: readonly Mined[]) {
    this.#mined = mined;
  }

  /** A poll at `now`, at a server that knows the chain up to `until`. */
  poll(now: number, until: number): void {
    // A server that is behind adds nothing.
    this.#end = Math.max(this.#end, firstAfter(this.#mined, until));
    const recent = firstAfter(this.#mined, now - RECENT_SECONDS);
    // The first poll reads a page, or the window.
    this.#start ??= Math.min(recent, this.#end - PAGE);
    const from = Math.max(this.#start, this.#end - MOST_ROWS, Math.min(recent, this.#end - LEAST_ROWS));
    const rows = newestOf(this.#mined, from, this.#end);
    const fees = currentFees(rows, now);
    this.fees = priced((type) => fees[type].percentiles?.p25 ?? Number.NaN);
    if (now >= this.#settledTo) this.#sample(now, rows);
  }

  /** A poll requests at most one page of the past. */
  #sample(now: number, newest: readonly PlacedRow[]): void {
    this.#baseline = withNewest(this.#baseline, newest, now);
    const page = nextPage(this.#baseline, now);
    if (page !== undefined) {
      const end = firstIndex(this.#mined.length, (index) => (this.#mined[index] as Mined).height > page.height);
      this.#baseline = withPage(this.#baseline, page, newestOf(this.#mined, end - PAGE, end), now);
    }
    const usual = baselineFees(this.#baseline);
    this.usual = priced((type) => usual[type].percentiles?.p25 ?? Number.NaN);
    const present = Math.floor(now / PERIOD_SECONDS);
    const isSampled = this.#baseline.periods.some(({ number, fees }) => number === present && fees !== undefined);
    if (isSampled && page === undefined) this.#settledTo = (present + 1) * PERIOD_SECONDS;
  }
}

/** The samples of an exporter that runs on a trace. The same arguments give the same samples. */
export function observe({ server, incidents, label, minutes, mined }: Trace, { every, lags = [0] }: Setup): Samples {
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
  const phase = Math.floor(random.next() * every);
  const outages = incidents.filter(({ kind }) => kind === "outage");
  const fees = new MinedFees(mined);
  // The last minute that a polled server knew; NaN before the first poll.
  let known = Number.NaN;
  for (let minute = 0; minute < minutes; minute += 1) {
    const end = (minute + 1) * 60;
    if (outages.some((outage) => end >= outage.from && end < outage.until)) {
      known = Number.NaN;
      continue;
    }
    // The first poll is at once. A server that is behind adds nothing.
    if (Number.isNaN(known) || minute % every === phase) {
      const lag = random.pick(lags);
      known = Math.max(Number.isNaN(known) ? 0 : known, minute - lag);
      fees.poll(EPOCH + end, EPOCH + end - 60 * lag);
    }
    samples.waiting[minute] = server.waiting[known] as number;
    samples.cost[minute] = server.cost[known] as number;
    samples.included[minute] = server.included[known] as number;
    for (const type of PRICED) {
      samples.mined[type][minute] = fees.fees[type];
      samples.usual[type][minute] = fees.usual[type];
    }
  }
  return samples;
}
