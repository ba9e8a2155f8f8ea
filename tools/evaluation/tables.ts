// Figures as tables of Markdown.
import type { Evaluation } from "./evaluate.ts";
import type { Polls } from "./exporter.ts";
import { DETECTORS, type Detector } from "./rules.ts";
import { delay, falseAlarms, precision, recall, type Score, withoutShortRises } from "./score.ts";
import type { Mistakes, Scores } from "./trace-scores.ts";

const ALERTS: Readonly<Record<Detector, string>> = {
  spike: "StacksFeeSpike",
  backlog: "StacksMempoolBacklog",
  either: "**either**",
};

/** A whole number, thousands apart. */
export const whole = (value: number) => value.toLocaleString("en-US");

/** A share, rounded down, so that it is never better than measured. */
export const share = (value: number) => (Number.isNaN(value) ? "none" : (Math.floor(value * 1000) / 1000).toFixed(3));
/** A number of alarms, rounded up. */
export const alarms = (value: number) => (Math.ceil(value * 100) / 100).toFixed(2);

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

const minutes = (score: Score, part: number) => (score.detected === 0 ? "none" : `${delay(score, part)} min`);
/** A figure with short rises as neutral, and with short rises as wrong. */
const both = (of: (score: Score) => string, score: Score) => `${of(withoutShortRises(score))} / ${of(score)}`;

const FIGURES = ["Events", "Recall", "Precision", "False alarms in 30 days", "Median", "p90"] as const;

const figures = (score: Score): string[] => [
  whole(score.events),
  share(recall(score)),
  both((one) => share(precision(one)), score),
  both((one) => alarms(falseAlarms(one)), score),
  minutes(score, 0.5),
  minutes(score, 0.9),
];

/** Each rule, and both as one notification. */
export const scoreTable = (scores: Scores): string =>
  table(
    ["Alert", ...FIGURES],
    DETECTORS.map((detector) => [ALERTS[detector], ...figures(scores[detector])]),
  );

/** Both rules as one notification, in several settings. */
export function worldTable(rows: readonly (readonly [what: string, evaluation: Evaluation])[]): string {
  return table(
    ["World", ...FIGURES, "Recall, precision: what had to be paid", "Recall, first day"],
    rows.map(([what, { scores }]) => {
      const { paid, needed, firstDay } = scores;
      const second = `${share(recall(needed.either))}, ${share(precision(withoutShortRises(needed.either)))}`;
      return [what, ...figures(paid.either), second, share(recall(firstDay.either))];
    }),
  );
}

/** Both rules as one notification, with several intervals of polls. */
export function pollTable(rows: readonly (readonly [polls: Polls, score: Score])[]): string {
  const mean = ({ delays }: Score) => delays.reduce((before, one) => before + one, 0) / delays.length;
  return table(
    ["transactions", "mempool", "blocks", "Recall", "Median", "Mean", "p90", "False alarms in 30 days"],
    rows.map(([polls, score]) => [
      ...[polls.transactions, polls.mempool, polls.blocks].map((interval) => `${interval} min`),
      share(recall(score)),
      minutes(score, 0.5),
      `${mean(score).toFixed(1)} min`,
      minutes(score, 0.9),
      both((one) => alarms(falseAlarms(one)), score),
    ]),
  );
}

/** Missed events and false alarms of both rules as one notification, by what happened then. */
export function mistakeTable(mistakes: Mistakes): string {
  return table(
    ["Incident", "Missed", "False", "False, in a short rise"],
    [...mistakes]
      .toSorted(([, a], [, b]) => b.wrong + b.missed - a.wrong - a.missed)
      .map(([cause, { missed, wrong, short }]) => [cause, whole(missed), whole(wrong), whole(short)]),
  );
}

/** A target, and what was measured. */
export interface Target {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  readonly isReached: boolean;
}

/** Targets and measured values. */
export const targetTable = (targets: readonly Target[]): string =>
  table(
    ["Either alert", "Target", "Measured", "Reached"],
    targets.map(({ what, target, measured, isReached }) => [what, target, measured, isReached ? "yes" : "**no**"]),
  );
