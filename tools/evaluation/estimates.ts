// Evaluates the fee estimates: what happens to a contract call that pays the estimate, while calls wait.
import { estimateFees, MARGIN, type Target } from "../../src/collectors/mempool-transactions/estimate.ts";
import { comparable, NO_COSTS, typicalCost } from "../../src/collectors/transactions/costs.ts";
import { costsAfter, knownOf } from "./exporter.ts";
import { EPOCH, type OnMinute, type Trace } from "./trace.ts";

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

/** The estimates for contract calls while a trace is played, every few minutes. */
export class Estimates {
  /** By minute, each divided by the typical cost. */
  readonly #made = new Map<number, Readonly<Record<Target, number>>>();
  #costs = NO_COSTS;

  /** Sees the end of a minute. */
  readonly see: OnMinute = (minute, waiting, mined) => {
    if (minute % EVERY_MINUTES !== 0 || minute < 120 || minute >= DAYS * 1440) return;
    const now = EPOCH + (minute + 1) * 60;
    const known = knownOf(mined, mined.length, now);
    this.#costs = costsAfter(this.#costs, known, mined, now);
    const rated = comparable(this.#costs, MARGIN);
    const listed = waiting().map(({ at, ...one }) => rated({ ...one, receivedAt: EPOCH + at }));
    const newestFirst = listed.sort((a, b) => b.receivedAt - a.receivedAt);
    const { contract_call } = estimateFees(newestFirst, known.map(rated), { waiting: now, mined: now });
    if (contract_call === undefined) return;
    const { "10m": soon, "1h": later } = contract_call.fees;
    const typical = typicalCost(this.#costs) || 1;
    this.#made.set(minute, { "10m": soon / typical, "1h": later / typical });
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
    return { "10m": callsOf("10m"), "1h": callsOf("1h") };
  }
}

/** All calls of several traces. */
export const allCalls = (some: readonly EstimatedCalls[]): EstimatedCalls => ({
  "10m": some.flatMap((calls) => calls["10m"]),
  "1h": some.flatMap((calls) => calls["1h"]),
});
