// The state file, with the real SQLite.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Exposition } from "../../src/exposition/exposition.ts";
import { State } from "../../src/storage/state.ts";
import { setAside } from "../../src/storage/store-file.ts";
import { MIGRATIONS } from "../../src/storage/store-schema.ts";
import { fakeTask, level, total } from "../support/fake-task.ts";
import { durableTask, StateFile } from "../support/state-file.ts";

let file: StateFile;

beforeEach(() => {
  file = new StateFile();
});
afterEach(() => file.remove());

const shown = async (exposition: Exposition) =>
  (await exposition.page("classic")).body
    .toString()
    .split("\n")
    .filter((line) => !line.startsWith("#") && line !== "");

test("an observation outlives the process, each target for itself", () => {
  const [one, two] = [durableTask({ version: 1 }, "one"), durableTask({ version: 1 }, "two")];
  const store = file.open();
  expect(store.facts()).toEqual({ isRestored: false, lastWriteAt: undefined, failures: 0, setAside: 0 });
  expect(store.load(one)).toBeUndefined();
  store.save(one, { amount: 2n ** 100n }, 1000);
  store.save(one, { amount: 2n ** 101n }, 2000);
  store.save(two, { amount: 7n }, 3000);
  const later = file.reopen();
  expect(later.load(one)).toEqual({ amount: 2n ** 101n });
  expect(later.load(two)).toEqual({ amount: 7n });
  expect(later.facts()).toEqual({ isRestored: true, lastWriteAt: undefined, failures: 0, setAside: 0 });
});

test("a collector that does not ask for it is not saved", () => {
  const task = fakeTask(async () => 0);
  const store = file.open();
  store.save(task, 5, 1000);
  expect(store.facts().lastWriteAt).toBeUndefined();
  expect(store.load(task)).toBeUndefined();
});

test("the used budget outlives the process", () => {
  file.open().saveBudget("mainnet", { minute: [{ at: 5, priority: 1 }], month: { tokens: 1.5, at: 7 } }, 1000);
  const later = file.reopen();
  expect(later.loadBudget("mainnet")).toEqual({ minute: [{ at: 5, priority: 1 }], month: { tokens: 1.5, at: 7 } });
  expect(later.loadBudget("testnet")).toBeUndefined();
});

test("facts of a network outlive the process", () => {
  const store = file.open();
  expect(store.loadNetwork("mainnet")).toBeUndefined();
  store.saveNetwork("mainnet", { firstBlock: "0x99", supply: 2n ** 70n }, 1000);
  store.saveNetwork("mainnet", { firstBlock: "0x12", supply: 2n ** 71n }, 2000);
  expect(store.facts().lastWriteAt).toBe(2000);
  const later = file.reopen();
  expect(later.loadNetwork("mainnet")).toEqual({ firstBlock: "0x12", supply: 2n ** 71n });
  expect(later.loadNetwork("testnet")).toBeUndefined();
});

test("a second process is refused, and the first one goes on", () => {
  const store = file.open();
  expect(() => file.open()).toThrow(`state file ${file.path}: is in use by another process`);
  expect(() => setAside(file.path, 0, file.log)).toThrow("is in use by another process");
  store.save(durableTask(), 1, 1000);
  expect(store.load(durableTask())).toBe(1);
});

test("a schema that is older is brought up to date with its rows, one that is newer is refused", () => {
  file.open().save(durableTask(), 1, 1000);
  const grown = [...MIGRATIONS, "ALTER TABLE budgets ADD COLUMN note TEXT"];
  expect(file.reopen(grown).load(durableTask())).toBe(1);
  file.close();
  expect(() => file.open()).toThrow(
    "was written by a newer version of stacks-exporter (its schema has version 3, this one knows up to 2)",
  );
});

test("a step that fails leaves the file as it was", () => {
  file.open().save(durableTask(), 1, 1000);
  file.close();
  expect(() => file.open([...MIGRATIONS, "CREATE TABLE more (x)", "NONSENSE"])).toThrow('near "NONSENSE"');
  expect(file.open().load(durableTask())).toBe(1);
});

test("an observation of an older version is upgraded", () => {
  file.open().save(durableTask(), { count: 1 }, 1000);
  const upgrade = (observation: unknown, version: number) => ({ ...(observation as object), from: version });
  expect(file.reopen().load(durableTask({ version: 2, upgrade }))).toEqual({ count: 1, from: 1 });
});

