// The search for thresholds, on seeds of its own: each number varied by itself around those of alerts/.
import { isDeepStrictEqual } from "node:util";
import { FEES } from "../../alerts/thresholds.ts";
import { alarmsOf, unionOf, withoutUsage } from "./rules.ts";
import { delay, falseAlarms, precision, recall, type Score, scoreTrace, total } from "./score.ts";
import { type Signals, signalsOf } from "./signals.ts";
import type { FeeThresholds } from "./thresholds.ts";
import { playTrace, type Samples, TRAINING_DAYS } from "./trace.ts";
import { eventsOf, type Span } from "./truth.ts";

/** What is tried for each number. */
const GRID = {
  windows: { fast: ["2m", "3m", "5m"], slow: ["15m", "30m", "60m"] },
  blockUsage: {
    windows: [
      { fast: "4m", slow: "10m" },
      { fast: "4m", slow: "15m" },
      { fast: "4m", slow: "20m" },
      { fast: "6m", slow: "15m" },
    ],
    roomUpTo: [
      { fast: 0.6, slow: 0.5 },
      { fast: 0.75, slow: 0.5 },
      { fast: 0.75, slow: 0.7 },
      { fast: 0.75, slow: 0.9 },
      { fast: 0.9, slow: 0.5 },
    ],
  },
  spike: {
    feeRatio: [2.5, 3, 3.5, 4, 5],
    backlogRatio: [1.5, 2, 3, 4, 6],
    leastWaiting: [100, 200, 300, 400, 500, 600],
    for: ["0m", "1m", "2m", "3m", "5m", "10m"],
    keepFiringFor: ["0m", "30m", "1h"],
  },
  elevated: {
    feeRatio: [1.5, 2, 3],
    backlogRatio: [2, 3, 4],
    leastWaiting: [100, 300, 500],
    for: ["5m", "10m", "15m"],
  },
  backlog: {
    backlogRatio: [2, 3, 4, 5, 6],
    leastWaiting: [100, 200, 300, 400, 500, 600],
    for: ["0m", "1m", "2m", "3m", "5m", "10m"],
    keepFiringFor: ["0m", "30m", "1h"],
  },
} as const;

interface Case {
  readonly samples: Samples;
  readonly events: readonly Span[];
}

/** Scores of the union with the use of blocks known and unknown. */
interface Pair {
  readonly gated: Score;
  readonly ungated: Score;
}

function changed(fees: FeeThresholds, group: string, key: string, value: unknown): FeeThresholds {
  const before = fees[group as keyof FeeThresholds];
  return { ...fees, [group]: { ...before, [key]: value } };
}

function createTrial(cases: readonly Case[]): (fees: FeeThresholds) => Pair {
  // Signals depend on windows only, and take longer to compute than to judge.
  const known = new Map<string, readonly Signals[]>();
  const signals = (fees: FeeThresholds) => {
    const key = JSON.stringify([fees.windows, fees.blockUsage.windows, fees.blockUsage.tenure]);
    const found = known.get(key) ?? cases.map(({ samples }) => signalsOf(samples, fees));
    known.set(key, found);
    return found;
  };
  return (fees) => {
    const scored = (view: (one: Signals) => Signals) =>
      total(
        signals(fees).map((one, index) => {
          const alarms = unionOf(alarmsOf(view(one), fees));
          return scoreTrace(alarms, cases[index]?.events ?? [], TRAINING_DAYS * 1440, one.minutes);
        }),
      );
    return { gated: scored((one) => one), ungated: scored(withoutUsage) };
  };
}

function line(what: string, { gated, ungated }: Pair): string {
  const of = (score: Score) =>
    [
      recall(score).toFixed(3),
      precision(score).toFixed(3),
      falseAlarms(score).toFixed(2),
      `${delay(score, 0.5)}/${delay(score, 0.9)}`,
    ]
      .map((cell) => cell.padStart(6))
      .join(" ");
  return `${what.padEnd(34)} ${of(gated)}   ${of(ungated)}`;
}

const written = (value: unknown) =>
  typeof value === "object" ? Object.values(value ?? {}).join(" / ") : String(value);

/** Prints the figures of the present thresholds, then of each number varied by itself. */
export function tune(seeds: readonly string[], print: (line: string) => void): void {
  const cases = seeds.flatMap((seed) =>
    (["small", "large"] as const).map((regime) => {
      const { samples, price } = playTrace(seed, regime);
      return { samples, events: eventsOf(price) };
    }),
  );
  const trial = createTrial(cases);
  const now = trial(FEES);
  print(`${cases.length} traces, ${now.gated.days} scored days, ${now.gated.events} events; all fee alerts together`);
  print(`${"".padEnd(35)}use of blocks known           unknown`);
  print(`${"".padEnd(35)}recall precis false30 detect   recall precis false30 detect`);
  print(line("as in alerts/thresholds.ts", now));
  for (const [group, numbers] of Object.entries(GRID)) {
    for (const [key, values] of Object.entries(numbers)) {
      print("");
      for (const value of values as readonly unknown[]) {
        const present = (FEES[group as keyof typeof FEES] as Record<string, unknown>)[key];
        const mark = isDeepStrictEqual(value, present) ? " *" : "";
        print(line(`${group}.${key} = ${written(value)}${mark}`, trial(changed(FEES, group, key, value))));
      }
    }
  }
}
