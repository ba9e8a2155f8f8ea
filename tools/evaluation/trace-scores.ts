// Compares the alarms of exporters on one trace with its events.
import type { Span } from "../../alerts/firing.ts";
import { FEES } from "../../alerts/thresholds.ts";
import { observe, type Polls, quartiles, type Samples } from "./exporter.ts";
import type { Incident } from "./incidents.ts";
import { alarmsOf, DETECTORS, type Detector } from "./rules.ts";
import { type Score, scoreTrace, total } from "./score.ts";
import { signalsOf } from "./signals.ts";
import type { FeeThresholds } from "./thresholds.ts";
import { TRAINING_DAYS, type Trace } from "./trace.ts";
import { type Truth, truthOf } from "./truth.ts";
import type { Setting } from "./worlds.ts";

/** Scores of each rule, and of both as one notification. */
export type Scores = Readonly<Record<Detector, Score>>;

/** Errors of both as one notification, by the incident at that time. */
export type Mistakes = ReadonlyMap<string, { readonly missed: number; readonly wrong: number; readonly short: number }>;

/** The scores of one setting of one trace. */
export interface TraceScores {
  /** Evaluated by the cheapest fee in full blocks. */
  readonly paid: Scores;
  /** Evaluated by what had to be paid to be mined within ten minutes. */
  readonly needed: Scores;
  /** Evaluated by the cheapest fee in full blocks: the first 24 hours of exporters, one a day. */
  readonly firstDay: Scores;
  /** Evaluated by the cheapest fee in full blocks: a server that does not list mined transactions. */
  readonly unlisted: Scores;
  readonly mistakes: Mistakes;
}

const DAY = 1440;
const START = TRAINING_DAYS * DAY;
// An event at the end of the first day is detected on the second.
const AFTER_DAY = 120;

const overlap = (one: Span, other: Span) => one.from < other.until && one.until > other.from;
const inMinutes = ({ from, until }: Incident): Span => ({ from: from / 60, until: until / 60 });

/** Causes of errors; of simultaneous incidents the first one counts. */
const CAUSES = ["outage", "flood", "flash", "rush", "surge", "stuck", "whale", "shift"] as const;

function circumstances(span: Span, incidents: readonly Incident[]): string {
  // A backlog lasts longer than its cause.
  const near = incidents.filter((incident) => {
    const { from, until } = inMinutes(incident);
    return overlap(span, { from, until: until + 60 });
  });
  return CAUSES.find((kind) => near.some((incident) => incident.kind === kind)) ?? "nothing";
}

function mistakesOf(alarms: readonly Span[], truth: Truth, { incidents, minutes }: Trace): Mistakes {
  const mistakes = new Map<string, { missed: number; wrong: number; short: number }>();
  const note = (span: Span, kind: "missed" | "wrong" | "short") => {
    const cause = circumstances(span, incidents);
    const entry = mistakes.get(cause) ?? { missed: 0, wrong: 0, short: 0 };
    entry[kind] += 1;
    mistakes.set(cause, entry);
  };
  for (const event of truth.events) {
    const alone = { ...truth, events: [event] };
    if (event.from >= START && scoreTrace(alarms, alone, START, minutes).detected === 0) note(event, "missed");
  }
  for (const alarm of alarms) {
    if (alarm.until <= START) continue;
    const { right, neutral } = scoreTrace([alarm], truth, START, minutes);
    if (right === 0) note(alarm, neutral === 0 ? "wrong" : "short");
  }
  return mistakes;
}

const record = <Value>(of: (detector: Detector) => Value): Readonly<Record<Detector, Value>> =>
  Object.fromEntries(DETECTORS.map((detector) => [detector, of(detector)])) as Record<Detector, Value>;

const alarmsIn = (samples: Samples, fees: FeeThresholds) => alarmsOf(signalsOf(samples, fees), fees);

/** The score of exporters that begin at midnight, each for a day. */
function firstDaysOf(trace: Trace, truth: Truth, setting: Setting, fees: FeeThresholds): Scores {
  const days = Array.from({ length: trace.minutes / DAY - TRAINING_DAYS }, (_, day) => {
    const from = START + day * DAY;
    const samples = observe(trace, { ...setting, from, until: Math.min(trace.minutes, from + DAY + AFTER_DAY) });
    const alarms = alarmsIn(samples, fees);
    const inTrace = ({ from: first, until }: Span) => ({ from: from + first, until: from + until });
    return record((detector) => scoreTrace(alarms[detector].map(inTrace), truth, from, from + DAY));
  });
  return addedUp(days);
}

/** Scores of several traces or days, added up. */
const addedUp = (scores: readonly Scores[]): Scores => record((detector) => total(scores.map((one) => one[detector])));

/** The score of an exporter with other polls: both rules as one notification, evaluated by the cheapest fee. */
export function scorePolls(trace: Trace, polls: Polls, fees: FeeThresholds = FEES): Score {
  return scoreTrace(alarmsIn(observe(trace, { polls }), fees).either, truthOf(trace.price), START, trace.minutes);
}

/** The scores of one trace. */
export function evaluateTrace(trace: Trace, setting: Setting, fees: FeeThresholds = FEES): TraceScores {
  const paid = truthOf(trace.price);
  const needed = truthOf(trace.needed);
  const samples = observe(trace, setting);
  const nothing = quartiles(() => new Float64Array(samples.minutes).fill(Number.NaN));
  const alarms = alarmsIn(samples, fees);
  const unlisted = alarmsIn({ ...samples, mined: nothing, usual: nothing }, fees);
  const score = (of: Readonly<Record<Detector, readonly Span[]>>, truth: Truth) =>
    record((detector) => scoreTrace(of[detector], truth, START, trace.minutes));
  return {
    paid: score(alarms, paid),
    needed: score(alarms, needed),
    firstDay: firstDaysOf(trace, paid, setting, fees),
    unlisted: score(unlisted, paid),
    mistakes: mistakesOf(alarms.either, paid, trace),
  };
}

/** The sum of the scores of traces. */
export function together(all: readonly TraceScores[]): TraceScores {
  const sum = (view: "paid" | "needed" | "firstDay" | "unlisted") => addedUp(all.map((scores) => scores[view]));
  const mistakes = new Map<string, { missed: number; wrong: number; short: number }>();
  for (const [cause, { missed, wrong, short }] of all.flatMap((scores) => [...scores.mistakes])) {
    const before = mistakes.get(cause) ?? { missed: 0, wrong: 0, short: 0 };
    mistakes.set(cause, {
      missed: before.missed + missed,
      wrong: before.wrong + wrong,
      short: before.short + short,
    });
  }
  return {
    paid: sum("paid"),
    needed: sum("needed"),
    firstDay: sum("firstDay"),
    unlisted: sum("unlisted"),
    mistakes,
  };
}
