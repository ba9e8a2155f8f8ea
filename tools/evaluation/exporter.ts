// Metrics of an exporter on a trace, minute by minute: polls of each collector, servers that lag, and outages.
import { PRICE } from "../../alerts/thresholds.ts";
import { Random } from "../../simulator/chain/random.ts";
import { type Baseline, baselineFees, NO_BASELINE, withNewest } from "../../src/collectors/transactions/baseline.ts";
import { currentFeesOf } from "../../src/collectors/transactions/window.ts";
import { firstIndex } from "./search.ts";
import { type Column, EPOCH, type Mined, type Trace } from "./trace.ts";

/** Options of an exporter. */
export interface Setup {
  /** Minutes between two polls. */
  readonly every: number;
  /** Minutes by which servers are behind, one of them at random in each poll. */
  readonly lags?: readonly number[];
}

/** The scraped samples. Sample `i` is of minute `i` after the start; fees in µSTX; NaN without a sample. */
export interface Samples {
  /** The price now. */
  readonly mined: Column;
  /** The usual one. */
  readonly usual: Column;
}

// More rows than the newest 30 of a type, and than those of ten minutes.
const MOST_ROWS = 3000;
const LEAST_ROWS = 300;
const RECENT_SECONDS = 900;

/** The transactions before an index that the collector `transactions` knows then, newest first. */
export function knownOf(mined: readonly Mined[], end: number, now: number): readonly Mined[] {
  const recent = firstIndex(mined.length, (index) => (mined[index] as Mined).at > now - RECENT_SECONDS);
  return mined.slice(Math.max(0, end - MOST_ROWS, Math.min(recent, end - LEAST_ROWS)), end).reverse();
}

/**
 * The collector `transactions`, in polls of servers. It requests no samples of the past: those of seven days are there
 * before anything is scored.
 */
class MinedFees {
  fee = Number.NaN;
  usual = Number.NaN;
  readonly #mined: readonly Mined[];
  #baseline: Baseline = NO_BASELINE;
  /** Transactions up to here are known. */
  #end = 0;

  constructor(mined: readonly Mined[]) {
    this.#mined = mined;
  }

  /** A poll at `now`, at a server that knows the chain up to `until`; Unix times, seconds. */
  poll(now: number, until: number): void {
    const end = firstIndex(this.#mined.length, (index) => (this.#mined[index] as Mined).at > until);
    // A server that is behind adds nothing.
    this.#end = Math.max(this.#end, end);
    const rows = knownOf(this.#mined, this.#end, now);
    this.fee = currentFeesOf(rows, PRICE.type, now).percentiles?.[PRICE.now] ?? Number.NaN;
    const before = this.#baseline;
    this.#baseline = withNewest(before, rows, now);
    // The newest period is the last one. Without another one, the median is the same.
    if (this.#baseline.periods.at(-1) === before.periods.at(-1)) return;
    this.usual = baselineFees(this.#baseline)[PRICE.type].percentiles?.[PRICE.usual] ?? Number.NaN;
  }
}

/** The samples of an exporter that runs on a trace. The same arguments give the same samples. */
export function observe({ incidents, label, minutes, mined }: Trace, { every, lags = [0] }: Setup): Samples {
  const column = () => new Float64Array(minutes).fill(Number.NaN);
  const samples = { mined: column(), usual: column() };
  const random = new Random(`${label}:exporter`);
  const phase = Math.floor(random.next() * every);
  const outages = incidents.filter(({ kind }) => kind === "outage");
  const fees = new MinedFees(mined);
  let isUp = false;
  for (let minute = 0; minute < minutes; minute += 1) {
    const end = (minute + 1) * 60;
    const wasUp = isUp;
    isUp = !outages.some((outage) => end >= outage.from && end < outage.until);
    if (!isUp) continue;
    // The first poll is at once.
    if (!wasUp || minute % every === phase) fees.poll(EPOCH + end, EPOCH + end - 60 * random.pick(lags));
    samples.mined[minute] = fees.fee;
    samples.usual[minute] = fees.usual;
  }
  return samples;
}
