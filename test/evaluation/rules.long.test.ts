// The PromQL of the rules, evaluated by a real Prometheus on a whole trace, against the conditions that are scored.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { subjects } from "../../alerts/index.ts";
import { INTERVALS, type Recording, type Subject } from "../../alerts/model.ts";
import { seconds } from "../../alerts/thresholds.ts";
import { observe, PRICED, type Samples } from "../../tools/evaluation/exporter.ts";
import { holds } from "../../tools/evaluation/rules.ts";
import { signalsOf } from "../../tools/evaluation/signals.ts";
import { EPOCH, playTrace } from "../../tools/evaluation/trace.ts";
import { WORLD } from "../../tools/evaluation/world.ts";
import { type Daemon, startDaemon } from "../support/daemon.ts";
import { describeWith } from "../support/installed.ts";

const suite = describeWith("prometheus", "promtool");

const DAYS = 9;
/** Seconds between a sample and the evaluation of its minute. */
const SAMPLE_AGE = 20;
const ALERT = "StacksFeeSpike";
const TARGET = { network: "simulated", job: "stacks", instance: "exporter:10789" };

/** Much more happens than usual, so that nine days show every rule from both sides. */
const EVENTFUL = {
  ...WORLD,
  ...Object.fromEntries(
    (["rush", "surge", "flood", "whale", "stuck", "outage"] as const).map((kind) => [
      kind,
      { ...WORLD[kind], perFourWeeks: 4 * WORLD[kind].perFourWeeks },
    ]),
  ),
};

type Labels = Readonly<Record<string, string>>;

/** Unix seconds at which a minute is evaluated; its sample was taken shortly before. */
const evaluatedAt = (minute: number) => EPOCH + (minute + 1) * 60;

/** One line of OpenMetrics; `at` in Unix seconds. */
function sampleLine(name: string, labels: Labels, value: number | string, at: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
  return `${name}{${pairs.join(",")}} ${value} ${at}\n`;
}

/** The metrics of an exporter as OpenMetrics. */
function openMetricsOf({ waiting, cost, included, mined, usual }: Samples): string {
  // The limit of a tenure is 1 and is there whenever its cost is.
  const limit = cost.map((value) => (Number.isNaN(value) ? value : 1));
  const columns: readonly (readonly [name: string, own: Labels, column: Float64Array])[] = [
    ["stacks_mempool_transactions", { tx_type: "contract_call" }, waiting],
    ["stacks_chain_execution_cost_total", { dimension: "runtime" }, cost],
    ["stacks_chain_tenure_execution_cost_limit", { dimension: "runtime" }, limit],
    ["stacks_chain_transactions_total", {}, included],
    ...PRICED.flatMap((tx_type) => [
      ["stacks_chain_mined_fee_microstx", { tx_type, percentile: "p25" }, mined[tx_type]] as const,
      ["stacks_chain_mined_fee_baseline_microstx", { tx_type, percentile: "p25" }, usual[tx_type]] as const,
    ]),
  ];
  const lines = columns.flatMap(([name, own, column]) =>
    Array.from(column, (value, minute) =>
      Number.isNaN(value) ? "" : sampleLine(name, { ...TARGET, ...own }, value, evaluatedAt(minute) - SAMPLE_AGE),
    ),
  );
  return lines.join("");
}

interface Found {
  readonly metric: Labels;
  readonly values: readonly (readonly [at: number, value: string])[];
}

/** A Prometheus on a folder of history. */
class History {
  readonly #folder = mkdtempSync(join(tmpdir(), "stacks-exporter-eval-"));
  #server: Daemon | undefined;

  /** Adds history, given as lines of OpenMetrics, and restarts to read it. */
  async add(lines: string): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
    const config = join(this.#folder, "prometheus.yml");
    writeFileSync(config, "");
    const file = join(this.#folder, "history");
    writeFileSync(file, `${lines}# EOF\n`);
    execFileSync("promtool", ["tsdb", "create-blocks-from", "openmetrics", "-q", file, join(this.#folder, "tsdb")], {
      stdio: "ignore",
    });
    this.#server = await startDaemon("prometheus", [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(this.#folder, "tsdb")}`,
      "--storage.tsdb.retention.time=100y",
    ]);
  }

  /** An expression at every step; `from` and `until` in Unix seconds. */
  async query(query: string, from: number, until: number, step: number): Promise<Found[]> {
    const found: Found[] = [];
    // A response holds at most 11 000 points of a series.
    for (let start = from; start <= until; start += 10_000 * step) {
      const end = Math.min(until, start + 9_999 * step);
      const body = new URLSearchParams({ query, start: `${start}`, end: `${end}`, step: `${step}` });
      const response = await fetch(`${this.#server?.url}/api/v1/query_range`, { method: "POST", body });
      const { error, data } = (await response.json()) as { error?: string; data?: { result: Found[] } };
      if (data === undefined) throw new Error(`${query}: ${error}`);
      found.push(...data.result);
    }
    return found;
  }

  async remove(): Promise<void> {
    await this.#server?.stop();
    rmSync(this.#folder, { recursive: true });
  }
}

/** The recordings in stages: each needs earlier stages only. */
function stages(recordings: readonly Recording[]): Recording[][] {
  const left = new Set(recordings);
  const order: Recording[][] = [];
  while (left.size > 0) {
    const ready = [...left].filter(
      ({ expr, record }) => ![...left].some((other) => other.record !== record && expr.includes(other.record)),
    );
    if (ready.length === 0) throw new Error("recordings need each other in a circle");
    order.push(ready);
    for (const recording of ready) left.delete(recording);
  }
  return order;
}

const [fees] = subjects.filter(({ name }) => name === "fees") as [Subject];

suite("with Prometheus (Debian: apt-get install prometheus)", () => {
  const trace = playTrace("prometheus", "small", EVENTFUL, DAYS);
  const seen = observe(trace, { every: 2, lags: [0, 0, 2] });
  const from = evaluatedAt(0);
  const until = evaluatedAt(trace.minutes - 1);
  const history = new History();
  /** The minutes in which the alert's expression gives a result. */
  const results = new Set<number>();

  beforeAll(async () => {
    await history.add(openMetricsOf(seen));
    for (const stage of stages([...fees.baselines, ...fees.recordings])) {
      const lines: string[] = [];
      for (const recording of stage) {
        const step = fees.baselines.includes(recording) ? seconds(INTERVALS.baselines) : 60;
        // The first evaluation that is a multiple of the step.
        const first = Math.ceil(from / step) * step;
        for (const { metric, values } of await history.query(recording.expr, first, until, step)) {
          const { __name__: _, ...labels } = metric;
          for (const [at, value] of values) lines.push(sampleLine(recording.record, labels, value, at));
        }
      }
      await history.add(lines.join(""));
    }
    const alert = fees.alerts.find(({ alert }) => alert === ALERT);
    if (alert === undefined) throw new Error(`there is no alert ${ALERT}`);
    for (const { values } of await history.query(alert.expr, from, until, 60))
      for (const [at] of values) results.add((at - from) / 60);
  });
  afterAll(() => history.remove());

  test("the condition is the same in every minute", () => {
    const signals = signalsOf(seen, 5);
    const minutes = Array.from({ length: trace.minutes }, (_, minute) => minute);

    expect(minutes.length).toBeGreaterThan(10_000);
    expect(results.size).toBeGreaterThan(30);
    expect(minutes.filter((minute) => holds(signals, minute) !== results.has(minute))).toEqual([]);
  });
});
