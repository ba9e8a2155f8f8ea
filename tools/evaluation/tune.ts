// Searches for thresholds on separate seeds: varies each number of alerts/thresholds.ts separately.
import { isDeepStrictEqual } from "node:util";
import { FEES } from "../../alerts/thresholds.ts";
import { observe, type Samples } from "./exporter.ts";
import { alarmsOf } from "./rules.ts";
import { delay, falseAlarms, precision, recall, type Score, scoreTrace, total, withoutShortRises } from "./score.ts";
import { type Signals, signalsOf } from "./signals.ts";
import type { FeeThresholds } from "./thresholds.ts";
import { playTrace, TRAINING_DAYS } from "./trace.ts";
import { type Truth, truthOf } from "./truth.ts";
import type { Setting } from "./worlds.ts";

/** The values to try for each number. */
const GRID = {
  baseline: { window: ["1d", "3d", "7d"] },
  blockUsage: { window: ["8m", "10m", "15m"] },
  capacity: { window: ["6h", "1d", "3d"] },
  spike: {
    feeRatio: [1.5, 2, 2.5, 3, 4],
    blockUsage: [0, 0.5, 0.6, 0.75, 0.85],
    tenures: [-Infinity, 0.1, 0.2, 0.3, 0.4],
    for: ["30s", "2m", "5m"],
    keepFiringFor: ["0m", "30m", "1h"],
  },
  backlog: {
    tenures: [0.4, 0.5, 0.6, 0.7, 1, 1.5],
    blockUsage: [0, 0.6, 0.75, 0.85, 1],
    for: ["1m", "2m", "5m"],
    keepFiringFor: ["0m", "30m", "1h"],
  },
} as const;

interface Case {
  readonly setting: Setting;
  readonly samples: Samples;
  readonly truth: Truth;
}

/** Scores of both rules as one notification, and the setting with the lowest recall. */
interface Trial {
  readonly first: Score;
  readonly all: Score;
  readonly worst: readonly [recall: number, what: string];
}

function changed(fees: FeeThresholds, group: string, key: string, value: unknown): FeeThresholds {
  const before = fees[group as keyof FeeThresholds];
  return { ...fees, [group]: { ...before, [key]: value } };
}

function tried(
  cases: readonly (Case & { readonly signals: Signals })[],
  settings: readonly Setting[],
  fees: FeeThresholds,
): Trial {
  const scores = cases.map(({ setting, signals, truth }) => {
    const { either } = alarmsOf(signals, fees);
    return { setting, score: scoreTrace(either, truth, TRAINING_DAYS * 1440, signals.minutes) };
  });
  const sums = settings.map((setting) => {
    const own = scores.filter((one) => one.setting === setting);
    return { what: setting.what, score: total(own.map(({ score }) => score)) };
  });
  const [first] = sums;
  const [worst] = sums.map(({ what, score }) => [recall(score), what] as const).toSorted((a, b) => a[0] - b[0]);
  if (first === undefined || worst === undefined) throw new Error("there is no setting");
  return { first: first.score, all: total(sums.map(({ score }) => score)), worst };
}

function line(what: string, { first, all, worst }: Trial): string {
  const of = (score: Score) => {
    const lenient = withoutShortRises(score);
    return [
      recall(score).toFixed(3),
      precision(lenient).toFixed(3),
      `${falseAlarms(lenient).toFixed(2)}/${falseAlarms(score).toFixed(2)}`,
      `${delay(score, 0.5)}/${delay(score, 0.9)}`,
    ]
      .map((cell) => cell.padStart(7))
      .join(" ");
  };
  return `${what.padEnd(32)} ${of(first)}   ${of(all)}   ${worst[0].toFixed(3)} ${worst[1]}`;
}

/** Prints the figures of the current thresholds, then of each number varied separately. */
export function tune(seeds: readonly string[], settings: readonly Setting[], print: (line: string) => void): void {
  const cases = settings.flatMap((setting) =>
    seeds.flatMap((seed) =>
      setting.regimes.map((regime) => {
        const trace = playTrace(seed, regime, undefined, setting.world);
        return { setting, samples: observe(trace, setting), truth: truthOf(trace.price) };
      }),
    ),
  );
  // Signals depend on windows only, and take longer to compute than to evaluate.
  const known = new Map<string, readonly (Case & { readonly signals: Signals })[]>();
  const trial = (fees: FeeThresholds) => {
    const key = JSON.stringify([fees.baseline, fees.blockUsage, fees.capacity]);
    const now = known.get(key) ?? cases.map((one) => ({ ...one, signals: signalsOf(one.samples, fees) }));
    if (known.size === 0) known.set(key, now);
    return tried(now, settings, fees);
  };
  const now = trial(FEES);
  print(`${cases.length} traces; first setting: ${now.first.events} events in ${now.first.days} days; either alert`);
  print(`${"".padEnd(33)}first setting                   all settings                    lowest recall`);
  print(`${"".padEnd(33)} recall  precis false30  detect    recall  precis false30  detect`);
  print(line("as in alerts/thresholds.ts", now));
  for (const [group, numbers] of Object.entries(GRID)) {
    for (const [key, values] of Object.entries(numbers)) {
      print("");
      for (const value of values as readonly unknown[]) {
        const present = (FEES[group as keyof typeof FEES] as Record<string, unknown>)[key];
        const mark = isDeepStrictEqual(value, present) ? " *" : "";
        print(line(`${group}.${key} = ${value}${mark}`, trial(changed(FEES, group, key, value))));
      }
    }
  }
}
