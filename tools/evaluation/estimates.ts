// Evaluates the fee estimates: what happens to a contract call that pays the estimate, while calls wait.
import { estimateFees, type Target, type Waiting } from "../../src/collectors/mempool-transactions/estimate.ts";
import type { Transaction } from "./pool.ts";
import { firstIndex } from "./search.ts";
import { type Column, EPOCH, type Mined, playTrace } from "./trace.ts";
import type { Regime, World } from "./world.ts";
import type { Setting } from "./worlds.ts";

/** A contract call of average cost that pays an estimate, sent two minutes later, while calls wait. */
export interface EstimatedCall {
  readonly isInTime: boolean;
  /** The estimate divided by the lowest sufficient fee; undefined if no fee or any fee is sufficient. */
  readonly paid: number | undefined;
}

/** The calls by target. */
export type EstimatedCalls = Readonly<Record<Target, readonly EstimatedCall[]>>;

const DAYS = 10;
const EVERY_MINUTES = 5;
// The estimate is as old as the last poll, and a transaction takes a while to reach the miners.
const LATE_MINUTES = 3;
// What the exporter knows: `recent.ts` and `listed.ts`.
const KNOWN = { seconds: 900, transactions: 300, keptSeconds: 86_400 };

const knownWaiting = (now: number, waiting: readonly Transaction[]): readonly Waiting[] =>
  waiting
    .filter(({ at }) => EPOCH + at > now - KNOWN.keptSeconds)
    .map(({ type, fee, sender, at }) => ({ type, fee, sender, receivedAt: EPOCH + at }));

function knownMined(now: number, mined: readonly Mined[]): readonly Mined[] {
  const since = firstIndex(mined.length, (index) => (mined[index] as Mined).at > now - KNOWN.seconds);
  return mined.slice(Math.max(0, Math.min(since, mined.length - KNOWN.transactions))).reverse();
}

/** Estimates of one trace, every few minutes. */
function estimatesOf(seed: string, regime: Regime, world: World): EstimatedCalls {
  const made = new Map<number, Readonly<Record<Target, number>>>();
  const trace = playTrace(seed, regime, world, DAYS, (minute, waiting, mined) => {
    if (minute % EVERY_MINUTES !== 0 || minute < 120) return;
    const now = EPOCH + (minute + 1) * 60;
    const coverage = { listedTo: now, listedSince: now - 3600, minedTo: now };
    const { contract_call: call } = estimateFees(knownWaiting(now, waiting()), knownMined(now, mined), coverage);
    if (call !== undefined) made.set(minute, call.fees);
  });
  const calls = (target: Target, neededFees: Column) =>
    [...made].flatMap(([minute, fees]) => {
      const at = minute + LATE_MINUTES;
      const needed = (neededFees[at] ?? Number.NaN) * (trace.floors[at] ?? 1);
      // Calls wait: no block of the next ten minutes has room.
      if (!((trace.needed[at] as number) > 0) || at >= trace.minutes - 60) return [];
      return [{ isInTime: fees[target] > needed, paid: needed > 0 ? fees[target] / needed : undefined }];
    });
  return { "10m": calls("10m", trace.needed), "1h": calls("1h", trace.neededHour) };
}

/** The estimates in a setting, of all its numbers of nonce gaps. */
export function scoreEstimates(seed: string, { regimes, world }: Setting): EstimatedCalls {
  const all = regimes.map((regime) => estimatesOf(seed, regime, world));
  return { "10m": all.flatMap((calls) => calls["10m"]), "1h": all.flatMap((calls) => calls["1h"]) };
}
