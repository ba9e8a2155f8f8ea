// Dashboards and alerts show the same for several shards as for a single exporter. A Prometheus has the history of
// every family twice: of one exporter, and of three shards that have the same values. Each query has to give the same
// result for both.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { alerts, subjects } from "../../alerts/index.ts";
import { recordingGroups } from "../../alerts/prometheus-rules.ts";
import { familyOf, namesIn } from "../../alerts/series.ts";
import { collectorFamilies, collectors } from "../../src/collectors/index.ts";
import type { Family } from "../../src/exposition/family.ts";
import { shardOf } from "../../src/store/shard.ts";
import { selfMetrics } from "../../src/telemetry/self-metrics.ts";
import { type Daemon, startDaemon } from "../support/daemon.ts";
import { dashboards, panelsOf, type Variable } from "../support/dashboards.ts";
import { describeWith } from "../support/installed.ts";

import { run } from "../support/promtool.ts";

const SHARDS = 3;
const STEP = 60;
const SAMPLES = 61;
const RANGE = STEP * (SAMPLES - 1);
const PRINCIPALS = ["p0", "p1", "p2", "p3", "p4", "p5"];
const GROUPS = ["g0", "g1"];

type Labels = Readonly<Record<string, string>>;

/** A number from 0 to 999 that follows from a text. */
const hash = (text: string): number => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7);

const isOfPrincipal = (family: Family) => family.labelNames.includes("name" as never);
const isOfGroup = ({ name }: Family) => name.startsWith("stacks_group_");

/** The values of a label, besides those of the target. */
function valuesOf(family: Family, label: string, principal: string): readonly string[] {
  const { values } = (family.labels as Readonly<Record<string, { readonly values?: readonly string[] }>>)[label] ?? {};
  if (label === "network") return ["n"];
  if (label === "collector" && family.name in OF_EXPORTERS) return collectors.map(({ name }) => name);
  if (label === "name") return [principal];
  if (label === "address" || label === "contract_id") return [`SP-${principal}`];
  if (isOfGroup(family) && label === "group") return GROUPS;
  // Each principal has one series of an info family.
  const all = values ?? [`${label}0`, `${label}1`];
  return family.name.endsWith("_info") ? [all[hash(principal) % all.length] ?? ""] : all;
}

function* labelSets(family: Family): Iterable<Labels> {
  for (const principal of isOfPrincipal(family) ? PRINCIPALS : [""]) {
    yield* family.labelNames.reduce<Labels[]>(
      (sets, label) =>
        sets.flatMap((set) => valuesOf(family, label, principal).map((value) => ({ ...set, [label]: value }))),
      [{}],
    );
  }
}

/** Names and labels of the series of a sample, and how much of its value each has. */
function seriesOf({ kind, name, bounds }: Family, labels: Labels): readonly (readonly [string, Labels, number])[] {
  if (kind !== "histogram") return [[name, labels, 1]];
  const buckets = [...bounds.map(String), "+Inf"];
  return [
    ...buckets.map((le, index) => [`${name}_bucket`, { ...labels, le }, (index + 1) / buckets.length] as const),
    [`${name}_count`, labels, 1],
    [`${name}_sum`, labels, 100],
  ];
}

/** The share of a value that one exporter, or each of the shards, has. */
function partsOf(family: Family, { name = "", ...labels }: Labels, value: number): readonly (number | undefined)[] {
  const only = (owner: number) => Array.from({ length: SHARDS }, (_, index) => (index === owner ? value : undefined));
  if (isOfPrincipal(family)) return only(shardOf(name, SHARDS));
  // The configuration of every shard has the assets.
  if (family.name === "stacks_asset_decimals" || family.name in OF_EXPORTERS)
    return Array.from({ length: SHARDS }, () => value);
  if (!isOfGroup(family)) return only(0);
  // The group g1 has no member in shard 1.
  const own = [0, 1, 2].filter((index) => index !== 1 || labels.group !== "g1");
  const isTime = family.unit === "seconds";
  return [0, 1, 2].map((index) => {
    if (!own.includes(index)) return undefined;
    return isTime ? value - index : value / own.length;
  });
}

/** The metrics of healthy exporters at a time, which rules need. */
const OF_EXPORTERS: Readonly<Record<string, (at: number) => number>> = {
  stacks_up: () => 1,
  stacks_exporter_collector_last_success_timestamp_seconds: (at) => at,
  stacks_exporter_collector_interval_seconds: () => STEP,
  stacks_exporter_collector_targets: () => PRINCIPALS.length,
};

/** The history of both as OpenMetrics; it ends at a time, Unix seconds. */
function historyUntil(end: number): string {
  const lines: string[] = [];
  for (const family of [...collectorFamilies, ...selfMetrics.filter(({ name }) => name in OF_EXPORTERS)]) {
    const ownValue = OF_EXPORTERS[family.name];
    const base = family.unit === "seconds" && family.kind === "gauge" ? end - RANGE - 7200 : 1000;
    for (const labels of labelSets(family)) {
      const seed = hash(JSON.stringify([family.name, labels]));
      for (const [name, all, share] of seriesOf(family, labels)) {
        for (let sample = 0; sample < SAMPLES; sample += 1) {
          const grown = family.kind === "gauge" ? (seed + sample * 7) % 50 : sample * (1 + (seed % 9)) * 10;
          const at = end - RANGE + sample * STEP;
          const value = ownValue?.(at) ?? (base + seed + grown) * share;
          const line = (job: string, instance: number, part: number | undefined) => {
            if (part === undefined) return;
            const pairs = Object.entries({ ...all, job, instance: `${job}-${instance}` });
            lines.push(`${name}{${pairs.map(([label, text]) => `${label}="${text}"`).join()}} ${part} ${at}\n`);
          };
          line("one", 0, value);
          for (const [shard, part] of partsOf(family, labels, value).entries()) line("many", shard, part);
        }
      }
    }
  }
  return `${lines.join("")}# EOF\n`;
}

