// The totals of the counted calls of a contract. Functions and errors without a slot count as `other`. Pure. Totals are
// plain data and never fall.
import { add, type Counters, type Draft, keyOf, move, valuesOf } from "../counters.ts";
import { boundedValue, OTHER, TX_STATUSES } from "../labels.ts";
import { assignSlot, noSlots, type SlotLimits, type Slots, trim } from "../slots.ts";
import type { Call } from "./source.ts";

/** Totals since the first poll. */
export interface CallTotals {
  /** By function, status. */
  readonly calls: Counters<number>;
  /** The functions with their own series, by number of calls. */
  readonly functions: Slots;
  /** Failed calls by function, error. */
  readonly errors: Counters<number>;
  /** The pairs of function and error with their own series, by number of failed calls. */
  readonly pairs: Slots;
  /** Calls whose function counts as `other`, and failed calls whose error does. */
  readonly overflow: number;
  /** In microSTX. */
  readonly fees: bigint;
  /** Unknown statuses that have become label values. */
  readonly statuses: readonly string[];
}

/** Totals before the first call. */
export const NO_CALLS: CallTotals = {
  calls: {},
  functions: noSlots(),
  errors: {},
  pairs: noSlots(),
  overflow: 0,
  fees: 0n,
  statuses: [],
};

/** The number of series of names from the chain. */
export interface CallLimits {
  /** Maximum number of functions with their own series. */
  readonly functions: number;
  /** Maximum number of pairs of function and error with their own series. */
  readonly errors: number;
  /** Maximum number of new series. */
  readonly spareSeries: number;
}

// Alerts and dashboards compare failed calls with all calls, so that both start at 0. A call that miners skip is rare.
const ZEROS = TX_STATUSES.filter((status) => status !== "problematic_skipped");
const OTHER_PAIR = keyOf(OTHER, OTHER);

/** Adds calls. */
export function addCalls(before: CallTotals, calls: readonly Call[], limits: CallLimits): CallTotals {
  return updated(before, limits, (totals, slots) => {
    for (const call of calls) {
      const name = functionOf(totals, slots, call);
      add(totals.calls, keyOf(name, boundedValue(call.status, TX_STATUSES, totals.statuses)));
      totals.fees += BigInt(call.fee ?? 0);
      const pair = pairOf(totals, slots, call);
      if (pair !== undefined) add(totals.errors, pair);
      totals.overflow += (name === OTHER ? 1 : 0) + (pair === OTHER_PAIR ? 1 : 0);
    }
  });
}

/** Gives series to the functions and errors of calls that are not counted, so that `rate()` sees the first increase. */
export function withNames(before: CallTotals, calls: readonly Call[], limits: CallLimits): CallTotals {
  return updated(before, limits, (totals, slots) => {
    for (const call of calls) {
      functionOf(totals, slots, call);
      const pair = pairOf(totals, slots, call);
      if (pair !== undefined) add(totals.errors, pair, 0);
    }
  });
}

interface CallSlots {
  readonly functions: SlotLimits;
  readonly pairs: SlotLimits;
}

function updated(
  before: CallTotals,
  { functions, errors, spareSeries }: CallLimits,
  change: (totals: Draft<CallTotals>, slots: CallSlots) => void,
): CallTotals {
  const totals = structuredClone(before) as Draft<CallTotals>;
  const named = new Set<string>();
  const slots: CallSlots = {
    functions: { max: functions, named, spare: Math.floor(spareSeries / 2 / ZEROS.length) },
    pairs: { max: errors, named, spare: Math.floor(spareSeries / 2) },
  };
  for (const name of trim(totals.functions, slots.functions)) evictFunction(totals, name);
  for (const pair of trim(totals.pairs, slots.pairs)) evictPair(totals, pair);
  change(totals, slots);
  return totals;
}

/** The label value of a function. One that gets a slot has series with 0. */
function functionOf(totals: Draft<CallTotals>, slots: CallSlots, call: Call): string {
  const name = call.function === OTHER ? undefined : call.function;
  const { isOwn, evicted } = assignSlot(totals.functions, name, slots.functions);
  if (evicted !== undefined) evictFunction(totals, evicted);
  const label = isOwn && name !== undefined ? name : OTHER;
  for (const status of ZEROS) add(totals.calls, keyOf(label, status), 0);
  return label;
}

/** The key of a failed call's error; undefined if the call succeeded. */
function pairOf(totals: Draft<CallTotals>, slots: CallSlots, call: Call): string | undefined {
  if (call.error === undefined) return undefined;
  const pair = call.function === OTHER ? undefined : keyOf(call.function, call.error);
  const { isOwn, evicted } = assignSlot(totals.pairs, pair, slots.pairs);
  if (evicted !== undefined) evictPair(totals, evicted);
  return isOwn && pair !== undefined ? pair : OTHER_PAIR;
}

// The series of the function end. Its calls move to `other`, so that the sum does not decrease.
function evictFunction(totals: Draft<CallTotals>, name: string): void {
  for (const key of Object.keys(totals.calls)) {
    const [of, status = ""] = valuesOf(key);
    if (of === name) totals.overflow += move(totals.calls, key, keyOf(OTHER, status)) ?? 0;
  }
}

function evictPair(totals: Draft<CallTotals>, pair: string): void {
  totals.overflow += move(totals.errors, pair, OTHER_PAIR) ?? 0;
}
