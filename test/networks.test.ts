// The configuration of a running exporter changes.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Simulator } from "../simulator/server.ts";
import { Redactor } from "../src/api/redact.ts";
import type { App } from "../src/app.ts";
import { START, stillSimulator } from "./simulator/support.ts";
import { createApp, onlyCollectors, readPage } from "./support/app.ts";
import { FakeClock } from "./support/fake-clock.ts";

const KEYS = ["first-secret-key", "second-secret-key"] as const;

let simulator: Simulator;
let app: App;
let clock: FakeClock;
let settings: {
  networks: readonly string[];
  budget: string;
  collectors: Readonly<Record<string, object>>;
};
let key: string;
const redactor = new Redactor([]);

const user = () => simulator.chain.accounts.users[0] as string;
const network = (name: string) => `  - name: ${name}
    url: ${simulator.url}
    budget: ${settings.budget}
    api_key_file: key
    addresses: [{ address: ${user()}, name: wallet }]
`;
const text = () =>
  `networks:\n${settings.networks.map(network).join("")}collectors: ${onlyCollectors(settings.collectors)}\n`;
const reload = () => app.reloads.configuration?.run();

beforeEach(async () => {
  simulator = await stillSimulator({ history: 30 });
  clock = new FakeClock(START * 1000);
  key = KEYS[0];
  settings = {
    networks: ["m"],
    budget: "{ per_minute: 100, per_month: unlimited }",
    collectors: { fees: {}, blocks: {}, addresses: { backfill: "all" } },
  };
  app = await createApp(text, undefined, { readFile: () => key, clock, redactor });
  await app.pollOnce();
});
afterEach(async () => {
  await app.stop();
  await simulator.close();
});

const series = async () =>
  (await readPage(app)).all.map(({ name, labels, value }) => `${name} ${[...labels].flat().join(" ")} ${value}`);
const own = async (name: string, labels?: Readonly<Record<string, string>>) =>
  (await readPage(app)).value(name, labels);
const received = () => own("stacks_address_received_microstx_total", { name: "wallet", address: user() });

test("counters and gauges continue when a setting changes, without a poll", async () => {
  const before = (await series()).filter((one) => /^stacks_(address|mempool|chain)_/.test(one));
  settings.collectors = { ...settings.collectors, addresses: { backfill: "all", pages: 3 } };
  await reload();

  expect((await series()).filter((one) => /^stacks_(address|mempool|chain)_/.test(one))).toEqual(before);
  expect(before.length).toBeGreaterThan(30);
});

test("the used budget and a pause continue with another limit", async () => {
  const usedNow = () => app.status({ limit: 1 }).networks[0]?.budget.minute.used;
  const used = usedNow();
  settings.budget = "{ per_minute: 90, per_month: unlimited }";
  await reload();
  expect(used).toBeGreaterThan(3);
  expect(usedNow()).toBe(used);
  expect(await own("stacks_exporter_budget_limit_requests", { window: "minute" })).toBe(90);

  simulator.faults.add({ kind: "429", retryAfter: 60 });
  const fees = () => app.tasks.find(({ collector }) => collector.name === "fees");
  await app.poll(fees() as never);
  const pause = () => app.status({ limit: 1 }).problems.find(({ message }) => message.startsWith("no request"));
  const end = pause();
  settings.budget = "{ per_minute: 80, per_month: unlimited }";
  await reload();
  expect(end).toBeDefined();
  expect(pause()).toEqual(end);
});

test("a collector that is switched off has no series, and one that is switched on is polled", async () => {
  settings.collectors = { blocks: {}, addresses: { backfill: "all" }, mempool: {} };
  await reload();
  expect((await series()).filter((one) => /^(?!.*_total).* collector fees/.test(one))).toEqual([]);
  expect((await series()).some((one) => one.startsWith("stacks_mempool_fee"))).toBe(false);
  expect(await own("stacks_mempool_transactions", { tx_type: "token_transfer" })).toBeUndefined();
  await app.pollOnce();

  expect(await own("stacks_mempool_transactions", { tx_type: "token_transfer" })).toBeGreaterThan(0);
});