/** A query as Grafana sends it, of one job. */
function filled(expr: string, job: string, variables: readonly Variable[]): string {
  const values: Record<string, string> = { __rate_interval: `${4 * STEP}s`, __interval: "60s", __range: `${RANGE}s` };
  for (const { name, type, query } of variables) {
    values[name] = type === "query" ? ".+" : (query.split(",")[0] ?? "");
  }
  // One principal in detail.
  Object.assign(values, { job, network: "n", address: "p0", contract: "p0" });
  return expr.replace(/\$(\w+)/g, (whole, name: string) => values[name] ?? whole);
}

describeWith("prometheus", "promtool")("with Prometheus (Debian: apt-get install prometheus)", () => {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-boards-"));
  const data = join(folder, "data");
  // Whole minutes, so that both jobs are evaluated at the times of samples.
  const end = Math.floor(Date.now() / 60_000) * 60 - 60;
  let prometheus: Daemon;

  const startPrometheus = () => {
    const config = join(folder, "prometheus.yml");
    writeFileSync(config, "{}");
    return startDaemon("prometheus", [`--config.file=${config}`, `--storage.tsdb.path=${data}`]);
  };
  const promtool = async (...args: string[]) => {
    const { status, output } = await run("promtool", args);
    if (status !== 0) throw new Error(output);
  };

  beforeAll(async () => {
    mkdirSync(data);
    writeFileSync(join(folder, "history"), historyUntil(end));
    await promtool("tsdb", "create-blocks-from", "openmetrics", join(folder, "history"), data);
    writeFileSync(join(folder, "rules.yml"), JSON.stringify({ groups: recordingGroups(subjects) }));
    prometheus = await startPrometheus();
    const times = [`--start=${end - RANGE}`, `--end=${end}`, "--eval-interval=60s", `--url=${prometheus.url}`];
    await promtool("tsdb", "create-blocks-from", "rules", ...times, `--output-dir=${data}`, join(folder, "rules.yml"));
    // It reads the recorded series when it starts.
    await prometheus.stop();
    prometheus = await startPrometheus();
  });
  afterAll(async () => {
    await prometheus.stop();
    rmSync(folder, { recursive: true });
  });

  /** Labels without those of the target, and the value, of each series of a job or without one; sorted. */
  async function resultOf(expr: string, ofJob: string): Promise<readonly string[]> {
    const body = new URLSearchParams({ query: expr, time: String(end) });
    const response = await fetch(`${prometheus.url}/api/v1/query`, { method: "POST", body });
    const { data: found, error } = (await response.json()) as {
      readonly error?: string;
      readonly data?: {
        readonly result: readonly { readonly metric: Labels; readonly value: readonly [number, string] }[];
      };
    };
    if (found === undefined) return [`error: ${error}`];
    return found.result
      .filter(({ metric: { job = ofJob } }) => job === ofJob)
      .map(({ metric: { job: _, instance: __, ...own }, value }) => {
        // Parts are added in another order.
        const rounded = Number(Number(value[1]).toPrecision(9));
        return `${JSON.stringify(Object.entries(own).sort())} ${rounded}`;
      })
      .sort();
  }

  test("alerts fire alike", async () => {
    const firing: string[] = [];
    for (const { alert, expr } of alerts) {
      const [one, many] = await Promise.all(["one", "many"].map((job) => resultOf(expr, job)));
      expect([alert, many]).toEqual([alert, one]);
      if (one !== undefined && one.length > 0) firing.push(alert);
    }

    expect(firing.length).toBeGreaterThanOrEqual(20);
  });

  test("every query of the chain, of addresses, contracts and groups gives the same result", async () => {
    const different: object[] = [];
    let [compared, empty] = [0, 0];
    for (const dashboard of dashboards) {
      for (const { id, title, targets = [] } of panelsOf(dashboard)) {
        for (const { refId, expr } of targets) {
          const names = namesIn(expr);
          // Series of the exporters themselves are those of each shard.
          if (!names.every((name) => name.includes(":") || collectorFamilies.includes(familyOf(name) as Family)))
            continue;
          const variables = dashboard.templating.list;
          const [one, many] = await Promise.all(
            ["one", "many"].map((job) => resultOf(filled(expr, job, variables), job)),
          );
          compared += 1;
          if (one?.length === 0) empty += 1;
          if (JSON.stringify(one) !== JSON.stringify(many)) {
            different.push({ at: `${dashboard.uid}/${id}/${refId} ${title}`, expr, one, many });
          }
        }
      }
    }

    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(120);
    expect(empty / compared).toBeLessThan(0.2);
  });
});
