// Evaluates settings on all processors: plays a trace for each seed and number of nonce gaps, and adds up the scores.
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { allCalls, type EstimatedCalls, Estimates } from "./estimates.ts";
import { observe } from "./exporter.ts";
import { alarmsOf, knowingAlarmsOf } from "./rules.ts";
import { type Score, scoreTrace, total } from "./score.ts";
import { BEHIND_MINUTES, DAYS, playTrace, TRAINING_DAYS } from "./trace.ts";
import { type Truth, truthOf } from "./truth.ts";
import type { Setting } from "./worlds.ts";

/** Traces to play. */
export interface Plan {
  readonly setting: Setting;
  readonly seeds: readonly string[];
}

/** The scores of the alert by what was paid, and by what had to be paid; and those of the estimates. */
export interface Evaluation {
  readonly paid: Score;
  readonly needed: Score;
  /** By what was paid, of an alert that knows the price. */
  readonly knowing: Score;
  readonly estimates: EstimatedCalls;
}

/** Plays and evaluates the traces of a plan. */
function evaluate({ setting, seeds }: Plan): Evaluation {
  const scores = seeds.flatMap((seed, index) =>
    setting.regimes.map((regime) => {
      // They need no days of training: those of a few seeds are enough.
      const estimates = index < 4 ? new Estimates() : undefined;
      const trace = playTrace(seed, regime, setting.world, DAYS, estimates?.see);
      const alarms = alarmsOf(observe(trace, setting));
      const scored = (truth: Truth, fired = alarms) => scoreTrace(fired, truth, 1440 * TRAINING_DAYS, trace.minutes);
      const paid = truthOf(trace.price, BEHIND_MINUTES - 1);
      return {
        paid: scored(paid),
        needed: scored(truthOf(trace.needed, 0)),
        knowing: scored(paid, knowingAlarmsOf(trace.price, setting.every)),
        calls: estimates?.calls(trace),
      };
    }),
  );
  return {
    paid: total(scores.map(({ paid }) => paid)),
    needed: total(scores.map(({ needed }) => needed)),
    knowing: total(scores.map(({ knowing }) => knowing)),
    estimates: allCalls(scores.flatMap(({ calls }) => calls ?? [])),
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
