// Compares the alarms of one trace with its events, with the use of blocks known and unknown.
import { FEES } from "../../alerts/thresholds.ts";
import type { Incident } from "./incidents.ts";
import { alarmsOf, type Explanation, PRICE_RULES, unionOf, withoutUsage } from "./rules.ts";
import { type Score, scoreTrace, total } from "./score.ts";
import { type Signals, signalsOf } from "./signals.ts";
import type { FeeThresholds } from "./thresholds.ts";
import { TRAINING_DAYS, type Trace } from "./trace.ts";
import { eventsOf, type Span } from "./truth.ts";

/** Whether the use of blocks is known to the rules. */
export const VIEWS = ["gated", "ungated"] as const;
export type View = (typeof VIEWS)[number];

/** What is scored by the price of inclusion: each rule, and all of them as one notification. */
export const DETECTORS = [...PRICE_RULES, "union"] as const;
export type Detector = (typeof DETECTORS)[number];

/** How often an explanation was given, and whether it was one. */
export interface Explained {
  readonly alarms: number;
  /** Alarms while unminable transactions were there that had been put there. */
  readonly caused: number;
  /** Alarms that began during an event: they reported outliers while the price was high. */
  readonly misleading: number;
  readonly clusters: number;
  readonly found: number;
}

/** Errors of the union, by the incident at that time. */
export type Mistakes = ReadonlyMap<string, { readonly missed: number; readonly wrong: number }>;

/** What one view of one trace gave. */
export interface Verdict {
  readonly scores: Readonly<Record<Detector, Score>>;
  readonly explained: Readonly<Record<Explanation, Explained>>;
  readonly mistakes: Mistakes;
}

const START = TRAINING_DAYS * 1440;
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

function mistakesOf(alarms: readonly Span[], events: readonly Span[], incidents: readonly Incident[]): Mistakes {
  const mistakes = new Map<string, { missed: number; wrong: number }>();
  const note = (span: Span, kind: "missed" | "wrong") => {
    const cause = circumstances(span, incidents);
    const entry = mistakes.get(cause) ?? { missed: 0, wrong: 0 };
    entry[kind] += 1;
    mistakes.set(cause, entry);
  };
  for (const event of events) {
    if (event.from >= START && scoreTrace(alarms, [event], START, START).detected === 0) note(event, "missed");
  }
  for (const alarm of alarms) {
    if (alarm.until > START && scoreTrace([alarm], events, START, START).right === 0) note(alarm, "wrong");
  }
  return mistakes;
}

function explain(alarms: readonly Span[], events: readonly Span[], clusters: readonly Span[]): Explained {
  const scored = alarms.filter(({ until }) => until > START);
  const asked = clusters.filter(({ from }) => from >= START);
  const count = (list: readonly Span[], is: (span: Span) => boolean) => list.filter(is).length;
  return {
    alarms: scored.length,
    caused: count(scored, (alarm) => clusters.some((cluster) => overlap(alarm, cluster))),
    misleading: count(scored, ({ from }) => events.some((event) => event.from <= from && from < event.until)),
    clusters: asked.length,
    found: count(asked, (cluster) => scored.some((alarm) => overlap(alarm, cluster))),
  };
}

function judge(trace: Trace, events: readonly Span[], signals: Signals, fees: FeeThresholds): Verdict {
  const alarms = alarmsOf(signals, fees);
  const union = unionOf(alarms);
  const score = (spans: readonly Span[]) => scoreTrace(spans, events, START, signals.minutes);
  const clusters = (kind: Incident["kind"]) => trace.incidents.filter((one) => one.kind === kind).map(inMinutes);
  return {
    scores: {
      spike: score(alarms.spike),
      elevated: score(alarms.elevated),
      backlog: score(alarms.backlog),
      union: score(union),
    },
    explained: {
      topHeavy: explain(alarms.topHeavy, events, [...clusters("whale"), ...clusters("stuck")]),
      stuckCluster: explain(alarms.stuckCluster, events, clusters("stuck")),
    },
    mistakes: mistakesOf(union, events, trace.incidents),
  };
}

/** Both views of one trace. */
export function judgeTrace(trace: Trace, fees: FeeThresholds = FEES): Readonly<Record<View, Verdict>> {
  const events = eventsOf(trace.price);
  const signals = signalsOf(trace.samples, fees);
  return {
    gated: judge(trace, events, signals, fees),
    ungated: judge(trace, events, withoutUsage(signals), fees),
  };
}

/** The sum of verdicts. */
export function together(verdicts: readonly Verdict[]): Verdict {
  const scores = (detector: Detector) => total(verdicts.map((verdict) => verdict.scores[detector]));
  const explained = (rule: Explanation) => {
    const sum = (key: keyof Explained) =>
      verdicts.reduce((before, verdict) => before + verdict.explained[rule][key], 0);
    return {
      alarms: sum("alarms"),
      caused: sum("caused"),
      misleading: sum("misleading"),
      clusters: sum("clusters"),
      found: sum("found"),
    };
  };
  const mistakes = new Map<string, { missed: number; wrong: number }>();
  for (const [cause, { missed, wrong }] of verdicts.flatMap((verdict) => [...verdict.mistakes])) {
    const before = mistakes.get(cause) ?? { missed: 0, wrong: 0 };
    mistakes.set(cause, { missed: before.missed + missed, wrong: before.wrong + wrong });
  }
  return {
    scores: {
      spike: scores("spike"),
      elevated: scores("elevated"),
      backlog: scores("backlog"),
      union: scores("union"),
    },
    explained: { topHeavy: explained("topHeavy"), stuckCluster: explained("stuckCluster") },
    mistakes,
  };
}
