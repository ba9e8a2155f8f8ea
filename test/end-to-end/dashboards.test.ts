// Every query of every panel, asked of a real Prometheus that scraped the exporter on a simulated chain on which everything
// happens at once. Each returns something, or is on the list that says why not.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { subjects } from "../../alerts/index.ts";
import { FEES, seconds } from "../../alerts/thresholds.ts";
import { startSimulator } from "../../simulator/server.ts";
import { watchListOf } from "../../simulator/watch-list.ts";
import { recordingGroups } from "../../tools/generate/prometheus-rules.ts";
import { dashboards, panelsOf, type Variable } from "../support/dashboards.ts";
import { describeWith } from "../support/installed.ts";
import { type Running, start, until } from "../support/program.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";

jest.setTimeout(150_000);

const suite = describeWith("prometheus");

/** Queries (`uid/panel/query`) that return nothing here, and why. */
const EMPTY: Readonly<Record<string, string>> = {
  "stacks-addresses/52/B": "transactions that are still to be read: only while a target catches up",
  "stacks-exporter/37/E": "the end of a pause: only while one lasts",
  "stacks-exporter/46/A": "requests that were refused: only when the exporter has too much to do",
  "stacks-exporter/51/C":
    "the lag of an upstream: its tip is told by the list of blocks or by probes of several upstreams",
  "stacks-exporter/52/A": "the same as 51/C",
  "stacks-fees/35/A": "the change within an hour: needs an hour of history",
  "stacks-fees/59/C": "the parent microblock: there are none on today's chain",
  "stacks-spike/1/A": "alerts pending or firing: only recording rules are loaded here",
};

/** Queries that can be empty: whether there is something in them depends on what the simulated chain does in these seconds. */
const RARE: readonly string[] = [
  "stacks-addresses/39/A",
  "stacks-addresses/40/B",
  "stacks-addresses/52/B",
  "stacks-exporter/51/C",
  "stacks-exporter/52/A",
];

// Long enough for every target to have been polled often, and for two events of each kind.
const SCRAPES = 45;

/** The recording rules, with baselines that need no day of history and are evaluated as often as the rest. */
function rules(): object[] {
  const least = `>= ${seconds(FEES.baseline.leastHistory) / seconds(FEES.baseline.interval)}`;
  return recordingGroups(subjects).map((group) => ({
    ...group,
    interval: "1s",
    rules: group.rules.map((rule) => ({ ...rule, expr: String(rule.expr).replace(least, ">= 1") })),
  }));
}

suite("with Prometheus (Debian: apt-get install prometheus)", () => {
  let folder: string;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  let exporter: Running;
  let prometheus: Prometheus;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stacks-exporter-dashboards-"));
    // Twenty times as fast, behind a gateway that tells of its limits.
    simulator = await startSimulator({ seed: 5, timeScale: 20, gateway: { perMinute: 100_000 } });
    const { addresses, contracts } = watchListOf(simulator.chain.accounts);
    writeFileSync(join(folder, "addresses.json"), JSON.stringify(addresses));
    const config = join(folder, "exporter.yaml");
    writeFileSync(
      config,
      JSON.stringify({
        state: { path: join(folder, "state.db") },
        networks: [
          {
            name: "simulated",
            url: simulator.url,
            budget: { per_minute: 6000, per_month: 100_000_000 },
            confirmations: 1,
            address_files: ["addresses.json"],
            contracts,
          },
        ],
        collectors: {
          ...Object.fromEntries(
            ["fees", "mempool", "addresses", "contracts"].map((name) => [name, { every: "1s", timeout: "1s" }]),
          ),
          // One block at a time: the operation that tells of microblocks.
          blocks: { every: "1s", timeout: "1s", tip: "probe", catch_up: 20 },
        },
      }),
    );
    exporter = start(["--config", config, "--listen", "127.0.0.1:0"]);
    const [, address = ""] = await exporter.says(/"address":"([^"]+)"/);
    prometheus = await startPrometheus(address, rules());
    const holds = (expr: string) =>
      until(async () => (await prometheus.query(expr)).length > 0 || undefined, expr, 120_000);
    const scrapes = (count: number) => holds(`count_over_time(stacks_up[5m]) >= ${count}`);
    await scrapes(5);
    // Once before and once after a while, so that rates have something to see.
    for (const [turn, count] of [15, SCRAPES].entries()) {
      // Deeper than what is mined between two polls: what was never seen is not missed.
      simulator.chain.reorg(6);
      simulator.faults.add({ kind: "503", path: "/extended/v2/mempool/fees", count: 1 });
      simulator.faults.add({ kind: "wrong-shape", form: "other", path: "/extended/v1/tx/mempool/stats", count: 1 });
      await scrapes(count);
      await holds(`stacks_chain_reorgs_total > ${turn}`);
    }
  });
  afterAll(async () => {
    await prometheus?.stop();
    exporter?.child.kill("SIGTERM");
    await exporter?.finished;
    await simulator?.close();
    rmSync(folder, { recursive: true });
  });

  /** What Grafana would send: the defaults of the variables, and intervals of a few scrapes. */
  function filled(expr: string, variables: readonly Variable[]): string {
    const values: Record<string, string> = { __rate_interval: "10s", __interval: "1s", __range: `${SCRAPES}s` };
    for (const { name, type, query } of variables) {
      values[name] = type === "query" ? ".+" : (query.split(",")[0] ?? "");
    }
    return expr.replace(/\$(\w+)/g, (whole, name: string) => values[name] ?? whole);
  }

  test("every query of every panel returns data, or is on the list that says why not", async () => {
    const empty: string[] = [];
    let asked = 0;
    for (const dashboard of dashboards) {
      for (const { id, targets = [] } of panelsOf(dashboard)) {
        for (const { refId, expr, instant } of targets) {
          const query = filled(expr, dashboard.templating.list);
          expect(query).not.toContain("$");
          const found = await prometheus.query(query, instant === true ? undefined : SCRAPES);
          asked += 1;
          if (found.length === 0) empty.push(`${dashboard.uid}/${id}/${refId}`);
        }
      }
    }

    expect(asked).toBeGreaterThan(150);
    const isCertain = (query: string) => !RARE.includes(query);
    expect(empty.filter(isCertain).sort()).toEqual(Object.keys(EMPTY).filter(isCertain).sort());
  });

  test("every variable finds something to choose", async () => {
    for (const { templating } of dashboards) {
      for (const { type, query } of templating.list) {
        if (type !== "query") continue;
        const [, selector = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? [];
        const found = await prometheus.query(`count by (${label}) (${filled(selector, templating.list)})`);

        expect([query, found.some(({ metric }) => (metric[label] ?? "") !== "")]).toEqual([query, true]);
      }
    }
  });
});
