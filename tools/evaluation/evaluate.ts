// Plays traces, one for each seed and regime, and adds up the verdicts.
import { DAYS, playTrace } from "./trace.ts";
import { judgeTrace, together, type Verdict, type View } from "./verdict.ts";
import { type Regime, WORLD, type World } from "./world.ts";

/** Everything about some traces. */
export interface Evaluation {
  readonly traces: number;
  readonly minutes: number;
  readonly transactions: number;
  readonly views: Readonly<Record<View, Verdict>>;
}

/** The sum of several evaluations. */
export function sum(evaluations: readonly Evaluation[]): Evaluation {
  const add = (of: (evaluation: Evaluation) => number) =>
    evaluations.reduce((before, evaluation) => before + of(evaluation), 0);
  return {
    traces: add(({ traces }) => traces),
    minutes: add(({ minutes }) => minutes),
    transactions: add(({ transactions }) => transactions),
    views: {
      gated: together(evaluations.map(({ views }) => views.gated)),
      ungated: together(evaluations.map(({ views }) => views.ungated)),
    },
  };
}

/** Plays one trace for each seed and scores it. */
export function evaluate(seeds: readonly string[], regime: Regime, world: World = WORLD): Evaluation {
  return sum(
    seeds.map((seed) => {
      const trace = playTrace(seed, regime, DAYS, world);
      const { minutes } = trace.samples;
      return { traces: 1, minutes, transactions: trace.transactions.entered, views: judgeTrace(trace) };
    }),
  );
}

/** The same in every regime. */
export function evaluateAll(seeds: readonly string[], world: World = WORLD): Readonly<Record<Regime, Evaluation>> {
  const of = (regime: Regime) => evaluate(seeds, regime, world);
  return { small: of("small"), large: of("large") };
}
