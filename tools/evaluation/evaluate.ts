// Plays traces on all processors, one for each seed and regime, and adds up the verdicts.
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { DAYS, playTrace } from "./trace.ts";
import { judgeTrace, together, type Verdict, type View } from "./verdict.ts";
import type { Regime, World } from "./world.ts";

/** A trace to play, in `WORLD` when no other is given. */
export interface Market {
  readonly seed: string;
  readonly regime: Regime;
  readonly world?: World | undefined;
}

/** The outcome of some traces. */
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

function evaluate({ seed, regime, world }: Market): Evaluation {
  const trace = playTrace(seed, regime, DAYS, world);
  const { minutes } = trace.samples;
  return { traces: 1, minutes, transactions: trace.transactions.entered, views: judgeTrace(trace) };
}

/** Evaluates each market; the results have the order of the markets. */
export async function evaluateAll(markets: readonly Market[]): Promise<Evaluation[]> {
  const evaluations: Evaluation[] = [];
  let next = 0;
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url));
      let current = 0;
      const assign = () => {
        current = next;
        next += 1;
        const market = markets[current];
        if (market === undefined) worker.terminate().then(() => resolve(), reject);
        else worker.postMessage(market);
      };
      worker.once("error", reject);
      worker.on("message", (evaluation: Evaluation) => {
        evaluations[current] = evaluation;
        assign();
      });
      assign();
    });
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return evaluations;
}

if (!isMainThread) parentPort?.on("message", (market: Market) => parentPort?.postMessage(evaluate(market)));
