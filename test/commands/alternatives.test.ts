import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { c32address } from "c32check";
import { type Alternative, alternativesOf } from "../../src/commands/alternatives.ts";
import { planOf } from "../../src/commands/estimate.ts";
import { plan } from "../../src/commands/plan.ts";
import { runCommand } from "../support/io.ts";
import { configOf, type Watched } from "./fixture.ts";

const BUDGET = "budget: { per_minute: 100000, per_month: unlimited }";
const configured = (settings: string, watched: Watched, more = "") =>
  configOf(`${more}\nnetworks: [{ name: m, url: "http://m", ${settings} }]`, watched);
const of = async (settings: string, watched: Watched, more?: string) =>
  alternativesOf(await configured(settings, watched, more), "m");
const find = (alternatives: readonly Alternative[], choice: string | undefined) =>
  alternatives.find((one) => one.choice === choice);

describe("the alternatives of a configuration", () => {
  const LISTS = `${BUDGET}, address_files: [addresses.txt], contract_files: [contracts.txt]`;

  test("are the settings that can be switched, each with the costs of its plan", async () => {
    const watched = { addresses: 40, contracts: 3 };
    const alternatives = await of(LISTS, watched);

    expect(alternatives.map(({ choice }) => choice)).toEqual([
      undefined,
      "balances: all addresses",
      "waiting: all addresses",
      "contract_calls: off",
    ]);
    for (const [choice, collectors] of Object.entries({
      "balances: all addresses": "balances: { addresses: all }",
      "waiting: all addresses": "waiting: { addresses: all }",
      "contract_calls: off": "contract_calls: { enabled: false }",
    })) {
      const { collectorSeries, ownSeries, networks } = planOf(
        await configured(`${LISTS}, collectors: { ${collectors} }`, watched),
      );
      expect(find(alternatives, choice)).toMatchObject({
        series: collectorSeries + ownSeries,
        requestsPerMonth: Math.ceil((networks[0]?.requestsPerMinute ?? 0) * 44_640 - 1e-6),
        exceeds: [],
      });
    }
  });

  test("include the configuration without a choice that it makes", async () => {
    const watched = { addresses: 40, contracts: 3 };
    const plain = find(await of(LISTS, watched), undefined);
    for (const [choice, collectors] of Object.entries({
      "balances: off": "balances: { addresses: all }",
      "waiting: off": "waiting: { addresses: all }",
      "contract_calls: on": "contract_calls: { enabled: false }",
    })) {
      const { choice: _, ...costs } = find(
        await of(`${LISTS}, collectors: { ${collectors} }`, watched),
        choice,
      ) as Alternative;
      expect(costs).toMatchObject({ requestsPerMonth: plain?.requestsPerMonth, exceeds: [] });
      if (choice.endsWith("on")) expect(costs.series).toBe(plain?.series);
    }
  });

  test("have the default schedules of the budget for a collector that is off", async () => {
    const watched = { contracts: 3 };
    const settings = "budget: free_key, contract_files: [contracts.txt]";
    const off = await of(`${settings}, collectors: { contract_calls: { enabled: false } }`, watched);
    const [on] = await of(settings, watched);

    expect(find(off, "contract_calls: on")).toEqual({ ...on, choice: "contract_calls: on" });
  });

  test("export groups as sums, or event rules not at all", async () => {
    const rule = "{ metric: swaps_total, type: counter, help: S., match: [{ path: topic, equals: print }] }";
    const entries = Array.from({ length: 20 }, (_, index) => index.toString(16).padStart(40, "0"));
    const addresses = entries.map((hex) => `{ address: ${c32address(22, hex)}, group: deposits }`).join(", ");
    const contract = `{ contract_id: ${c32address(22, entries[0] ?? "")}.x, events: [${rule}] }`;
    const alternatives = await of(`${BUDGET}, addresses: [${addresses}], contracts: [${contract}]`, {});
    const before = find(alternatives, undefined)?.series ?? 0;
    const summed = await of(
      `${BUDGET}, addresses: [${addresses}], contracts: [${contract}], groups: [{ name: deposits, export: group }]`,
      {},
    );

    expect(find(alternatives, "export: group, all groups")?.series).toBe(summed[0]?.series);
    expect(find(summed, "export: each address")?.series).toBe(before);
    expect(find(alternatives, "event rules: off")?.series).toBeLessThan(before);
  });

  test("report the exceeded limits, and the length of a round", async () => {
    const settings = "budget: keyless, address_files: [addresses.txt]";
    const alternatives = await of(settings, { addresses: 1000 }, "max_series: 30000");

    expect(find(alternatives, undefined)?.exceeds).toEqual([]);
    const [configuredRound = 0, withBalances = 0] = [undefined, "balances: all addresses"].map(
      (choice) => find(alternatives, choice)?.roundMs,
    );
    expect(withBalances).toBeGreaterThan(1.5 * configuredRound);
    const every = await of(`${settings}, collectors: { addresses: { every: 2h } }`, { addresses: 1000 });
    expect(find(every, "balances: all addresses")?.exceeds).toEqual(["budget"]);
  });

  test("are none without watched principals", async () => {
    expect(await of(BUDGET, {})).toEqual([]);
  });
});

test("plan prints them below the plan", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-plan-"));
  const config = join(folder, "exporter.yaml");
  const contract = "SP3K8BC0PPEVCV7NZ6QSRWPQ2JE9E5B6N3PA0KBR9.amm-swap-pool-v1-1";
  writeFileSync(config, `networks: [{ name: m, url: "http://m", contracts: [{ contract_id: ${contract} }] }]`);

  const { out } = await runCommand((io) => plan({ config }, io));
  rmSync(folder, { recursive: true });

  expect(out).toMatch(
    /\nnetwork m with other choices, series of the whole exporter\n {2}each choice alone +series +requests\/month +targets every +fits\n {2}as configured +\d+ +\d+ +\d+s +yes\n {2}contract_calls: off +\d+ +\d+ +\d+s +yes\n$/,
  );
});