test("the series of a collector that is switched off disappear, although it is polled for addresses", async () => {
  const isShown = async () => (await readPage(app)).names.some((name) => name.startsWith("stacks_chain_block"));
  const found = [await isShown()];
  settings.collectors = { ...settings.collectors, blocks: { enabled: false } };
  await reload();
  found.push(await isShown());
  // The API is down for a day.
  simulator.faults.set({ kind: "500" });
  await clock.advance(86_400_000);
  await clock.until(app.pollOnce(), 10_000, 50, () => simulator.requests.length);
  found.push(await isShown());
  expect(found).toEqual([true, false, false]);
});

test("a collector that is switched off has no time of its last clean audit", async () => {
  const audited = () => own("stacks_exporter_last_clean_audit_timestamp_seconds", { collector: "addresses" });
  for (const hours of [1, 24]) {
    simulator.advance(600);
    await clock.advance(hours * 3_600_000);
    await app.pollOnce();
  }
  expect(await audited()).toBeGreaterThan(START);
  settings.collectors = { fees: {}, blocks: {} };
  await reload();

  expect(await audited()).toBeUndefined();
});

test("networks are added and removed, and the others continue", async () => {
  const tasks = app.tasks;
  const before = await received();
  settings.networks = ["m", "second"];
  await reload();
  await app.pollOnce();
  expect(app.tasks.slice(0, tasks.length)).toEqual(tasks);
  expect((await series()).filter((one) => one.includes("network second")).length).toBeGreaterThan(30);

  settings.networks = ["m"];
  await reload();
  expect((await series()).filter((one) => /^(?!.*_total).* network second/.test(one))).toEqual([]);
  expect(app.status({ limit: 1 }).networks).toHaveLength(1);
  expect(await received()).toBe(before);
});

test("a changed key file takes effect, and neither key is shown", async () => {
  const sent = () => simulator.requests.at(-1)?.headers["x-api-key"];
  await app.pollOnce();
  expect(sent()).toBe(KEYS[0]);
  key = KEYS[1];
  await app.reloads.files?.run();
  await app.pollOnce();

  expect(sent()).toBe(KEYS[1]);
  for (const one of KEYS) expect(redactor.mask(`wrong key ${one}`)).toBe("wrong key ***");
});

test("an invalid configuration changes nothing, and is visible until the next valid one", async () => {
  const before = await series();
  settings.budget = "{ per_minute: many }";
  await reload();

  expect(app.status({ limit: 1 }).problems).toMatchObject([{ subject: "configuration" }]);
  expect((await series()).filter((one) => !/^(stacks_exporter|process|nodejs)_/.test(one))).toEqual(
    before.filter((one) => !/^(stacks_exporter|process|nodejs)_/.test(one)),
  );
  expect(await own("stacks_exporter_config_last_reload_successful")).toBe(0);
  settings.budget = "{ per_minute: 50, per_month: unlimited }";
  await reload();
  expect(await own("stacks_exporter_config_last_reload_successful")).toBe(1);
});

test("a stop waits for a reload, after which nothing is requested", async () => {
  const lines: string[] = [];
  const own = new FakeClock(clock.now());
  const stopped = await createApp(text, (line) => lines.push(line), { readFile: () => key, clock: own });
  await stopped.start();
  settings.collectors = { fees: {}, blocks: {} };
  const reloads = [1, 2, 3].map(() => stopped.reloads.configuration?.run());
  await stopped.stop();
  await Promise.all(reloads);
  await own.advance(10_000);

  expect(lines.filter((line) => line.includes('"err"'))).toEqual([]);
  // No schedule runs.
  expect(own.sleepers).toBe(0);
});
