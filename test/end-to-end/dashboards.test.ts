// Sends every query of every panel to a real Prometheus that scrapes the exporter on a busy simulated chain, until it
// has returned data once.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { rulesWith } from "../../alerts/prometheus-rules.ts";
import { DEFAULTS } from "../../alerts/values.ts";
import type { Tx } from "../../simulator/chain/transaction.ts";
import { startSimulator } from "../../simulator/server.ts";
import { watchListOf } from "../../simulator/watch-list.ts";
import { collectors } from "../../src/collectors/index.ts";
import { dashboards, panelsOf, type Variable } from "../support/dashboards.ts";
import { dataOf } from "../support/data.ts";
import { folderOfTests } from "../support/folder.ts";
import { describeWith } from "../support/installed.ts";
import { type Serving, serve, until } from "../support/program.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";

const suite = describeWith("prometheus");

/** Queries (`uid/panel/query`) that do not always return data here, with the reason. */
const WITHOUT_DATA = dataOf<Readonly<Record<string, string>>>("without-data.yaml", import.meta.url);

/** A rule with errors, because the events have no `wrong`, and with labels that count as other. */
const RULE = {
  metric: "logged_units_total",
  type: "counter",
  help: "Logged.",
  match: [{ path: "topic", equals: "print" }],
  value: { path: "value.idx" },
  labels: { who: { path: "value.who", max: 1 }, wrong: { path: "value.wrong" } },
};

/** Milliseconds for all events of the chain: less than the timeout of a test, which does not say what is missing. */
const PATIENCE = 240_000;

/** The recording rules, all with a short interval. */
const rules = (): object[] =>
  rulesWith(DEFAULTS)
    .filter(({ rules: [first] }) => first?.record !== undefined)
    .map((group) => ({ ...group, interval: "1s" }));

suite("with Prometheus (Debian: apt-get install prometheus)", () => {
  const folder = folderOfTests();
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  let exporter: Serving;
  let prometheus: Prometheus;
  const startedAt = Date.now();
  let underpaid: Tx | undefined;

  beforeAll(async () => {
    // With samples of the usual fees of eight periods of seven hours, at any time of day. Twenty times as fast.
    simulator = await startSimulator({ seed: 5, slowHours: 80, timeScale: 20 });
    const { addresses, contracts } = watchListOf(simulator.chain.accounts);
    const [, , , payroll = ""] = simulator.chain.accounts.users;
    simulator.chain.send(payroll, { skip: 1 });
    const { token, nft } = simulator.chain.accounts.assets;
    const assets = [{ id: token, name: "harbour", decimals: 6 }, { id: nft }];
    const least = { stx: "1 STX", harbour: "0.5" };
    writeFileSync(
      join(folder, "addresses.json"),
      JSON.stringify([
        ...addresses.map((entry) => ({ ...entry, min_balance: least, max_outflow: least })),
        ...simulator.chain.accounts.users
          .slice(4, 12)
          .map((address) => ({ address, group: "deposits", balances: true })),
      ]),
    );
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
            contracts: contracts.map((entry) =>
              entry.contract_id === simulator.chain.accounts.contracts.logger ? { ...entry, events: [RULE] } : entry,
            ),
            assets,
            summed_groups: ["deposits"],
          },
        ],
        collectors: {
          ...Object.fromEntries(collectors.map(({ name }) => [name, { every: "1s", timeout: "1s" }])),
          waiting: { every: "1s", timeout: "1s", addresses: "all" },
          staking: { every: "1s", timeout: "1s", addresses: "all" },
          pox: { enabled: true, every: "1s", timeout: "1s" },
          blocks: { every: "1s", timeout: "1s", catch_up: 20 },
        },
      }),
    );
    exporter = await serve(["--config", config]);
    prometheus = await startPrometheus(exporter.address, rules());
    await scrapes(5);
  });
  afterAll(async () => {
    await prometheus?.stop();
    await exporter?.stop();
    await simulator?.close();
  });

  const secondsSinceStart = () => Math.ceil((Date.now() - startedAt) / 1000);

  /** Waits for a number of further scrapes. */
  async function scrapes(count: number): Promise<void> {
    const counted = async () => Number((await prometheus.query("count_over_time(stacks_up[1h])"))[0]?.value?.[1] ?? 0);
    const before = await counted();
    await until(async () => (await counted()) >= before + count || undefined, `${count} scrapes`, PATIENCE);
  }

  /** Causes events that a calm chain does not have: a reorganisation, a failed request, an unknown response. */
  function disturb(): void {
    // Deeper than the blocks between two polls: the exporter does not detect shallower ones.
    simulator.chain.reorg(6);
    // Replaced by the next call, with a fee that is still too low.
    const [, deposits = ""] = simulator.chain.accounts.users;
    underpaid =
      underpaid === undefined
        ? simulator.chain.send(deposits, { fee: 1 })
        : simulator.chain.replace(underpaid, underpaid.fee + 1);
    simulator.faults.add({ kind: "503", path: "/extended/v2/mempool/fees", count: 1 });
    simulator.faults.add({ kind: "wrong-shape", form: "other", path: "/extended/v1/tx/mempool/stats", count: 1 });
  }

  /** A query as Grafana sends it: default values of variables, intervals of a few scrapes, all data as the range. */
  function filled(expr: string, variables: readonly Variable[]): string {
    const range = `${secondsSinceStart()}s`;
    const values: Record<string, string> = { __rate_interval: "10s", __interval: "1s", __range: range };
    for (const { name, type, query, allValue = ".+" } of variables) {
      values[name] = type === "query" ? allValue : (query.split(",")[0] ?? "");
    }
    // Some variables have a single value: here any of them.
    const anyOf = expr.replace(/="\$(\w+)"/g, '=~"$$$1"');
    return anyOf.replace(/\$(\w+)/g, (whole, name: string) => values[name] ?? whole);
  }

  test("every query of every panel returns data", async () => {
    const queries = dashboards.flatMap((dashboard) =>
      panelsOf(dashboard).flatMap(({ id, targets = [] }) =>
        targets.map((target) => ({ ...target, name: `${dashboard.uid}/${id}/${target.refId}`, dashboard })),
      ),
    );
    const names = queries.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(150);
    expect(names).toEqual(expect.arrayContaining(Object.keys(WITHOUT_DATA)));

    let empty = queries;
    const isExpected = ({ name }: { name: string }) => !(name in WITHOUT_DATA);
    do {
      disturb();
      await scrapes(8);
      const still = [];
      for (const query of empty) {
        const expr = filled(query.expr, query.dashboard.templating.list);
        // `$1` is a group of a regular expression.
        expect(expr).not.toMatch(/\$[a-z_{]/i);
        const found = await prometheus.query(expr, query.instant === true ? undefined : secondsSinceStart());
        if (found.length === 0) still.push(query);
      }
      empty = still;
    } while (empty.some(isExpected) && Date.now() < startedAt + PATIENCE);

    expect(empty.filter(isExpected).map(({ name }) => name)).toEqual([]);
  });

  test("every variable has values to choose from", async () => {
    for (const { templating } of dashboards) {
      for (const { name, type, query } of templating.list) {
        // Outside of a cluster, series have no labels of one.
        if (type !== "query" || name === "cluster" || name === "namespace") continue;
        const [, selector = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? [];
        const found = await prometheus.query(`count by (${label}) (${filled(selector, templating.list)})`);

        expect([query, found.some(({ metric }) => (metric[label] ?? "") !== "")]).toEqual([query, true]);
      }
    }
  });
});
