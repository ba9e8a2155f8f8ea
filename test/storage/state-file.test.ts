// The state file, with the real SQLite.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/task.ts";
import { encode } from "../../src/storage/codec.ts";
import { MIGRATIONS, renameFile } from "../../src/storage/open.ts";
import { shardOf } from "../../src/storage/shard.ts";
import { fakeTask } from "../support/fake-task.ts";
import { durableTask, TestStateFile } from "../support/state-file.ts";

let file: TestStateFile;

beforeEach(() => {
  file = new TestStateFile();
});
afterEach(() => file.remove());

const taskOf = (network: string, key: string): Task => ({ ...durableTask(undefined, key), network });

test("the observation of each target is kept across restarts", () => {
  const [one, two] = [durableTask({ version: 1 }, "one"), durableTask({ version: 1 }, "two")];
  const stateFile = file.open();
  expect(stateFile.facts()).toEqual({ isRestored: false, lastWriteAt: undefined, failures: 0, setAside: 0 });
  expect(stateFile.load(one)).toBeUndefined();
  stateFile.save(one, encode({ amount: 2n ** 100n }), 1000);
  stateFile.save(one, encode({ amount: 2n ** 101n }), 2000);
  stateFile.save(two, encode({ amount: 7n }), 3000);
  const later = file.reopen();
  expect(later.load(one)).toEqual({ amount: 2n ** 101n });
  expect(later.load(two)).toEqual({ amount: 7n });
  expect(later.facts()).toEqual({ isRestored: true, lastWriteAt: undefined, failures: 0, setAside: 0 });
});

test("an observation of a collector that is not durable is not saved", () => {
  const task = fakeTask(async () => 0);
  const stateFile = file.open();
  stateFile.save(task, encode(5), 1000);
  expect(stateFile.facts().lastWriteAt).toBeUndefined();
  expect(stateFile.load(task)).toBeUndefined();
});

test("the used budget is kept across restarts", () => {
  file.open().saveBudget("mainnet", { minute: [{ at: 5, priority: 1 }], month: { tokens: 1.5, at: 7 } }, 1000);
  const later = file.reopen();
  expect(later.loadBudget("mainnet")).toEqual({ minute: [{ at: 5, priority: 1 }], month: { tokens: 1.5, at: 7 } });
  expect(later.loadBudget("testnet")).toBeUndefined();
});

test("facts of a network are kept across restarts", () => {
  const stateFile = file.open();
  expect(stateFile.loadNetwork("mainnet")).toBeUndefined();
  stateFile.saveNetwork("mainnet", { firstBlock: "0x99", supply: 2n ** 70n }, 1000);
  stateFile.saveNetwork("mainnet", { firstBlock: "0x12", supply: 2n ** 71n }, 2000);
  expect(stateFile.facts().lastWriteAt).toBe(2000);
  const later = file.reopen();
  expect(later.loadNetwork("mainnet")).toEqual({ firstBlock: "0x12", supply: 2n ** 71n });
  expect(later.loadNetwork("testnet")).toBeUndefined();
});

test("a shard deletes the observations of other shards, and keeps those of the chain and the sums of groups", () => {
  const tasks = ["", "a", "b", "c", "d"].map((key) => durableTask({ version: 1 }, key));
  const total = { of: { network: "mainnet", collector: "fake", group: "b" }, body: { sent: 5n } };
  const before = file.open();
  for (const task of tasks) before.save(task, encode(1), 1000, total);
  const shard = { index: 1, count: 2 };
  const own = tasks.filter(({ target }) => target.key === "" || shardOf(target.key, 2) === 1);
  expect(own.length).toBeGreaterThan(1);

  expect(file.reopen().keepOnly(shard, 2000)).toBe(tasks.length - own.length);
  const later = file.reopen();
  expect(tasks.filter((task) => later.load(task) !== undefined)).toEqual(own);
  expect(later.loadTotal(total.of)).toEqual(total.body);
});

test("a shard writes nothing to its own file: the disk can be full", () => {
  const task = durableTask({ version: 1 }, "a");
  file.open().save(task, encode(1), 1000);
  file.close();
  const before = readFileSync(file.path);

  const later = file.open();
  expect(later.keepOnly({ index: shardOf("a", 2), count: 2 }, 2000)).toBe(0);
  expect(later.facts().lastWriteAt).toBeUndefined();
  expect(statSync(`${file.path}-wal`).size).toBe(0);
  file.close();
  expect(readFileSync(file.path)).toEqual(before);
});

test("a second process is refused, and the first one continues", () => {
  const stateFile = file.open();
  expect(() => file.open()).toThrow(`state file ${file.path}: is in use by another process`);
  expect(() => renameFile(file.path, 0, file.log)).toThrow("is in use by another process");
  stateFile.save(durableTask(), encode(1), 1000);
  expect(stateFile.load(durableTask())).toBe(1);
});