test("an observation of a newer version is refused, and stays where it is: a downgrade by accident loses nothing", () => {
  file.open().save(durableTask({ version: 3 }), { count: 1 }, 1000);
  expect(() => file.reopen().load(durableTask({ version: 2 }))).toThrow(
    `state file ${file.path}: a newer version of stacks-exporter wrote what is saved of mainnet/fake (version 3, this one knows up to 2)`,
  );
  expect(file.reopen().load(durableTask({ version: 3 }))).toEqual({ count: 1 });
  expect(file.lines).toEqual([]);
});

test.each<[string, () => void, string]>([
  ["text", () => writeFileSync(file.path, "no database at all ".repeat(100)), "is not a state file of this program"],
  ["a database of another program", () => file.edit("CREATE TABLE mine (x)"), "is not a state file of this program"],
  [
    "a file cut short",
    () => {
      file.open().save(durableTask(), "x".repeat(100_000), 1000);
      file.close();
      writeFileSync(file.path, readFileSync(file.path).subarray(0, 20_000));
    },
    "is damaged",
  ],
  [
    "bytes overwritten",
    () => {
      file.open().save(durableTask(), "x".repeat(100_000), 1000);
      file.close();
      const bytes = readFileSync(file.path);
      writeFileSync(file.path, bytes.fill(0xaa, 4096, 12_000));
    },
    "is damaged",
  ],
])("%s is refused, and can be put aside", (_, spoil, message) => {
  spoil();
  const before = readFileSync(file.path);
  expect(() => file.open()).toThrow(message);
  const kept = setAside(file.path, Date.UTC(2026, 0, 2, 3, 4, 5), file.log);
  expect(kept).toBe(`${file.path}.2026-01-02T03-04-05-000Z`);
  expect(readFileSync(kept as string)).toEqual(before);
  expect(file.open().facts().isRestored).toBe(false);
});

test("a folder that cannot be made, and a path that is a folder, are refused", () => {
  writeFileSync(join(file.folder, "file"), "");
  file.path = join(file.folder, "file", "state.db");
  expect(() => file.open()).toThrow(/not a directory|file already exists/);
  file.path = file.folder;
  expect(() => file.open()).toThrow("cannot be opened");
});

test("putting aside a file that is not there is nothing, and one that is there keeps its rows", () => {
  expect(setAside(file.path, 0, file.log)).toBeUndefined();
  file.open().save(durableTask(), 1, 1000);
  file.close();
  file.path = setAside(file.path, 0, file.log) as string;
  expect(file.open().load(durableTask())).toBe(1);
  expect(readdirSync(file.folder).length).toBeGreaterThan(0);
});

test("a killed process leaves every poll that it showed, and none half", () => {
  // Closing is what a kill leaves out: the file is copied while it is open.
  const store = file.open();
  for (let poll = 1; poll <= 50; poll += 1) store.save(durableTask(), { poll }, poll);
  for (const suffix of ["", "-wal"]) writeFileSync(`${file.path}.copy${suffix}`, readFileSync(file.path + suffix));
  file.path = `${file.path}.copy`;
  expect(file.open().load(durableTask())).toEqual({ poll: 50 });
});

test("totals are shown at once after a restart, other values when a poll has confirmed them", async () => {
  new State(new Exposition([level, total]), file.open()).succeed(durableTask(), 41, [], 1000);
  const exposition = new Exposition([level, total]);
  const state = new State(exposition, file.reopen());
  state.restore(durableTask());
  expect(await shown(exposition)).toEqual(['stacks_test_total{network="mainnet"} 41']);
  expect(state.of(durableTask()).lastSuccessAt).toBeUndefined();
});

test("a poll that cannot be saved shows nothing of itself", async () => {
  const exposition = new Exposition([level, total]);
  const store = file.open();
  const state = new State(exposition, store);
  const task = durableTask();
  const succeed = (value: number) =>
    state.succeed(task, value, task.collector.samples(value, "mainnet", task.target), 9);
  succeed(1);
  file.close();
  expect(() => succeed(2)).toThrow(`state file ${file.path}:`);
  expect(state.of(task).observation).toBe(1);
  expect((await shown(exposition)).at(-1)).toBe('stacks_test_total{network="mainnet"} 1');
  expect(store.facts().failures).toBe(1);
});

test("an observation whose samples are refused is not kept", () => {
  const store = file.open();
  const state = new State(new Exposition([level, total]), store);
  const task = durableTask();
  const invalid = (value: number) => () => state.succeed(task, value, [total.at({ network: "n" }, -1)], 9);
  expect(invalid(2)).toThrow("a counter cannot be -1");
  expect(store.load(task)).toBeUndefined();
  state.succeed(task, 1, [], 9);
  expect(invalid(2)).toThrow("a counter cannot be -1");
  expect(store.load(task)).toBe(1);
});
