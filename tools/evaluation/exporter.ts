// Metrics of an exporter on a trace, minute by minute: polls of each collector, servers that lag, and outages.
import { Random } from "../../simulator/chain/random.ts";
import { type Baseline, baselineFees, NO_BASELINE, withNewest } from "../../src/collectors/transactions/baseline.ts";
import { currentFees, type FeesByType } from "../../src/collectors/transactions/window.ts";
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
  /** Number of waiting transactions. */
  readonly waiting: Column;
  /** Execution cost of all blocks so far, in budgets, and their transactions. */
  readonly cost: Column;
  readonly included: Column;
  /** The 25th percentile of the fees of a type that were mined lately, and its usual level. */
  readonly mined: Priced<Column>;
  readonly usual: Priced<Column>;
}

// More rows than the newest 30 of a type, and than those of ten minutes.
const MOST_ROWS = 3000;
const LEAST_ROWS = 300;
const RECENT_SECONDS = 900;

const p25Of = (fees: FeesByType) => priced((type) => fees[type].percentiles?.p25 ?? Number.NaN);

/**
 * The collector `transactions`, in polls of servers. It requests no samples of the past: those of seven days are there
 * before anything is scored.
 */
class MinedFees {
  fees = priced(() => Number.NaN);
  usual = priced(() => Number.NaN);
  readonly #mined: readonly Mined[];
  #baseline: Baseline = NO_BASELINE;
  /** Transactions up to here are known. */
  #end = 0;

  constructor(mined: readonly Mined[]) {
    this.#mined = mined;
  }

  /** A poll at `now`, at a server that knows the chain up to `until`; Unix times, seconds. */
  poll(now: number, until: number): void {
    const firstAfter = (time: number) =>
      firstIndex(this.#mined.length, (index) => (this.#mined[index] as Mined).at > time);
    // A server that is behind adds nothing.
    this.#end = Math.max(this.#end, firstAfter(until));
    const from = Math.min(firstAfter(now - RECENT_SECONDS), this.#end - LEAST_ROWS);
    const rows = this.#mined.slice(Math.max(0, this.#end - MOST_ROWS, from), this.#end).reverse();
    this.fees = p25Of(currentFees(rows, now));
    this.#baseline = withNewest(this.#baseline, rows, now);
    this.usual = p25Of(baselineFees(this.#baseline));
  }
}

/** The samples of an exporter that runs on a trace. The same arguments give the same samples. */
export function observe({ server, incidents, label, minutes, mined }: Trace, { every, lags = [0] }: Setup): Samples {
  const column = () => new Float64Array(minutes).fill(Number.NaN);
  const samples = {
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
