// Compares the alarms of exporters on one trace with its events, in several views.

import { FEES } from "../../alerts/thresholds.ts";
import { observe, type Samples, withoutMined } from "./exporter.ts";
import type { Span } from "./firing.ts";
import { alarmsOf, DETECTORS, type Detector } from "./rules.ts";
import { type Score, scoreTrace, total } from "./score.ts";
import { type FeeThresholds, signalsOf } from "./signals.ts";
import { TRAINING_DAYS, type Trace } from "./trace.ts";
import { type Truth, truthOf } from "./truth.ts";
import type { Setting } from "./worlds.ts";

/** Scores of each rule, and of both as one notification. */
export type Scores = Readonly<Record<Detector, Score>>;

const DAY = 1440;
const START = TRAINING_DAYS * DAY;
// An event at the end of the first day is detected on the second.
const AFTER_DAY = 120;

const record = <Value>(of: (detector: Detector) => Value): Readonly<Record<Detector, Value>> =>
  Object.fromEntries(DETECTORS.map((detector) => [detector, of(detector)])) as Record<Detector, Value>;

/** Scores of several traces or days, added up. */
export const addedUp = (scores: readonly Scores[]): Scores =>
  record((detector) => total(scores.map((one) => one[detector])));

/** Scores the alarms of an exporter from the end of the training to the end of the trace. */
function scored(samples: Samples, truth: Truth, fees: FeeThresholds): Scores {
  const alarms = alarmsOf(signalsOf(samples, fees), fees);
  return record((detector) => scoreTrace(alarms[detector], truth, START, samples.minutes));
}

/** Scores exporters that begin at midnight without history, each for a day. */
function firstDaysOf(trace: Trace, setting: Setting, fees: FeeThresholds): Scores {
  const truth = truthOf(trace.price);
  const days = Array.from({ length: trace.minutes / DAY - TRAINING_DAYS }, (_, day) => {
    const from = START + day * DAY;
    const samples = observe(trace, { ...setting, from, until: Math.min(trace.minutes, from + DAY + AFTER_DAY) });
    const alarms = alarmsOf(signalsOf(samples, fees), fees);
    const inTrace = ({ from: first, until }: Span) => ({ from: from + first, until: from + until });
    return record((detector) => scoreTrace(alarms[detector].map(inTrace), truth, from, from + DAY));
  });
  return addedUp(days);
}

/** The ways to evaluate a trace. */
export const VIEWS = {
  /** By the cheapest fee in full blocks. */
  paid: (trace, setting, fees) => scored(observe(trace, setting), truthOf(trace.price), fees),
  /** By what had to be paid to be mined within ten minutes. */
  needed: (trace, setting, fees) => scored(observe(trace, setting), truthOf(trace.needed), fees),
  /** The first 24 hours of exporters without history, one a day. */
  firstDay: firstDaysOf,
  /** On a server that does not list mined transactions. */
  unlisted: (trace, setting, fees) => scored(withoutMined(observe(trace, setting)), truthOf(trace.price), fees),
} as const satisfies Record<string, (trace: Trace, setting: Setting, fees: FeeThresholds) => Scores>;
export type View = keyof typeof VIEWS;

/** The scores of one trace in the given views. */
export function evaluateTrace<One extends View>(
  trace: Trace,
  setting: Setting,
  views: readonly One[],
  fees: FeeThresholds = FEES,
): Readonly<Record<One, Scores>> {
  return Object.fromEntries(views.map((view) => [view, VIEWS[view](trace, setting, fees)])) as Record<One, Scores>;
}
