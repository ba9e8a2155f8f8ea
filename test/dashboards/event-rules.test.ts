// The dashboard that is written for the event rules of a configuration.
import { expect, test } from "@jest/globals";
import { boardWith } from "../../dashboards/board.ts";
import { eventRulesBoard, type RuledContract } from "../../dashboards/event-rules.ts";
import { counter, type Family, gauge } from "../../src/exposition/family.ts";
import { type Dashboard, panelsOf } from "../support/dashboards.ts";
import { parsePromql } from "../support/promql.ts";

const labels = (...own: readonly string[]) =>
  Object.fromEntries(["network", "name", "contract_id", ...own].map((name) => [name, "a label"]));
const swaps = counter({ name: "amm_swaps_total", help: "Swaps.", labels: labels("pool", "side") });
const price = gauge({ name: "amm_price", help: "Price.", labels: labels() });
const events = counter({ name: "vault_events_total", help: "Events.", labels: labels() });

const boardOf = (...contracts: readonly RuledContract[]) =>
  JSON.parse(JSON.stringify(boardWith(eventRulesBoard(contracts)))) as Dashboard;
const AMM = { name: "amm", families: [swaps, price] as readonly Family[] };
const VAULT = { name: "vault", families: [events] as readonly Family[] };

test("selects the series of the contract, by the labels of the rule", () => {
  const queries = new Map(panelsOf(boardOf(AMM, VAULT)).map(({ title, targets }) => [title, targets ?? []]));
  const selected = (title: string) =>
    (queries.get(title) ?? []).map(({ expr, legendFormat }) => {
      const { selectors, groupings, errors } = parsePromql(expr.replaceAll(/\$__(rate_interval|range)/g, "5m"));
      expect(errors).toEqual([]);
      for (const { matchers } of selectors) {
        expect(matchers.map(({ label }) => label)).toEqual([
          "cluster",
          "namespace",
          "job",
          "instance",
          "network",
          "name",
        ]);
      }
      return [selectors[0]?.metric, selectors[0]?.matchers.at(-1)?.value, groupings[0]?.labels.join(), legendFormat];
    });

  expect(selected("amm_swaps_total")).toEqual([
    ["amm_swaps_total", "amm", "network,pool,side", "{{network}} {{pool}} {{side}}"],
  ]);
  expect(selected("amm_price")).toEqual([["amm_price", "amm", "network", "{{network}}"]]);
  expect(selected("vault_events_total")[0]?.slice(0, 2)).toEqual(["vault_events_total", "vault"]);
});

test("keeps the ids of panels when rules are added", () => {
  const idsOf = (dashboard: Dashboard) => new Map(dashboard.panels.map(({ id, title }) => [title, id]));
  const before = idsOf(boardOf({ ...AMM, families: [price] }));
  const after = idsOf(boardOf(VAULT, AMM));

  for (const [title, id] of before) expect([title, after.get(title)]).toEqual([title, id]);
  expect(new Set(after.values()).size).toBe(after.size);
});

test("gives every panel its own id, also with unusual names", () => {
  const families = Array.from({ length: 100 }, (_, index) =>
    counter({ name: `metric_${index}_total`, help: "Events.", labels: labels() }),
  );
  const contracts = Array.from({ length: 50 }, (_, index) => ({ name: `contract ${index}`, families }));
  const ids = boardOf(...contracts).panels.map(({ id }) => id);

  expect(ids).toHaveLength(50 * 101 + 2);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Math.max(...ids)).toBeLessThan(2 ** 31);
});
