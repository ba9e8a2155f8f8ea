// Compares the alarms of exporters on one trace with its events, in several views.
import { FEES } from "../../alerts/thresholds.ts";
import { observe, type Samples } from "./exporter.ts";
import type { Span } from "./firing.ts";
import { alarmsOf } from "./rules.ts";
import { type Score, scoreTrace, total } from "./score.ts";
import { type FeeThresholds, signalsOf } from "./signals.ts";
import { TRAINING_DAYS, type Trace } from "./trace.ts";
import { type Truth, truthOf } from "./truth.ts";
import type { Setting } from "./worlds.ts";

const DAY = 1440;
const START = TRAINING_DAYS * DAY;
// An event at the end of the first day is detected on the second.
const AFTER_DAY = 120;

/** Scores the alarms of an exporter from the end of the training to the end of the trace. */
const scored = (samples: Samples, truth: Truth, fees: FeeThresholds): Score =>
  scoreTrace(alarmsOf(signalsOf(samples, fees), fees), truth, START, samples.minutes);

/** Scores exporters that begin at midnight without history, each for a day. */
function firstDaysOf(trace: Trace, setting: Setting, fees: FeeThresholds): Score {
  const truth = truthOf(trace.price);
  const days = Array.from({ length: trace.minutes / DAY - TRAINING_DAYS }, (_, day) => {
    const from = START + day * DAY;
    const samples = observe(trace, { ...setting, from, until: Math.min(trace.minutes, from + DAY + AFTER_DAY) });
    const inTrace = ({ from: first, until }: Span) => ({ from: from + first, until: from + until });
    return scoreTrace(alarmsOf(signalsOf(samples, fees), fees).map(inTrace), truth, from, from + DAY);
  });
  return total(days);
}

/** The ways to evaluate a trace, by the samples of an exporter on it. */
const VIEWS = {
  /** By the cheapest rate in full blocks. */
  paid: (trace, samples, _, fees) => scored(samples, truthOf(trace.price), fees),
  /** By what had to be paid to be mined within ten minutes. */
  needed: (trace, samples, _, fees) => scored(samples, truthOf(trace.needed), fees),
  /** The first 24 hours of exporters without history, one a day. */
  firstDay: (trace, _, setting, fees) => firstDaysOf(trace, setting, fees),
} as const satisfies Record<string, (trace: Trace, samples: Samples, setting: Setting, fees: FeeThresholds) => Score>;
export type View = keyof typeof VIEWS;

/** The scores of one trace in the given views. */
export function evaluateTrace<One extends View>(
  trace: Trace,
  setting: Setting,
  views: readonly One[],
  fees: FeeThresholds = FEES,
): Readonly<Record<One, Score>> {
  const samples = observe(trace, setting);
  return Object.fromEntries(views.map((view) => [view, VIEWS[view](trace, samples, setting, fees)])) as Record<
    One,
    Score
  >;
}
