// The watch list of a running exporter is reloaded.
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Simulator } from "../simulator/server.ts";
import type { App } from "../src/app.ts";
import { Store } from "../src/store/store.ts";
import { START, stillSimulator } from "./simulator/support.ts";
import { createApp, onlyCollectors, readPage } from "./support/app.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { folderOfEachTest } from "./support/folder.ts";
import { printRules } from "./support/prints.ts";

let simulator: Simulator;
let app: App;
let file: string;
let clock: FakeClock;
const logged: { level: number; msg: string }[] = [];

const config = () => `networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 1000, per_month: unlimited }
    address_files: [list.csv]
collectors: ${onlyCollectors({ addresses: { every: "60s" }, balances: {}, blocks: {} })}
`;

/** Time passes for the chain and for the exporter. */
async function pass(seconds: number): Promise<void> {
  simulator.advance(seconds);
  await clock.advance(seconds * 1000);
}

const folder = folderOfEachTest();

beforeEach(async () => {
  simulator = await stillSimulator({ history: 30 });
  logged.length = 0;
  file = list(0, 1, 2);
  const log = (line: string) => void logged.push(JSON.parse(line));
  clock = new FakeClock(START * 1000);
  const stateFile = new Store(join(folder, "state.db"));
  app = await createApp(config(), log, { readFile: () => file, clock, store: stateFile });
});
afterEach(async () => {
  await app.stop();
  await simulator.close();
});

const user = (index: number) => simulator.chain.accounts.users[index] as string;
const list = (...users: readonly number[]) =>
  `address,name\n${users.map((index) => `${user(index)},user ${index}\n`).join("")}`;
const pollAll = () => app.pollOnce();
const seriesOf = async (index: number) =>
  (await readPage(app)).all.filter(({ labels }) => labels.get("address") === user(index));
const own = async (name: string, labels?: Readonly<Record<string, string>>) =>
  (await readPage(app)).value(name, labels);

test("removed targets disappear, added ones are polled, the others keep their counters", async () => {
  await pollAll();
  const before = app.tasks.find(({ target }) => target.key === user(1));
  const series = await seriesOf(1);
  file = list(1, 3);
  await app.reloads.files?.run();

  expect(await seriesOf(0)).toEqual([]);
  expect(await seriesOf(2)).toEqual([]);
  expect(await seriesOf(1)).toEqual(series);
  expect(app.tasks.find(({ target }) => target.key === user(1))).toBe(before);
  expect((await seriesOf(3)).map(({ name }) => name)).toEqual(["stacks_address_info"]);
  await pollAll();
  expect((await seriesOf(3)).length).toBeGreaterThan(5);
  expect(await own("stacks_exporter_collector_targets", { collector: "addresses", state: "active" })).toBe(2);
});

test("a target that returns continues its counters, including the transactions of the pause", async () => {
  await pollAll();
  await pass(600);
  await pollAll();
  const total = () => own("stacks_address_received_microstx_total", { address: user(0) });
  const counted = await total();
  file = list(1);
  await app.reloads.files?.run();
  expect(await total()).toBeUndefined();
  await pass(3600);
  file = list(0, 1);
  await app.reloads.files?.run();
  expect(await total()).toBe(counted);
  await pollAll();

  expect(await total()).toBeGreaterThan(counted ?? 0);
});

test("balances begin and end with a minimum, which takes effect with the next poll", async () => {
  const least = () => own("stacks_address_min_balance_microstx", { address: user(0) });
  const available = () => own("stacks_address_available_balance_microstx", { address: user(0) });
  const reloadWith = async (minimum: string) => {
    file = `address,name,min_balance.stx\n${user(0)},user 0,${minimum}\n${user(1)},user 1,\n`;
    await app.reloads.files?.run();
    await pollAll();
  };
  await reloadWith("");
  expect([await least(), await available()]).toEqual([undefined, undefined]);

  await reloadWith("5000 STX");
  expect(await least()).toBe(5e9);
  expect(await available()).toBe(Number(simulator.chain.ledger.balances.of(user(0), "stx")));
  expect(await own("stacks_exporter_collector_targets", { collector: "balances", state: "active" })).toBe(1);
  await reloadWith("2.5 STX");
  expect(await least()).toBe(2.5e6);

  await reloadWith("");
  expect([await least(), await available()]).toEqual([undefined, undefined]);
});

