// Metrics of an exporter on a trace, minute by minute: polls of each collector, servers that lag, and outages.
import { PRICE } from "../../alerts/thresholds.ts";
import { Random } from "../../simulator/chain/random.ts";
import { baselineFees, NO_BASELINE, withNewest } from "../../src/collectors/transactions/baseline.ts";
import {
  type CallCosts,
  callsToRead,
  comparable,
  NO_COSTS,
  withCosts,
} from "../../src/collectors/transactions/costs.ts";
import { lowestFee } from "../../src/collectors/transactions/window.ts";
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

/** What an exporter knows of the costs of calls after a poll that knows some transactions. */
export function costsAfter(costs: CallCosts, known: readonly Mined[], mined: readonly Mined[], now: number): CallCosts {
  const calls = callsToRead(costs, known, now);
  return calls.length === 0 ? costs : withCosts(costs, calls, (id) => mined[Number(id)]?.cost, now);
}

/**
 * The samples of an exporter that runs on a trace, of the collector `transactions` in polls of servers. The same
 * arguments give the same samples. It requests no samples of the past: those of seven days are there before anything is
 * scored.
 */
export function observe({ incidents, label, minutes, mined }: Trace, { every, lags = [0] }: Setup): Samples {
  const column = () => new Float64Array(minutes).fill(Number.NaN);
  const samples = { mined: column(), usual: column() };
  const random = new Random(`${label}:exporter`);
  const phase = Math.floor(random.next() * every);
  const outages = incidents.filter(({ kind }) => kind === "outage");
  let [fee, usual] = [Number.NaN, Number.NaN];
  let [baseline, costs] = [NO_BASELINE, NO_COSTS];
  // Transactions before this one are known.
  let known = 0;
  let isUp = false;
  for (let minute = 0; minute < minutes; minute += 1) {
    const end = (minute + 1) * 60;
    const wasUp = isUp;
    isUp = !outages.some((outage) => end >= outage.from && end < outage.until);
    if (!isUp) continue;
    // The first poll is at once.
    if (!wasUp || minute % every === phase) {
      const now = EPOCH + end;
      const until = now - 60 * random.pick(lags);
      // A server that is behind adds nothing.
      known = Math.max(
        known,
        firstIndex(mined.length, (index) => (mined[index] as Mined).at > until),
      );
      const rows = knownOf(mined, known, now);
      costs = costsAfter(costs, rows, mined, now);
      fee = lowestFee(rows.map(comparable(costs)), PRICE.type, now) ?? Number.NaN;
      const before = baseline;
      baseline = withNewest(before, rows, now);
      // The newest period is the last one. Without another one, the median is the same.
      if (baseline.periods.at(-1) !== before.periods.at(-1))
        usual = baselineFees(baseline)[PRICE.type].percentiles?.[PRICE.usual] ?? Number.NaN;
    }
    samples.mined[minute] = fee;
    samples.usual[minute] = usual;
  }
  return samples;
}
