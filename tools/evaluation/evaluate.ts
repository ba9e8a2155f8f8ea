// Evaluates settings on all processors: plays a trace for each seed and number of nonce gaps, and adds up the scores.
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import PQueue from "p-queue";
import { allCalls, type EstimatedCalls, Estimates } from "./estimates.ts";
import { observe } from "./exporter.ts";
import { alarmsOf, knowingAlarmsOf } from "./rules.ts";
import { type Score, scoreTrace, total } from "./score.ts";
import { BEHIND_MINUTES, DAYS, playTrace, TRAINING_DAYS } from "./trace.ts";
import { type Truth, truthOf } from "./truth.ts";
import type { Regime } from "./world.ts";
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

/** Plays and evaluates one trace. */
function evaluate(setting: Setting, seed: string, regime: Regime, withEstimates: boolean): Evaluation {
  const estimates = withEstimates ? new Estimates() : undefined;
  const trace = playTrace(seed, regime, setting.world, DAYS, estimates?.see);
  const alarms = alarmsOf(observe(trace, setting));
  const scored = (truth: Truth, fired = alarms) => scoreTrace(fired, truth, 1440 * TRAINING_DAYS, trace.minutes);
  const paid = truthOf(trace.price, BEHIND_MINUTES - 1);
  return {
    paid: scored(paid),
    needed: scored(truthOf(trace.needed, 0)),
    knowing: scored(paid, knowingAlarmsOf(trace.price, setting.every)),
    estimates: estimates?.calls(trace) ?? allCalls([]),
  };
}

type Traced = Parameters<typeof evaluate>;

/** Evaluates each plan. Each trace is played in a worker. */
export async function evaluateAll(plans: readonly Plan[]): Promise<Evaluation[]> {
  const idle = Array.from({ length: availableParallelism() }, () => new Worker(new URL(import.meta.url)));
  const queue = new PQueue({ concurrency: idle.length });
  const played = (...trace: Traced): Promise<Evaluation> =>
    queue.add(async () => {
      const worker = idle.pop() as Worker;
      worker.postMessage(trace);
      const [evaluation] = await once(worker, "message");
      idle.push(worker);
      return evaluation;
    });
  const evaluations = plans.map(async ({ setting, seeds }) => {
    // The estimates need no days of training: the traces of a few seeds are enough.
    const traces = seeds.flatMap((seed, at) => setting.regimes.map((one) => played(setting, seed, one, at < 4)));
    const scores = await Promise.all(traces);
    return {
      paid: total(scores.map(({ paid }) => paid)),
      needed: total(scores.map(({ needed }) => needed)),
      knowing: total(scores.map(({ knowing }) => knowing)),
      estimates: allCalls(scores.map(({ estimates }) => estimates)),
    };
  });
  const results = await Promise.all(evaluations);
  for (const worker of idle) await worker.terminate();
  return results;
}

if (!isMainThread) parentPort?.on("message", (trace: Traced) => parentPort?.postMessage(evaluate(...trace)));