test("an older schema is upgraded with its rows, a newer one is refused", () => {
  file.open().save(durableTask(), encode(1), 1000);
  const grown = [...MIGRATIONS, "ALTER TABLE budgets ADD COLUMN note TEXT"];
  expect(file.reopen(grown).load(durableTask())).toBe(1);
  file.close();
  expect(() => file.open()).toThrow(
    "was written by a newer version of stacks-exporter (its schema has version 3; this one supports up to 2)",
  );
});

test("a failed migration leaves the file unchanged", () => {
  file.open().save(durableTask(), encode(1), 1000);
  file.close();
  expect(() => file.open([...MIGRATIONS, "CREATE TABLE more (x)", "NONSENSE"])).toThrow('near "NONSENSE"');
  expect(file.open().load(durableTask())).toBe(1);
});

test("an observation of an older version is upgraded", () => {
  file.open().save(durableTask(), encode({ count: 1 }), 1000);
  const upgrade = (observation: unknown, version: number) => ({ ...(observation as object), from: version });
  expect(file.reopen().load(durableTask({ version: 2, upgrade }))).toEqual({ count: 1, from: 1 });
});

test("an observation of a newer version is refused and kept: an accidental downgrade loses nothing", () => {
  file.open().save(durableTask({ version: 3 }), encode({ count: 1 }), 1000);
  expect(() => file.reopen().load(durableTask({ version: 2 }))).toThrow(
    `state file ${file.path}: a newer version of stacks-exporter wrote the state of mainnet/fake (version 3; this one ` +
      "supports up to 2)",
  );
  expect(file.reopen().load(durableTask({ version: 3 }))).toEqual({ count: 1 });
  expect(file.lines).toEqual([]);
});

test.each<[string, () => void, string]>([
  ["text", () => writeFileSync(file.path, "not a database at all ".repeat(100)), "is not a state file of this program"],
  ["a database of another program", () => file.edit("CREATE TABLE mine (x)"), "is not a state file of this program"],
  [
    "a truncated file",
    () => {
      file.open().save(durableTask(), encode("x".repeat(100_000)), 1000);
      file.close();
      writeFileSync(file.path, readFileSync(file.path).subarray(0, 20_000));
    },
    "is damaged",
  ],
  [
    "overwritten bytes",
    () => {
      file.open().save(durableTask(), encode("x".repeat(100_000)), 1000);
      file.close();
      const bytes = readFileSync(file.path);
      writeFileSync(file.path, bytes.fill(0xaa, 4096, 12_000));
    },
    "is damaged",
  ],
])("%s is refused, and can be renamed", (_, corrupt, message) => {
  corrupt();
  const before = readFileSync(file.path);
  expect(() => file.open()).toThrow(message);
  const kept = renameFile(file.path, Date.UTC(2026, 0, 2, 3, 4, 5), file.log);
  expect(kept).toBe(`${file.path}.2026-01-02T03-04-05-000Z`);
  expect(readFileSync(kept as string)).toEqual(before);
  expect(file.open().facts().isRestored).toBe(false);
});

test("a folder that cannot be created, and a path that is a folder, are refused", () => {
  writeFileSync(join(file.folder, "file"), "");
  file.path = join(file.folder, "file", "state.db");
  expect(() => file.open()).toThrow(/not a directory|file already exists/);
  file.path = file.folder;
  expect(() => file.open()).toThrow("cannot be opened");
});

test("renaming keeps the rows, and does nothing without a file", () => {
  expect(renameFile(file.path, 0, file.log)).toBeUndefined();
  file.open().save(durableTask(), encode(1), 1000);
  file.close();
  file.path = renameFile(file.path, 0, file.log) as string;
  expect(file.open().load(durableTask())).toBe(1);
  expect(readdirSync(file.folder).length).toBeGreaterThan(0);
});

test("after a kill, the file has every poll that was exposed, and none in part", () => {
  // A killed process does not close the file, so it is copied while it is open.
  const stateFile = file.open();
  for (let poll = 1; poll <= 50; poll += 1) stateFile.save(durableTask(), encode({ poll }), poll);
  for (const suffix of ["", "-wal"]) writeFileSync(`${file.path}.copy${suffix}`, readFileSync(file.path + suffix));
  file.path = `${file.path}.copy`;
  expect(file.open().load(durableTask())).toEqual({ poll: 50 });
});

test("the observations of one network can be deleted; those of others, and the facts, stay", () => {
  const stateFile = file.open();
  for (const [network, key] of [
    ["a", "one"],
    ["a", "two"],
    ["b", "one"],
  ] as const) {
    stateFile.save(taskOf(network, key), encode({ key }), 1000);
  }
  stateFile.saveNetwork("a", { firstBlock: "0x01" }, 1000);

  stateFile.deleteNetwork("a", 5000);
  expect(stateFile.facts().lastWriteAt).toBe(5000);
  const later = file.reopen();

  expect(later.load(taskOf("a", "one"))).toBeUndefined();
  expect(later.load(taskOf("a", "two"))).toBeUndefined();
  expect(later.load(taskOf("b", "one"))).toEqual({ key: "one" });
  expect(later.loadNetwork("a")).toEqual({ firstBlock: "0x01" });
});
