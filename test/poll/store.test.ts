// The state file, with the real SQLite.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Durable } from "../../src/collectors/collector.ts";
import { Exposition } from "../../src/metrics/exposition.ts";
import { State } from "../../src/poll/state.ts";
import { MIGRATIONS, Store, setAside } from "../../src/poll/store.ts";
import type { Task } from "../../src/poll/task.ts";
import { fakeTask, level, total } from "../support/fake-task.ts";

let folder: string;
let path: string;
const open: Store[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stacks-exporter-store-"));
  path = join(folder, "state.db");
});

afterEach(() => {
  for (const store of open.splice(0)) store.close();
  rmSync(folder, { recursive: true });
});

function opened(migrations?: readonly string[]): Store {
  const store = new Store(path, migrations);
  open.push(store);
  return store;
}

function reopened(migrations?: readonly string[]): Store {
  open.pop()?.close();
  return opened(migrations);
}

function durableTask(durable: Durable = { version: 1 }, key = ""): Task {
  const task = fakeTask(async () => 0);
  return { ...task, target: { key }, collector: { ...task.collector, durable } };
}

const edit = (sql: string) => {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
};

const shown = async (exposition: Exposition) =>
  (await exposition.page("classic")).body
    .toString()
    .split("\n")
    .filter((line) => !line.startsWith("#") && line !== "");

test("an observation outlives the process, each target for itself", () => {
  const [one, two] = [durableTask({ version: 1 }, "one"), durableTask({ version: 1 }, "two")];
  const store = opened();
  expect(store.facts()).toEqual({ isRestored: false, lastWriteAt: undefined, failures: 0 });
  expect(store.load(one)).toBeUndefined();
  store.save(one, { amount: 2n ** 100n }, 1000);
  store.save(one, { amount: 2n ** 101n }, 2000);
  store.save(two, { amount: 7n }, 3000);
  const later = reopened();
  expect(later.load(one)).toEqual({ amount: 2n ** 101n });
  expect(later.load(two)).toEqual({ amount: 7n });
  expect(later.facts()).toEqual({ isRestored: true, lastWriteAt: undefined, failures: 0 });
});

test("a collector that does not ask for it is not saved", () => {
  const task = fakeTask(async () => 0);
  const store = opened();
  store.save(task, 5, 1000);
  expect(store.facts().lastWriteAt).toBeUndefined();
  expect(store.load(task)).toBeUndefined();
});

test("the used budget outlives the process", () => {
  opened().saveBudget("mainnet", { minute: [{ at: 5, priority: 1 }], month: { tokens: 1.5, at: 7 } }, 1000);
  const later = reopened();
  expect(later.loadBudget("mainnet")).toEqual({ minute: [{ at: 5, priority: 1 }], month: { tokens: 1.5, at: 7 } });
  expect(later.loadBudget("testnet")).toBeUndefined();
});

test("a second process is refused, and the first one goes on", () => {
  const store = opened();
  expect(() => new Store(path)).toThrow(`state file ${path}: is in use by another process`);
  expect(() => setAside(path, 0)).toThrow("is in use by another process");
  store.save(durableTask(), 1, 1000);
  expect(store.load(durableTask())).toBe(1);
});

test("a schema that is older is brought up to date with its rows, one that is newer is refused", () => {
  opened().save(durableTask(), 1, 1000);
  const grown = [...MIGRATIONS, "ALTER TABLE budgets ADD COLUMN note TEXT"];
  expect(reopened(grown).load(durableTask())).toBe(1);
  open.pop()?.close();
  expect(() => new Store(path)).toThrow(
    "was written by a newer version of stacks-exporter (its schema has version 2, this one knows up to 1)",
  );
});

test("a step that fails leaves the file as it was", () => {
  opened().save(durableTask(), 1, 1000);
  open.pop()?.close();
  expect(() => new Store(path, [...MIGRATIONS, "CREATE TABLE more (x)", "NONSENSE"])).toThrow('near "NONSENSE"');
  expect(opened().load(durableTask())).toBe(1);
});

test("an observation of an older version is upgraded, or refused where there is no way", () => {
  opened().save(durableTask(), { count: 1 }, 1000);
  const upgrade = (observation: unknown, version: number) => ({ ...(observation as object), from: version });
  expect(reopened().load(durableTask({ version: 2, upgrade }))).toEqual({ count: 1, from: 1 });
  expect(() => open[0]?.load(durableTask({ version: 2 }))).toThrow(
    "what was saved of mainnet/fake cannot be read: it has version 1, this one knows version 2",
  );
  open[0]?.save(durableTask({ version: 3 }), {}, 2000);
  expect(() => open[0]?.load(durableTask({ version: 2, upgrade }))).toThrow("it has version 3");
});

