// The generated part of docs/fee-alerts.md: the quality of the fee alerts as tables.
import { FEES } from "../../alerts/thresholds.ts";
import { TARGETS } from "../../src/collectors/mempool-transactions/estimate.ts";
import type { EstimateScore } from "./estimates.ts";
import { type Evaluation, evaluateAll, type Plan } from "./evaluate.ts";
import { delay, falseAlarms, precision, recall, type Score, withoutShortRises } from "./score.ts";
import { type Purpose, seedsOf } from "./seeds.ts";
import type { FeeThresholds } from "./signals.ts";
import { DAYS, TRAINING_DAYS } from "./trace.ts";
import type { View } from "./trace-scores.ts";
import { BASE, HELD_OUT, OTHERS, POLLS, type Setting, WITHOUT_RENEWALS } from "./worlds.ts";

const VIEWS: Readonly<Record<View, string>> = {
  paid: "By what was paid",
  needed: "By what had to be paid",
  firstDay: "By what was paid, on the first day",
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

const introduction = () => {
  const intervals = Object.entries(POLLS).map(([collector, interval]) => `\`${collector}\` ${interval}`);
  return `Traces of ${DAYS} days, of which the first ${TRAINING_DAYS} fill the baselines. Minutes between two polls, the
defaults with a free key: ${intervals.join(", ")}.`;
};

/** Evaluates the alert and renders the tables. Without date or host, so that equal code gives equal bytes. */
export async function report(base: Purpose, others: Purpose, fees: FeeThresholds = FEES): Promise<string> {
  const views = Object.keys(VIEWS) as View[];
  const plan = (setting: Setting, seeds: Purpose): Plan => ({
    setting,
    seeds: seedsOf(seeds),
    views: ["paid", "needed"],
    fees,
  });
  const plans: Plan[] = [
    ...BASE.map((setting, index) => (index === 0 ? { ...plan(setting, base), views } : plan(setting, base))),
    ...[...OTHERS, ...WITHOUT_RENEWALS].map((setting) => plan(setting, others)),
    ...(base === "reporting" ? HELD_OUT.map((setting) => plan(setting, "heldOut")) : []),
  ];
  const evaluations = await evaluateAll(plans);
  const rows = plans.flatMap(({ setting, views }, index) =>
    views.map((view) => [setting.what, VIEWS[view], evaluations[index]?.alert[view] as Score] as const),
  );
  const worstFirst = (view: string) =>
    rows
      .filter(([, by]) => by === view)
      .map(([what, , score]) => [what, score] as const)
      .toSorted(([, one], [, other]) => quality(one) - quality(other));
  const tables = Object.values(VIEWS).map((view) => `${view}:\n\n${scoreTable("World", worstFirst(view))}`);
  const estimates = plans.map(({ setting }, index) => [setting.what, evaluations[index] as Evaluation] as const);
  return [introduction(), ...tables, `Estimates while calls wait:\n\n${estimateTable(estimates)}`].join("\n\n");
}

const quality = (score: Score) => Math.min(recall(score), precision(withoutShortRises(score)));

function estimateTable(rows: readonly (readonly [what: string, evaluation: Evaluation])[]): string {
  const cells = ({ estimates, inTime, paid }: EstimateScore) => {
    const sorted = paid.toSorted((a, b) => a - b);
    return [whole(estimates), share(inTime / estimates), (sorted[sorted.length >> 1] ?? Number.NaN).toFixed(2)];
  };
  const timely = ({ estimates }: Evaluation) => estimates["10m"].inTime / estimates["10m"].estimates;
  return table(
    ["World", ...Object.keys(TARGETS).flatMap((target) => [target, "In time", "Median of paid / needed"])],
    rows
      .toSorted(([, one], [, other]) => timely(one) - timely(other))
      .map(([what, { estimates }]) => [what, ...Object.values(estimates).flatMap(cells)]),
  );
}
