// Evaluates settings on all processors: plays a trace for each seed and number of nonce gaps, and adds up the scores.
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { addedUp, type EstimateScores, scoreEstimates } from "./estimates.ts";
import { type Score, total } from "./score.ts";
import type { FeeThresholds } from "./signals.ts";
import { playTrace } from "./trace.ts";
import { evaluateTrace, type View } from "./trace-scores.ts";
import type { Setting } from "./worlds.ts";

/** Traces to play, and how to evaluate them. */
export interface Plan {
  readonly setting: Setting;
  readonly seeds: readonly string[];
  readonly views: readonly View[];
  readonly fees: FeeThresholds;
}

/** The score of the alert in each view of the plan, and those of the estimates. */
export interface Evaluation {
  readonly alert: Readonly<Partial<Record<View, Score>>>;
  readonly estimates: EstimateScores;
}

/** Plays and evaluates the traces of a plan. */
export function evaluate({ setting, seeds, views, fees }: Plan): Evaluation {
  const traces = seeds.flatMap((seed) => setting.regimes.map((regime) => ({ seed, regime })));
  const all = traces.map(({ seed, regime }) =>
    evaluateTrace(playTrace(seed, regime, undefined, setting.world), setting, views, fees),
  );
  return {
    alert: Object.fromEntries(views.map((view) => [view, total(all.map((scores) => scores[view]))])),
    // They need no days of training: the first seed is enough.
    estimates: addedUp(setting.regimes.map((regime) => scoreEstimates(seeds[0] ?? "", regime, setting))),
  };
}

/** Evaluates each plan in a worker; the results have the order of the plans. */
export async function evaluateAll(plans: readonly Plan[]): Promise<Evaluation[]> {
  const queue = plans.entries();
  const evaluations: Evaluation[] = [];
  const work = async () => {
    const worker = new Worker(new URL(import.meta.url));
    for (const [index, plan] of queue) {
      evaluations[index] = await new Promise<Evaluation>((resolve, reject) => {
        worker.removeAllListeners().once("message", resolve).once("error", reject);
        worker.postMessage(plan);
      });
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return evaluations;
}

if (!isMainThread) parentPort?.on("message", (plan: Plan) => parentPort?.postMessage(evaluate(plan)));
