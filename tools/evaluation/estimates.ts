// Evaluates the fee estimates: what happens to a contract call that pays the estimate, while calls wait.
import { estimateFees, TARGETS, type Target } from "../../src/collectors/mempool-transactions/estimate.ts";
import { firstIndex } from "./search.ts";
import { EPOCH, type Mined, type OnMinute, type Trace } from "./trace.ts";

/** A contract call of average cost that pays an estimate, sent some minutes later. */
export interface EstimatedCall {
  readonly isInTime: boolean;
  /** The estimate divided by the lowest sufficient fee; undefined if no fee is sufficient. */
  readonly paid: number | undefined;
}

/** The calls by target. */
export type EstimatedCalls = Readonly<Record<Target, readonly EstimatedCall[]>>;

const DAYS = 10;
const EVERY_MINUTES = 5;
// The estimate is as old as the last poll, and a transaction takes a while to reach the miners.
const LATE_MINUTES = 3;
// What the exporter knows: `recent.ts`.
const KNOWN = { seconds: 900, transactions: 300 };

function knownMined(now: number, mined: readonly Mined[]): readonly Mined[] {
  const since = firstIndex(mined.length, (index) => (mined[index] as Mined).at > now - KNOWN.seconds);
  return mined.slice(Math.max(0, Math.min(since, mined.length - KNOWN.transactions))).reverse();
}

/** The estimates for contract calls while a trace is played, every few minutes. */
export class Estimates {
  readonly #made = new Map<number, Readonly<Record<Target, number>>>();

  /** Sees the end of a minute. */
  readonly see: OnMinute = (minute, waiting, mined) => {
    if (minute % EVERY_MINUTES !== 0 || minute < 120 || minute >= DAYS * 1440) return;
    const now = EPOCH + (minute + 1) * 60;
    const listed = waiting().map(({ type, fee, sender, at }) => ({ type, fee, sender, receivedAt: EPOCH + at }));
    const newestFirst = listed.sort((a, b) => b.receivedAt - a.receivedAt);
    const read = { waiting: now, mined: now };
    const { contract_call: call } = estimateFees(newestFirst, knownMined(now, mined), read);
    if (call !== undefined) this.#made.set(minute, call.fees);
  };

  /** The calls that paid them. */
  calls({ price, needed, neededHour, floors }: Trace): EstimatedCalls {
    const lowest = { "10m": needed, "1h": neededHour };
    const callsOf = (target: Target) =>
      [...this.#made].flatMap(([minute, fees]) => {
        const at = minute + LATE_MINUTES;
        // Calls wait, and go on waiting: no block has room. A rush that has not begun cannot be estimated.
        if (!((price[minute] as number) > 0 && (needed[at] as number) > 0)) return [];
        const sufficient = (lowest[target][at] as number) * (floors[at] as number);
        const isPossible = sufficient > 0 && sufficient < Number.POSITIVE_INFINITY;
        return [{ isInTime: fees[target] > sufficient, paid: isPossible ? fees[target] / sufficient : undefined }];
      });
    return Object.fromEntries(
      Object.keys(TARGETS).map((target) => [target, callsOf(target as Target)]),
    ) as unknown as EstimatedCalls;
  }
}

/** All calls of several traces. */
export const allCalls = (some: readonly EstimatedCalls[]): EstimatedCalls => ({
  "10m": some.flatMap((calls) => calls["10m"]),
  "1h": some.flatMap((calls) => calls["1h"]),
});
