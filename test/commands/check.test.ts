import { expect, test } from "@jest/globals";
import { formatPlan } from "../../src/commands/check.ts";
import { planOf } from "../../src/commands/estimate.ts";
import type { Config } from "../../src/config/settings.ts";
import { configOf, type Watched } from "./fixture.ts";

const planText = (config: Config) => {
  const plan = planOf(config);
  return [...formatPlan(plan, config.shard), ...plan.errors, ""].join("\n");
};
const textOf = async (network: string, watched: Watched = {}, more = "") =>
  planText(await configOf(`networks: [{ name: m, url: "http://m/planted-path", ${network} }]\n${more}`, watched));

test("without watched targets, there is a line for each collector", async () => {
  const text = await textOf("budget: {}");

  expect(text).toMatch(/^network m at http:\/\/m\n {2}collector +targets +every /);
  expect(text).toMatch(/\n {2}fees +1 +2m +1 +0\.5 +22320 /);
  expect(text).toMatch(
    /\n {2}in all [\d.]+ requests a minute of 25 \(busiest minute \d+\), \d+ a month of unlimited\n/,
  );
  expect(text).not.toMatch(/early|note|does not fit|planted/);
});

test("with watched targets, their early polls are explained", async () => {
  const text = await textOf("budget: { per_minute: 900, per_month: 150000 }, address_files: [addresses.txt]", {
    addresses: 40,
  });

  expect(text).toMatch(/\n {2}addresses +40 +1h +1 +0\.67 +29760 /);
  expect(text).toMatch(
    /a month of 150000\n {2}after a start, every target is polled within 2m\n {2}\(a target that takes part in a transaction is polled early/,
  );
});

test("notes are below the network, and what does not fit is an error with the cure", async () => {
  const network = "budget: { per_minute: 900, per_month: 150000 }, address_files: [addresses.txt]";
  const adapted = await textOf(network, { addresses: 1000 });
  const refused = await textOf(network, { addresses: 1000 }, "collectors: { addresses: { every: 1m } }");

  expect(adapted).toMatch(
    /\n {2}note: the budget allows addresses \(1000 targets\) every \d+h\d+m\d+s, not every 1h\n/,
  );
  expect(adapted).not.toContain("does not fit");
  expect(refused).toMatch(
    /\n {2}note: the budget allows addresses \(1000 targets\) every .*, not every 1m\n.*\nnetwork m does not fit its budget; to fit: per_minute >= /s,
  );
});

test("what would not fit into another upstream is printed, and is no error", async () => {
  const text = planText(
    await configOf(`networks:
  - name: m
    url: http://own
    fallbacks:
      - { name: small, url: "http://small", budget: { per_minute: 2 } }
      - { name: big, url: "http://big", budget: { per_minute: 200, per_month: unlimited } }
`),
  );

  expect(text).toMatch(/\n {2}if upstream small takes over, to fit: per_minute >= \d+/);
  expect(text).not.toMatch(/does not fit|upstream big/);
});

test("the plan of a shard names the shard, counts only exposed series, and proposes budgets of all shards", async () => {
  const textOfShard = async (index: number) =>
    planText(
      await configOf(
        `shard: { index: ${index}, count: 4 }
networks: [{ name: m, url: "http://m", budget: { per_minute: 40, per_month: 60000 }, address_files: [addresses.txt] }]
`,
        { addresses: 40 },
      ),
    );
  const [first, second] = [await textOfShard(0), await textOfShard(1)];

  expect(first).toMatch(/^shard 0 of 4: its part of the watch lists and of each budget\nnetwork m at /);
  expect(first).toMatch(/\n {2}blocks +1 +3m +1 +0\.34 +14880 +[1-9]\d* /);
  expect(second).toMatch(/\n {2}blocks +1 +3m +1 +0\.34 +14880 +0 /);
  expect(second).not.toMatch(/\n {2}fees /);
  for (const text of [first, second]) {
    expect(text).toMatch(/does not fit its budget; to fit: per_month >= \d{6}, or longer intervals\n/);
  }
});
