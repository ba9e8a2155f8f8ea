// The state file, with the real SQLite.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/task.ts";
import { encode } from "../../src/storage/codec.ts";
import { renameFile } from "../../src/storage/open.ts";
import { shardOf } from "../../src/storage/shard.ts";
import { fakeTask } from "../support/fake-task.ts";
import { durableTask, TestStateFile } from "../support/state-file.ts";

let file: TestStateFile;

beforeEach(() => {
  file = new TestStateFile();
});
afterEach(() => file.remove());

const taskOf = (network: string, key: string): Task => ({ ...durableTask(key), network });

test("the observation of each target is kept across restarts", () => {
  const [one, two] = [durableTask("one"), durableTask("two")];
  const stateFile = file.open();
  expect(stateFile.facts()).toEqual({ isRestored: false, lastWriteAt: undefined, failures: 0 });
  expect(stateFile.load(one)).toBeUndefined();
  stateFile.save(one, encode({ amount: 2n ** 100n }), 1000);
  stateFile.save(one, encode({ amount: 2n ** 101n }), 2000);
  stateFile.save(two, encode({ amount: 7n }), 3000);
  const later = file.reopen();
  expect(later.load(one)).toEqual({ amount: 2n ** 101n });
  expect(later.load(two)).toEqual({ amount: 7n });
  expect(later.facts()).toEqual({ isRestored: true, lastWriteAt: undefined, failures: 0 });
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
  const tasks = ["", "a", "b", "c", "d"].map((key) => durableTask(key));
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
  const task = durableTask("a");
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

// A file of the last version before the present format.
const BEFORE = `
  CREATE TABLE observations (network TEXT NOT NULL, collector TEXT NOT NULL, target TEXT NOT NULL,
    version INTEGER NOT NULL, saved_at INTEGER NOT NULL, body TEXT NOT NULL, checksum INTEGER,
    PRIMARY KEY (network, collector, target));
  INSERT INTO observations VALUES ('mainnet', 'fake', '', 1, 5, '{"count":1}', 1);
  PRAGMA application_id = ${0x53545845};`;

test.each([
  ["of before the first release", 2, "a version before the first release (its format is 2; this one reads 3)"],
  ["of a newer version", 4, "a newer version of stacks-exporter (its format is 4; this one reads 3)"],
])("a file %s is refused, untouched, and can be renamed", (_, format, message) => {
  file.edit(`${BEFORE} PRAGMA user_version = ${format}; PRAGMA journal_mode = WAL`);
  const before = readFileSync(file.path);

  expect(() => file.open()).toThrow(`state file ${file.path}: was written by ${message}`);

  expect(readFileSync(file.path)).toEqual(before);
  expect(readdirSync(file.folder)).toEqual(["state.db"]);
  const kept = renameFile(file.path, 0, file.log) as string;
  expect(readFileSync(kept)).toEqual(before);
  expect(file.open().facts().isRestored).toBe(false);
});

test("a database of another program is refused, and can be renamed", () => {
  file.edit("CREATE TABLE mine (x)");
  const before = readFileSync(file.path);
  expect(() => file.open()).toThrow("is a database of another program");
  expect(readFileSync(renameFile(file.path, 0, file.log) as string)).toEqual(before);
});

test("all used budgets can be read", () => {
  file.open().saveBudget("mainnet/a", { minute: [{ at: 5, priority: 1 }] }, 1000);
  expect([...file.reopen().budgets()]).toEqual([["mainnet/a", { minute: [{ at: 5, priority: 1 }] }]]);
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
