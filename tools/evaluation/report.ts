// The tables of docs/fee-alerts-worlds.md: the quality of the fee alerts as tables.
import { TARGETS } from "../../src/collectors/mempool-transactions/estimate.ts";
import { table } from "../bench/table.ts";
import type { EstimatedCall } from "./estimates.ts";
import { type Evaluation, evaluateAll } from "./evaluate.ts";
import { delay, falseAlarms, precision, recall, type Score, withoutShortRises } from "./score.ts";
import { type Purpose, seedsOf } from "./seeds.ts";
import { DAYS, TRAINING_DAYS } from "./trace.ts";
import { BASE, BY_CALL, HELD_OUT, OTHERS, type Setting, WITHOUT_RENEWALS } from "./worlds.ts";

/** A whole number, thousands apart. */
const whole = (value: number) => value.toLocaleString("en-US");
/** A share, rounded down, so that it is never better than measured. */
const share = (value: number) => (Number.isNaN(value) ? "none" : (Math.floor(value * 1000) / 1000).toFixed(3));
/** A number of alarms, rounded up. */
const alarms = (value: number) => (Math.ceil(value * 100) / 100).toFixed(2);
const minutes = (score: Score, part: number) => (score.delays.length === 0 ? "none" : `${delay(score, part)} min`);
/** A figure with short rises as neutral, and with short rises as wrong. */
const both = (of: (score: Score) => string, score: Score) => `${of(withoutShortRises(score))} / ${of(score)}`;

const scoreTable = (
  rows: readonly (readonly [what: string, evaluation: Evaluation])[],
  view: "paid" | "needed",
): string =>
  table(
    [
      "Market",
      "Events",
      "Recall",
      "Precision",
      "False alarms in 30 days",
      ...(view === "paid" ? ["Knowing the price"] : []),
      "Median",
      "p90",
    ],
    rows
      .toSorted(([, one], [, other]) => quality(one[view]) - quality(other[view]))
      .map(([what, { [view]: score, knowing }]) => [
        what,
        whole(score.events),
        share(recall(score)),
        both((one) => share(precision(one)), score),
        both((one) => alarms(falseAlarms(one)), score),
        ...(view === "paid" ? [both((one) => alarms(falseAlarms(one)), knowing)] : []),
        minutes(score, 0.5),
        minutes(score, 0.9),
      ]),
  );

/** Renders the tables of all markets, or of a twentieth of them. Without date or host: equal code gives equal bytes. */
export async function report(base: Purpose, others: Purpose, part?: number): Promise<string> {
  const plan = (purpose: Purpose) => (setting: Setting) => ({ setting, seeds: seedsOf(purpose) });
  const plans = [
    ...BASE.map(plan(base)),
    ...[...OTHERS, ...BY_CALL, ...WITHOUT_RENEWALS].map(plan(others)),
    ...(base === "reporting" ? HELD_OUT.map(plan("heldOut")) : []),
  ].filter((_, index) => part === undefined || (index - part) % 20 === 0);
  const evaluations = await evaluateAll(plans);
  const rows = plans.map(({ setting }, index) => [setting.what, evaluations[index] as Evaluation] as const);
  return [
    `Traces of ${DAYS} days, of which the first ${TRAINING_DAYS} fill the baselines.`,
    `By what was paid:\n\n${scoreTable(rows, "paid")}`,
    `By what had to be paid:\n\n${scoreTable(rows, "needed")}`,
    `Estimates while calls wait:\n\n${estimateTable(rows)}`,
  ].join("\n\n");
}

const quality = (score: Score) => Math.min(recall(score), precision(withoutShortRises(score)));

function estimateTable(rows: readonly (readonly [what: string, evaluation: Evaluation])[]): string {
  const timely = (calls: readonly EstimatedCall[]) => calls.filter(({ isInTime }) => isInTime).length / calls.length;
  const cells = (calls: readonly EstimatedCall[]) => {
    const sorted = calls.flatMap(({ paid }) => paid ?? []).sort((a, b) => a - b);
    return [whole(calls.length), share(timely(calls)), (sorted[sorted.length >> 1] ?? Number.NaN).toFixed(2)];
  };
  return table(
    ["Market", ...Object.keys(TARGETS).flatMap((target) => [target, "In time", "Median of paid / needed"])],
    rows
      .toSorted(([, one], [, other]) => timely(one.estimates["10m"]) - timely(other.estimates["10m"]))
      .map(([what, { estimates }]) => [what, ...Object.values(estimates).flatMap(cells)]),
  );
}
