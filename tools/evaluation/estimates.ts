// Evaluates the fee estimates: the share of transactions with the recommended fee that were mined in time.
import {
  type Estimate,
  estimateFees,
  type Observed,
  TARGETS,
  type Target,
} from "../../src/collectors/mempool-transactions/estimate.ts";
import type { Transaction } from "./pool.ts";
import { playTrace } from "./trace.ts";
import type { Regime, World } from "./world.ts";

/** A transaction, and the second of the trace at which it was mined; Infinity if it was not mined. */
interface Sent extends Pick<Transaction, "type" | "fee" | "at" | "leavesAt" | "canBeMined"> {
  minedAt: number;
}

/** A block of a trace. */
interface Made {
  readonly at: number;
  /** The lowest fee (µSTX) that the block would have included; Infinity if it had no space. */
  readonly entry: number;
  /** Cumulative cost of the blocks, in budgets of a tenure. */
  readonly cost: number;
}

/** A trace with all transactions and blocks. */
export interface Played {
  readonly seconds: number;
  /** Sorted by arrival. */
  readonly sent: readonly Sent[];
  /** Sorted by the time of the block. */
  readonly mined: readonly Sent[];
  readonly blocks: readonly Made[];
}

/** Plays a market, and records when each transaction was mined. */
export function play(seed: string, regime: Regime, days: number, world: World): Played {
  const all = new Map<Transaction, Sent>();
  const mined: Sent[] = [];
  const blocks: Made[] = [];
  let cost = 0;
  playTrace(seed, regime, days, world, {
    arrived: (transaction) => all.set(transaction, { ...transaction, minedAt: Number.POSITIVE_INFINITY }),
    mined: ({ at, entry, transactions }) => {
      for (const transaction of transactions) {
        const one = all.get(transaction) as Sent;
        one.minedAt = at;
        mined.push(one);
        cost += world.chain.units[transaction.type] / world.chain.tenureUnits;
      }
      blocks.push({ at, entry, cost });
    },
  });
  return { seconds: days * 86_400, sent: [...all.values()], mined, blocks };
}

/** Options of the observing exporter. */
export interface Observer {
  /** Seconds between two polls of the waiting transactions. */
  readonly every: number;
  /** Delay, in seconds, after which mined transactions are known. */
  readonly behind: number;
  /** Reported use of blocks divided by the real use; undefined if it is unknown. */
  readonly useFactor: number | undefined;
}

/** Transactions that paid 1.0 to 1.2 times the estimate, and the number of those that were mined in time. */
export interface Share {
  inTime: number;
  all: number;
}

/** The score of the estimates for one target. */
export interface TargetScore {
  readonly full: Share;
  readonly room: Share;
  /** Each estimate divided by the lowest fee that was mined in time, while blocks were full. */
  readonly overpayment: number[];
  polls: number;
  /** Polls without an estimate. */
  absent: number;
}

export type TargetScores = Readonly<Record<Target, TargetScore>>;

const TENURE_SECONDS = 600;
// How long the list of waiting transactions is kept.
const KEPT_SECONDS = 3600;
const MINED_SECONDS = 900;
// Blocks are full at a time if every block of the seconds before it left out a transaction.
const FULL_SECONDS = 300;
const WITHIN = 1.2;

const emptyScore = (): TargetScore => ({
  full: { inTime: 0, all: 0 },
  room: { inTime: 0, all: 0 },
  overpayment: [],
  polls: 0,
  absent: 0,
});

/** A score without observations. */
const emptyScores = (): TargetScores =>
  Object.fromEntries(Object.keys(TARGETS).map((target) => [target, emptyScore()])) as TargetScores;

/** The sum of scores. */
export function together(all: readonly TargetScores[]): TargetScores {
  const sum = emptyScores();
  for (const score of all) {
    for (const target of Object.keys(TARGETS) as Target[]) {
      const [into, from] = [sum[target], score[target]];
      for (const share of ["full", "room"] as const) {
        into[share].inTime += from[share].inTime;
        into[share].all += from[share].all;
      }
      for (const one of from.overpayment) into.overpayment.push(one);
      into.polls += from.polls;
      into.absent += from.absent;
    }
  }
  return sum;
}

