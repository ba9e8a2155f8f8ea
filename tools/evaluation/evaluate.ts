// Plays traces on all processors, one for each seed, number of nonce gaps and world, and adds up the scores.
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import type { Polls } from "./exporter.ts";
import { type Score, total } from "./score.ts";
import { DAYS, playTrace } from "./trace.ts";
import { evaluateTrace, scorePolls, type TraceScores, together } from "./trace-scores.ts";
import type { Regime } from "./world.ts";
import type { Setting } from "./worlds.ts";

/** A trace to play. */
export interface Market {
  readonly seed: string;
  readonly regime: Regime;
  readonly setting: Setting;
  /** Other polls to score on the same trace. */
  readonly otherPolls?: readonly Polls[] | undefined;
}

/** The outcome of some traces. */
export interface Evaluation {
  readonly traces: number;
  readonly minutes: number;
  readonly transactions: number;
  readonly scores: TraceScores;
  /** A score for each of the other polls. */
  readonly polls: readonly Score[];
}

/** A market for each seed and number of nonce gaps of a setting. */
export const marketsOf = (seeds: readonly string[], setting: Setting, otherPolls?: readonly Polls[]): Market[] =>
  seeds.flatMap((seed) => setting.regimes.map((regime) => ({ seed, regime, setting, otherPolls })));

/** The sum of several evaluations with the same other polls. */
export function sum(evaluations: readonly Evaluation[]): Evaluation {
  const add = (of: (evaluation: Evaluation) => number) =>
    evaluations.reduce((before, evaluation) => before + of(evaluation), 0);
  return {
    traces: add(({ traces }) => traces),
    minutes: add(({ minutes }) => minutes),
    transactions: add(({ transactions }) => transactions),
    scores: together(evaluations.map(({ scores }) => scores)),
    polls: (evaluations[0]?.polls ?? []).map((_, index) =>
      total(evaluations.flatMap(({ polls }) => polls[index] ?? [])),
    ),
  };
}

function evaluate({ seed, regime, setting, otherPolls = [] }: Market): Evaluation {
  const trace = playTrace(seed, regime, DAYS, setting.world);
  return {
    traces: 1,
    minutes: trace.minutes,
    transactions: trace.transactions.entered,
    scores: evaluateTrace(trace, setting),
    polls: otherPolls.map((polls) => scorePolls(trace, polls)),
  };
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
