import { expect, test } from "@jest/globals";
import { counter, gauge } from "../../src/exposition/family.ts";
import { collectors, configOf, errorsOf } from "./fixture.ts";

const families = [
  gauge({ name: "stacks_fee_microstx", help: "Fee." }),
  counter({ name: "stacks_blocks_total", help: "Blocks." }),
];
const known = {
  collectors: collectors.map((collector) => ({ ...collector, families })),
  otherMetrics: () => ["stacks_up"],
};

test("names and patterns that match a metric of a collector, of the exporter or of an event rule", async () => {
  const text = `metrics: { allow: [stacks_*, "*"], deny: [stacks_up, "*_total", amm_swaps_total] }
networks:
  - name: mainnet
    url: https://api.hiro.so
    contracts:
      - contract_id: SP000000000000000000002Q6VF78.pox
        events: [{ metric: amm_swaps_total, type: counter, help: Swaps., match: [{ path: topic, equals: print }] }]
`;
  const { metrics } = await configOf(text, known);

  expect(metrics).toEqual({ allow: ["stacks_*", "*"], deny: ["stacks_up", "*_total", "amm_swaps_total"] });
});

test("names and patterns that match nothing are reported all at once, each with its position", async () => {
  const text = "metrics:\n  allow: [stacks_fees_microstx]\n  deny: [stacks_up, none_*]\n";

  expect(await errorsOf(text, known)).toBe(
    'stacks-exporter.yaml:2:11: metrics.allow[0]: expected the name of a metric or a pattern that matches one, found "stacks_fees_microstx": did you mean "stacks_fee_microstx"?\n' +
      'stacks-exporter.yaml:3:21: metrics.deny[1]: expected the name of a metric or a pattern that matches one, found "none_*"',
  );
});

test("without the setting, everything is exposed", async () => {
  expect((await configOf("", known)).metrics).toEqual({ allow: [], deny: [] });
});
