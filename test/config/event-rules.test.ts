import { describe, expect, test } from "@jest/globals";
import { rulesOf } from "../support/event-rules.ts";
import { configOf } from "./fixture.ts";

describe("event rules", () => {
  test("have the settings of the configuration", async () => {
    const [rule] = await rulesOf(`
- metric: amm_swap_in_units_total
  type: counter
  help: Tokens swapped in, base units.
  match: [{ path: topic, equals: print }, { path: value.event, equals: swap }]
  value: { path: value.amount }
  labels: { pool: { path: value.pool-id, allow: [stx-usda], max: 50 }, side: { value: sell } }
`);

    expect(rule).toMatchObject({
      family: {
        kind: "counter",
        name: "amm_swap_in_units_total",
        help: "Tokens swapped in, base units.",
        labelNames: ["network", "name", "contract_id", "pool", "side"],
      },
      conditions: [{ operator: { equals: "print" } }, { operator: { equals: "swap" } }],
      value: { text: "value.amount" },
      labels: [
        { name: "pool", from: { path: { text: "value.pool-id" } }, allow: ["stx-usda"], max: 50 },
        { name: "side", from: { value: "sell" }, allow: ["sell"], max: 1 },
      ],
    });
  });

  test.each([
    ["{ path: value }", [], 50],
    ["{ path: value, allow: [a, b] }", ["a", "b"], 2],
    ["{ path: value, allow: [a, b], max: 7 }", ["a", "b"], 7],
    ["{ path: value, max: 7 }", [], 7],
  ])("have the limits of a label %s", async (label, allow, max) => {
    const match = "match: [{ path: topic, exists: true }]";
    const [rule] = await rulesOf(`- { metric: x_total, type: counter, help: X., ${match}, labels: { a: ${label} } }`);

    expect(rule?.labels[0]).toMatchObject({ allow, max });
  });

  test("of one metric share its family, also on other networks", async () => {
    const events = "[{ metric: x_total, type: counter, help: X., match: [{ path: topic, equals: a }] }]";
    const config = await configOf(`
networks:
  - { name: a, url: "http://a", contracts: [{ contract_id: SP000000000000000000002Q6VF78.amm, events: ${events} }] }
  - { name: b, url: "http://b", contracts: [{ contract_id: SP000000000000000000002Q6VF78.amm, events: ${events} }] }
`);

    const [one, other] = config.networks.map(({ contracts }) => contracts[0]?.rules?.[0]);
    expect(one?.family).toBeDefined();
    expect(other?.family).toBe(one?.family);
  });
});
