import { expect, test } from "@jest/globals";
import { planOf } from "../../src/commands/estimate.ts";
import { formatPlan } from "../../src/commands/plan.ts";
import { configOf, type Watched } from "./fixture.ts";

const textOf = async (network: string, watched: Watched = {}) =>
  formatPlan(planOf(await configOf(`networks: [{ name: m, url: "http://m", ${network} }]`, watched)));

test("without watched targets, each collector has one number of requests", async () => {
  const text = await textOf("budget: keyless");

  expect(text).toMatch(/^network m\n {2}collector +targets +every /);
  expect(text).toMatch(/\n {2}fees +1 +120s +1 +0\.5 +22320 /);
  expect(text).toMatch(
    /\n {2}in all [\d.]+ requests a minute of 25 \(busiest minute \d+\), \d+ a month of unlimited\n/,
  );
  expect(text).not.toMatch(/ to |note|DOES NOT FIT/);
});

test("with watched targets, the requests are a range, and the text explains it", async () => {
  const text = await textOf("budget: free_key, address_files: [addresses.txt]", { addresses: 40 });

  expect(text).toMatch(/\n {2}addresses +40 +1h +1 +0\.67 to 1\.2 +29760 to 53568 /);
  expect(text).toMatch(/\n {2}in all [\d.]+ to [\d.]+ requests a minute of 900 .*, \d+ to \d+ a month of 150000\n/);
  expect(text).toMatch(/one target in 10, at most 20, takes part in 4 transactions an hour; each costs an early poll/);
});

test("plan prints the ages of movements: of watched parties, and of what a contract moves", async () => {
  const network = "budget: free_key, address_files: [addresses.txt]";
  const long = await textOf(network, { addresses: 5000 });
  const without = await textOf(`${network}, collectors: { transactions: { enabled: false } }`, { addresses: 40 });

  expect(long).toMatch(
    /\n {2}movements with a watched party are counted within about 240s of their confirmation, those by a contract within 4\dh(?:\d+m)?, while few targets move\n/,
  );
  expect(without).toMatch(/\n {2}movements are counted within 1h1m, .*: the collector transactions is not enabled\n/);
  expect(await textOf("budget: free_key")).not.toContain("movements");
});

test("notes and what does not fit are below the network", async () => {
  const network = "budget: free_key, address_files: [addresses.txt]";
  const adapted = await textOf(network, { addresses: 1000 });
  const refused = await textOf(`${network}, collectors: { addresses: { every: 1m } }`, { addresses: 1000 });

  expect(adapted).toMatch(/\n {2}note: the 1000 targets of addresses are polled every /);
  expect(adapted).not.toContain("DOES NOT FIT");
  expect(refused).toMatch(
    /\n {2}DOES NOT FIT: the 1000 targets of addresses are polled every .* instead of every 60s; to fit: per_minute >= /,
  );
});

test("plan prints what would not fit into another upstream, without failing", async () => {
  const text = formatPlan(
    planOf(
      await configOf(`networks:
  - name: m
    failover: { probe_every: 30s }
    upstreams: [{ name: own, url: "http://own" }, { name: small, url: "http://small", budget: { per_minute: 2 } }]
`),
    ),
  );

  expect(text).toMatch(
    /upstream small: 2 requests a minute for probes while it is not active\n {4}if it takes over: the busiest minute/,
  );
  expect(text).not.toContain("DOES NOT FIT");
});

test("the plan of a shard names the shard, counts only exposed series, and lists the collectors of all shards", async () => {
  const textOfShard = async (index: number) =>
    formatPlan(
      planOf(
        await configOf(
          `shard: { index: ${index}, count: 4 }
networks: [{ name: m, url: "http://m", budget: { per_minute: 40, per_month: 60000 }, address_files: [addresses.txt] }]
`,
          { addresses: 40 },
        ),
      ),
    );
  const [first, second] = [await textOfShard(0), await textOfShard(1)];

  expect(first).toMatch(/^shard 0 of 4: its part of the watch lists, and 1 \/ 4 of each budget\nnetwork m\n/);
  expect(first).toMatch(/\n {2}blocks +1 +240s +1 +0\.25 +11160 +[1-9]\d* /);
  expect(second).toMatch(/\n {2}blocks +1 +240s +1 +0\.25 +11160 +0 /);
  expect(second).not.toMatch(/\n {2}fees /);
  for (const text of [first, second]) {
    expect(text).toContain(
      "\n  polled by each of the 4 shards: mempool_transactions, blocks, transactions; 3.23 requests a minute in all " +
        "shards, instead of 0.81\n",
    );
    expect(text).toMatch(/needs \d+ requests, and the budget of a shard is 15000; to fit: per_month >= \d{6}\n/);
  }
});