const contractOf = (...events: readonly object[]) => ({ contract_id: `${user(0)}.amm`, name: "amm", events });
/** An app whose network has other lists, and which polls contracts, too. */
const watching = (lists: string) => {
  const text = config().replace("address_files: [list.csv]", lists);
  const collectors = onlyCollectors({ contracts: {}, addresses: {}, blocks: {} });
  return createApp(text.replace(/collectors: .*/, `collectors: ${collectors}`), undefined, {
    readFile: () => file,
    clock,
  });
};
const RULE = { metric: "x_total", type: "counter", help: "X.", match: [{ path: "topic", exists: true }] };

test("an event rule of a JSON file makes its metric after a reload", async () => {
  file = JSON.stringify([contractOf()]);
  await using ofContract = await watching("contract_files: [list.json]");
  await ofContract.pollOnce();
  file = JSON.stringify([contractOf(RULE)]);
  await ofContract.reloads.files?.run();
  await ofContract.pollOnce();

  expect((await readPage(ofContract)).samples("x_total")).toHaveLength(1);
});

test("a contract with event rules goes on when a list of addresses has changed", async () => {
  const contracts = JSON.stringify([contractOf(...printRules)]);
  await using ofBoth = await watching(`contracts: ${contracts}\n    address_files: [list.csv]`);
  const task = () => ofBoth.tasks.find(({ collector }) => collector.name === "contracts");
  const before = task();
  expect(before).toBeDefined();
  file = list(1);
  await ofBoth.reloads.files?.run();

  // The poll of any other task is cancelled.
  expect(task() === before).toBe(true);
});

test("an invalid list changes nothing, is logged with line, expected and found, and is visible", async () => {
  await pollAll();
  const before = app.tasks;
  file = `address\n${user(0)}\n${user(1).slice(0, -1)}Q\n`;
  await app.reloads.files?.run();

  expect(app.tasks).toEqual(before);
  expect(await own("stacks_exporter_watch_list_last_reload_successful")).toBe(0);
  const problems = () => app.status({ limit: 1 }).problems.filter(({ subject }) => subject === "watch list");
  expect(problems()).toMatchObject([
    { message: expect.stringMatching(/: \/etc\/list\.csv:3: address: expected an address of mainnet[^()]*$/) },
  ]);
  expect(logged.filter(({ level }) => level === 50).map(({ msg }) => msg)).toEqual([
    expect.stringMatching(/^\/etc\/list\.csv:3: address: expected an address of mainnet.*, found "S/),
    "cannot reload the watch lists and keys: the previous one stays in use",
  ]);
  file = list(0);
  await app.reloads.files?.run();
  expect(await own("stacks_exporter_watch_list_last_reload_successful")).toBe(1);
  expect(problems()).toEqual([]);
  expect(app.tasks).toHaveLength(2);
});

test("a list that becomes empty is taken, with one warning", async () => {
  for (file of [list(0), list(), list()]) await app.reloads.files?.run();

  expect(app.tasks.filter(({ target }) => target.key !== "")).toEqual([]);
  const warnings = logged.filter(({ level }) => level === 40).map(({ msg }) => msg);
  expect(warnings).toEqual(["the list of addresses is empty now: none are watched"]);
});

test("a poll that is running when its target is removed exposes nothing", async () => {
  const task = app.tasks.find(({ target }) => target.key === user(0));
  if (task === undefined) throw new Error("unreachable");
  const polling = app.poll(task);
  file = list(1);
  await app.reloads.files?.run();
  await polling;

  expect(await seriesOf(0)).toEqual([]);
});

// The exporter checks the files every five seconds.
test("an added target is read within 55 seconds of a reload", async () => {
  await app.start();
  const requests = () => simulator.requests.length;
  await clock.run(300, requests);
  file = list(0, 1, 2, 3);
  await app.reloads.files?.run();
  await clock.run(55, requests);

  expect((await seriesOf(3)).map(({ name }) => name)).toContain("stacks_address_sent_microstx_total");
  expect(await own("stacks_exporter_collector_targets", { collector: "addresses", state: "waiting" })).toBe(0);
});
