// The generated part of docs/fee-alerts.md: the quality of the fee alerts as tables.
import { FEES } from "../../alerts/thresholds.ts";
import { evaluateAll, type Plan } from "./evaluate.ts";
import type { Detector } from "./rules.ts";
import { delay, falseAlarms, precision, recall, type Score, withoutShortRises } from "./score.ts";
import { type Purpose, seedsOf } from "./seeds.ts";
import type { FeeThresholds } from "./signals.ts";
import { DAYS, TRAINING_DAYS } from "./trace.ts";
import type { Scores, View } from "./trace-scores.ts";
import { BASE, OTHERS, POLLS } from "./worlds.ts";

const ALERTS: Readonly<Record<Detector, string>> = {
  spike: "StacksFeeSpike",
  backlog: "StacksMempoolBacklog",
  either: "**either**",
};

const VIEWS: Readonly<Record<View, string>> = {
  paid: "what was paid",
  needed: "what had to be paid",
  firstDay: "what was paid, first day",
  unlisted: "what was paid, mined transactions not listed",
};

/** A whole number, thousands apart. */
const whole = (value: number) => value.toLocaleString("en-US");
/** A share, rounded down, so that it is never better than measured. */
const share = (value: number) => (Number.isNaN(value) ? "none" : (Math.floor(value * 1000) / 1000).toFixed(3));
/** A number of alarms, rounded up. */
const alarms = (value: number) => (Math.ceil(value * 100) / 100).toFixed(2);
const minutes = (score: Score, part: number) => (score.detected === 0 ? "none" : `${delay(score, part)} min`);
/** A figure with short rises as neutral, and with short rises as wrong. */
const both = (of: (score: Score) => string, score: Score) => `${of(withoutShortRises(score))} / ${of(score)}`;

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

const scoreTable = (what: string, rows: readonly (readonly [what: string, score: Score])[]): string =>
  table(
    [what, "Events", "Recall", "Precision", "False alarms in 30 days", "Median", "p90"],
    rows.map(([what, score]) => [
      what,
      whole(score.events),
      share(recall(score)),
      both((one) => share(precision(one)), score),
      both((one) => alarms(falseAlarms(one)), score),
      minutes(score, 0.5),
      minutes(score, 0.9),
    ]),
  );

function introduction(seeds: readonly string[]): string {
  const traces = seeds.length * BASE.regimes.length;
  const intervals = Object.entries(POLLS).map(([collector, interval]) => `\`${collector}\` ${interval}`);
  return `${traces} traces of ${DAYS} days, of which the first ${TRAINING_DAYS} fill the baselines. Minutes between two polls, the defaults with a
free key: ${intervals.join(", ")}.`;
}

/** Evaluates the alerts and renders the tables. Without date or host, so that equal code gives equal bytes. */
export async function report(base: Purpose, others: Purpose, fees: FeeThresholds = FEES): Promise<string> {
  const views = Object.keys(VIEWS) as View[];
  const plans: Plan[] = [
    { setting: BASE, seeds: seedsOf(base), views, fees },
    ...OTHERS.map((setting): Plan => ({ setting, seeds: seedsOf(others), views: ["paid"], fees })),
  ];
  const [first, ...rest] = (await evaluateAll(plans)) as Record<View, Scores>[];
  if (first === undefined) throw new Error("no traces were played");
  const worlds = OTHERS.map(({ what }, index) => [what, (rest[index] as Record<View, Scores>).paid.either] as const);
  const inViews = views.flatMap((view) =>
    (Object.keys(ALERTS) as Detector[]).map(
      (detector) => [`${ALERTS[detector]}, ${VIEWS[view]}`, first[view][detector]] as const,
    ),
  );
  return `${introduction(seedsOf(base))}

${scoreTable("Alert, evaluated by", inViews)}

${scoreTable(
  "World (either alert)",
  worlds.toSorted(([, one], [, other]) => recall(one) - recall(other)),
)}`;
}