/** The index of the first item after a time, in a list sorted by time. */
function after<Item>(items: readonly Item[], time: number, timeOf: (item: Item) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeOf(items[middle] as Item) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

const arrival = ({ at }: Sent) => at;
const inclusion = ({ minedAt }: Sent) => minedAt;
const blockTime = ({ at }: Made) => at;

/** The transactions that the exporter knows at a poll. Unmined ones stay known: only the top of the list is read. */
function observedAt({ sent, mined }: Played, now: number, { every, behind }: Observer): Observed[] {
  const known = now - behind;
  const wasListed = ({ at, minedAt, leavesAt }: Sent) => {
    const poll = Math.ceil(at / every) * every;
    return poll <= now && poll < Math.min(minedAt, leavesAt);
  };
  const waiting = sent
    .slice(after(sent, now - KEPT_SECONDS, arrival), after(sent, now, arrival))
    .filter((one) => one.minedAt > known && wasListed(one))
    .map(({ type, fee, at }) => ({ type, fee, receivedAt: at, minedAt: undefined }));
  const included = mined
    .slice(after(mined, known - MINED_SECONDS, inclusion), after(mined, known, inclusion))
    .map((one) => {
      const { type, fee, at, minedAt } = one;
      return { type, fee, receivedAt: wasListed(one) ? at : undefined, minedAt };
    });
  return [...waiting, ...included];
}

function useAt({ blocks }: Played, now: number): number {
  const last = blocks[after(blocks, now, blockTime) - 1];
  const first = blocks[after(blocks, now - TENURE_SECONDS, blockTime) - 1];
  if (last === undefined || first === undefined || last === first) return 0;
  return ((last.cost - first.cost) * TENURE_SECONDS) / (last.at - first.at);
}

function wereFull({ blocks }: Played, now: number): boolean {
  for (let index = after(blocks, now, blockTime) - 1; index >= 0; index -= 1) {
    const { at, entry } = blocks[index] as Made;
    if (at <= now - FULL_SECONDS) return true;
    if (entry === 0) return false;
  }
  return false;
}

/** The lowest fee that is mined in time; 0 if a block has space. */
function cheapest({ blocks }: Played, from: number, seconds: number): number {
  let min = Number.POSITIVE_INFINITY;
  for (let index = after(blocks, from, blockTime); (blocks[index]?.at ?? Infinity) <= from + seconds; index += 1) {
    min = Math.min(min, (blocks[index] as Made).entry);
  }
  return min;
}

// Hours without full blocks are alike: one in six is evaluated.
const HOUR_SECONDS = 3600;
const CALM_HOURS = 6;

/** The hours to evaluate. */
function hoursOf(played: Played): ReadonlySet<number> {
  const hours = new Set(
    played.blocks.filter(({ at }) => wereFull(played, at)).map(({ at }) => Math.floor(at / HOUR_SECONDS)),
  );
  for (let hour = 0; hour * HOUR_SECONDS < played.seconds; hour += CALM_HOURS) hours.add(hour);
  return hours;
}

/** Evaluates the estimates of all types of an exporter on a trace. */
export function scoreEstimates(played: Played, observer: Observer): TargetScores {
  const result = emptyScores();
  const { every, behind, useFactor } = observer;
  const { sent, seconds } = played;
  const hours = hoursOf(played);
  for (let now = KEPT_SECONDS; now + KEPT_SECONDS < seconds; now += every) {
    if (!hours.has(Math.floor(now / HOUR_SECONDS))) continue;
    const minedTo = now - behind;
    const use = useFactor === undefined ? undefined : useFactor * useAt(played, minedTo);
    const coverage = { listedTo: now, listedSince: now - KEPT_SECONDS, minedTo, use };
    const estimate = estimateFees(observedAt(played, now, observer), coverage);
    scoreOne(played, now, estimate, sent.slice(after(sent, now, arrival), after(sent, now + every, arrival)), result);
  }
  return result;
}

function scoreOne(
  played: Played,
  now: number,
  { types }: Estimate,
  arriving: readonly Sent[],
  into: TargetScores,
): void {
  for (const [target, seconds] of Object.entries(TARGETS) as [Target, number][]) {
    const score = into[target];
    score.polls += 1;
    const fee = types.all?.fees[target];
    if (fee === undefined) {
      score.absent += 1;
      continue;
    }
    if (wereFull(played, now)) {
      const needed = cheapest(played, now, seconds);
      if (needed > 0 && needed < Infinity) score.overpayment.push(fee / needed);
    }
    for (const one of arriving) {
      if (!one.canBeMined || one.fee < fee || one.fee > WITHIN * fee) continue;
      const isInTime = one.minedAt - one.at <= seconds;
      // Skips transactions that were withdrawn before the target time.
      if (!isInTime && one.leavesAt - one.at < seconds) continue;
      const share = wereFull(played, one.at) ? score.full : score.room;
      share.all += 1;
      share.inTime += isInTime ? 1 : 0;
    }
  }
}