test.each<[string, () => void, string]>([
  ["text", () => writeFileSync(path, "no database at all ".repeat(100)), "is not a state file of this program"],
  ["a database of another program", () => edit("CREATE TABLE mine (x)"), "is not a state file of this program"],
  [
    "a file cut short",
    () => {
      opened().save(durableTask(), "x".repeat(100_000), 1000);
      open.pop()?.close();
      writeFileSync(path, readFileSync(path).subarray(0, 20_000));
    },
    "is damaged",
  ],
  [
    "bytes overwritten",
    () => {
      opened().save(durableTask(), "x".repeat(100_000), 1000);
      open.pop()?.close();
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0xaa, 4096, 12_000));
    },
    "is damaged",
  ],
])("%s is refused, and can be put aside", (_, spoil, message) => {
  spoil();
  const before = readFileSync(path);
  expect(() => new Store(path)).toThrow(message);
  const kept = setAside(path, Date.UTC(2026, 0, 2, 3, 4, 5));
  expect(kept).toBe(`${path}.2026-01-02T03-04-05-000Z`);
  expect(readFileSync(kept as string)).toEqual(before);
  expect(opened().facts().isRestored).toBe(false);
});

test("what was saved and is no JSON is refused by name", () => {
  opened().save(durableTask(), 1, 1000);
  open.pop()?.close();
  edit("UPDATE observations SET body = '{'");
  expect(() => opened().load(durableTask())).toThrow("what was saved of mainnet/fake cannot be read");
});

test("a folder that cannot be made, and a path that is a folder, are refused", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => new Store(join(folder, "file", "state.db"))).toThrow(/not a directory|file already exists/);
  expect(() => new Store(folder)).toThrow("cannot be opened");
});

test("putting aside a file that is not there is nothing, and one that is there keeps its rows", () => {
  expect(setAside(path, 0)).toBeUndefined();
  opened().save(durableTask(), 1, 1000);
  open.pop()?.close();
  path = setAside(path, 0) as string;
  expect(opened().load(durableTask())).toBe(1);
  expect(readdirSync(folder).length).toBeGreaterThan(0);
});

test("a killed process leaves every poll that it showed, and none half", () => {
  // Closing is what a kill leaves out: the file is copied while it is open.
  const store = opened();
  for (let poll = 1; poll <= 50; poll += 1) store.save(durableTask(), { poll }, poll);
  for (const suffix of ["", "-wal"]) writeFileSync(`${path}.copy${suffix}`, readFileSync(path + suffix));
  path = `${path}.copy`;
  expect(opened().load(durableTask())).toEqual({ poll: 50 });
});

test("totals are shown at once after a restart, other values when a poll has confirmed them", async () => {
  new State(new Exposition([level, total]), opened()).succeed(durableTask(), 41, [], 1000);
  const exposition = new Exposition([level, total]);
  const state = new State(exposition, reopened());
  state.restore(durableTask());
  expect(await shown(exposition)).toEqual(['stacks_test_total{network="mainnet"} 41']);
  expect(state.of(durableTask()).lastSuccessAt).toBeUndefined();
});

test("a poll that cannot be saved shows nothing of itself", async () => {
  const exposition = new Exposition([level, total]);
  const store = opened();
  const state = new State(exposition, store);
  const task = durableTask();
  const succeed = (value: number) =>
    state.succeed(task, value, task.collector.samples(value, "mainnet", task.target), 9);
  succeed(1);
  open.pop();
  store.close();
  expect(() => succeed(2)).toThrow(`state file ${path}:`);
  expect(state.of(task).observation).toBe(1);
  expect((await shown(exposition)).at(-1)).toBe('stacks_test_total{network="mainnet"} 1');
  expect(store.facts().failures).toBe(1);
});

test("an observation whose samples are refused is not kept", () => {
  const state = new State(new Exposition([level, total]), opened());
  const task = durableTask();
  const invalid = (value: number) => () => state.succeed(task, value, [total.at({ network: "n" }, -1)], 9);
  expect(invalid(2)).toThrow("a counter cannot be -1");
  expect(open[0]?.load(task)).toBeUndefined();
  state.succeed(task, 1, [], 9);
  expect(invalid(2)).toThrow("a counter cannot be -1");
  expect(open[0]?.load(task)).toBe(1);
});
