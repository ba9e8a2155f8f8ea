// Evaluates the fee estimates: what happens to a contract call that pays the estimate, while calls wait.
import {
  estimateFees,
  type Observed,
  TARGETS,
  type Target,
} from "../../src/collectors/mempool-transactions/estimate.ts";
import type { Transaction } from "./pool.ts";
import { firstIndex } from "./search.ts";
import { EPOCH, type Mined, playTrace } from "./trace.ts";
import type { Regime } from "./world.ts";
import type { Setting } from "./worlds.ts";

/** Estimates for one target. */
export interface EstimateScore {
  /** Number of estimates while calls wait. */
  readonly estimates: number;
  /** Those with which a call of average cost, sent two minutes later, is mined in time. */
  readonly inTime: number;
  /** Each divided by the lowest sufficient fee. */
  readonly paid: readonly number[];
}

/** The scores by target. */
export type EstimateScores = Readonly<Record<Target, EstimateScore>>;

const byTarget = (of: (target: Target) => EstimateScore): EstimateScores =>
  Object.fromEntries(Object.keys(TARGETS).map((target) => [target, of(target as Target)])) as Record<
    Target,
    EstimateScore
  >;

/** The sum of scores. */
export const addedUp = (scores: readonly EstimateScores[]): EstimateScores =>
  byTarget((target) => ({
    estimates: scores.reduce((sum, { [target]: score }) => sum + score.estimates, 0),
    inTime: scores.reduce((sum, { [target]: score }) => sum + score.inTime, 0),
    paid: scores.flatMap(({ [target]: score }) => score.paid),
  }));

const DAYS = 10;
const EVERY_MINUTES = 5;
// The estimate is as old as the last poll, and a transaction takes a while to reach the miners.
const LATE_MINUTES = 3;
// What the exporter knows: `recent.ts` and `listed.ts`.
const KNOWN = { seconds: 900, transactions: 300, keptSeconds: 86_400 };

function knownOf(now: number, waiting: readonly Transaction[], mined: readonly Mined[]): readonly Observed[] {
  const since = firstIndex(mined.length, (index) => (mined[index] as Mined).at > now - KNOWN.seconds);
  return [
    ...waiting
      .filter(({ at }) => EPOCH + at > now - KNOWN.keptSeconds)
      .map(({ type, fee, sender, at }) => ({ type, fee, sender, receivedAt: EPOCH + at, minedAt: undefined })),
    ...mined
      .slice(Math.max(0, Math.min(since, mined.length - KNOWN.transactions)))
      .reverse()
      .map(({ at, ...one }) => ({ ...one, minedAt: at })),
  ];
}

/** The scores of the estimates on one trace, by target. */
export function scoreEstimates(seed: string, regime: Regime, { world }: Setting): EstimateScores {
  const made = new Map<number, Readonly<Record<Target, number>>>();
  const trace = playTrace(seed, regime, world, DAYS, (minute, waiting, mined) => {
    if (minute % EVERY_MINUTES !== 0 || minute < 120) return;
    const now = EPOCH + (minute + 1) * 60;
    const coverage = { listedTo: now, listedSince: now - 3600, minedTo: now };
    const { contract_call: call } = estimateFees(knownOf(now, waiting(), mined), coverage);
    if (call !== undefined) made.set(minute, call.fees);
  });
  const scoreOf = (target: Target): EstimateScore => {
    const neededFees = target === "10m" ? trace.needed : trace.neededHour;
    const scored = [...made].flatMap(([minute, fees]) => {
      const at = minute + LATE_MINUTES;
      const needed = (neededFees[at] ?? Number.NaN) * (trace.floors[at] ?? 1);
      // Calls wait: no block of the next ten minutes has room.
      if (!((trace.needed[at] as number) > 0) || at >= trace.minutes - 60) return [];
      return [{ isInTime: fees[target] > needed, paid: needed > 0 ? fees[target] / needed : undefined }];
    });
    return {
      estimates: scored.length,
      inTime: scored.filter(({ isInTime }) => isInTime).length,
      paid: scored.flatMap(({ paid }) => paid ?? []),
    };
  };
  return byTarget(scoreOf);
}
