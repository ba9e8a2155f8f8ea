// Figures as tables of Markdown.
import type { Evaluation } from "./evaluate.ts";
import { delay, falseAlarms, precision, recall, type Score } from "./score.ts";
import { DETECTORS, type Detector, type Explained, type View } from "./verdict.ts";

const ALERTS: Readonly<Record<Detector, string>> = {
  spike: "StacksFeeSpike",
  elevated: "StacksFeeElevated",
  backlog: "StacksMempoolBacklog",
  union: "**all three**",
};

/** A whole number, thousands apart. */
export const whole = (value: number) => value.toLocaleString("en-US");
const share = (value: number) => (Number.isNaN(value) ? "none" : value.toFixed(2));

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

const FIGURES = ["Recall", "Precision", "False alarms in 30 days", "Detected within: median", "p90"] as const;

function figures(score: Score): string[] {
  const minutes = (part: number) => `${delay(score, part)} min`;
  return [share(recall(score)), share(precision(score)), falseAlarms(score).toFixed(1), minutes(0.5), minutes(0.9)];
}

/** Each price rule, and all together, in one view. */
export function scoreTable(evaluation: Evaluation, view: View): string {
  const { scores } = evaluation.views[view];
  return table(
    ["Alert", ...FIGURES],
    DETECTORS.map((detector) => [ALERTS[detector], ...figures(scores[detector])]),
  );
}

/** All together, in several sets of traces. */
export function unionTable(rows: readonly (readonly [what: string, evaluation: Evaluation])[], first: string): string {
  return table(
    [first, "Events", ...FIGURES, "Precision, use of blocks unknown", "False alarms in 30 days"],
    rows.map(([what, { views }]) => {
      const { gated, ungated } = { gated: views.gated.scores.union, ungated: views.ungated.scores.union };
      return [what, whole(gated.events), ...figures(gated), share(precision(ungated)), falseAlarms(ungated).toFixed(1)];
    }),
  );
}

/** Missed events and false alarms of all together, by what was going on. */
export function mistakeTable({ views }: Evaluation): string {
  const { gated, ungated } = views;
  const causes = [...new Set([...gated.mistakes.keys(), ...ungated.mistakes.keys()])];
  const of = (view: View, cause: string) => views[view].mistakes.get(cause) ?? { missed: 0, wrong: 0 };
  return table(
    ["Incident", "Missed", "False", "Missed, use unknown", "False, use unknown"],
    causes
      .toSorted((a, b) => of("ungated", b).wrong - of("ungated", a).wrong)
      .map((cause) => [
        cause,
        ...(["gated", "ungated"] as const).flatMap((view) => {
          const { missed, wrong } = of(view, cause);
          return [whole(missed), whole(wrong)];
        }),
      ]),
  );
}

/** The alerts that explain. */
export function explanationTable({ views }: Evaluation): string {
  const row = (name: string, { alarms, caused, misleading, clusters, found }: Explained) => [
    name,
    whole(alarms),
    share(caused / alarms),
    share(misleading / alarms),
    `${whole(found)} of ${whole(clusters)}`,
  ];
  return table(
    ["Alert", "Alarms", "Share with such transactions", "Share started while the price was high", "Detected incidents"],
    [
      row("StacksFeeTopHeavy", views.gated.explained.topHeavy),
      row("StacksMempoolStuckCluster", views.gated.explained.stuckCluster),
      row("… use of blocks unknown", views.ungated.explained.stuckCluster),
    ],
  );
}

/** What was aimed at, and what was measured. */
export function aimTable({ views }: Evaluation): string {
  const gated = views.gated.scores.union;
  const ungated = views.ungated.scores.union;
  const row = (what: string, aim: string, figure: number, digits: number, isReached: boolean) => [
    what,
    aim,
    figure.toFixed(digits),
    isReached ? "yes" : "**no**",
  ];
  return table(
    ["All three together", "Target", "Measured", "Reached"],
    [
      row("Recall", "≥ 0.90", recall(gated), 3, recall(gated) >= 0.9),
      row("Precision", "≥ 0.90", precision(gated), 3, precision(gated) >= 0.9),
      row("False alarms in 30 days", "≤ 1", falseAlarms(gated), 2, falseAlarms(gated) <= 1),
      row("False alarms in 30 days, use of blocks unknown", "≤ 4", falseAlarms(ungated), 2, falseAlarms(ungated) <= 4),
      row("Median time to detect, in minutes", "≤ 4", delay(gated, 0.5), 0, delay(gated, 0.5) <= 4),
    ],
  );
}
