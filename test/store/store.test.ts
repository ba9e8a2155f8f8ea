// The state file, with the real SQLite.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { BOTTOM, type Ledger, ledgerFrom } from "../../src/ledger/ledger.ts";
import { MEMORY, renameFile } from "../../src/store/open.ts";
import { shardOf } from "../../src/store/shard.ts";
import { Store } from "../../src/store/store.ts";
import { keyOf, save, TestStateFile } from "../support/state-file.ts";

let file: TestStateFile;
const [umask, cwd] = [process.umask(), process.cwd()];

beforeEach(() => {
  file = new TestStateFile();
});
afterEach(() => {
  process.umask(umask);
  process.chdir(cwd);
  file.remove();
});

const valuesOf = (store: Store, key = keyOf()) => store.load(key)?.values;

test("the values of each target are kept across restarts", () => {
  const [one, two] = [keyOf("one"), keyOf("two")];
  const store = file.open();
  expect(store.load(one)).toBeUndefined();
  save(store, { amount: 2n ** 100n }, one);
  save(store, { amount: 2n ** 101n }, one);
  save(store, { amount: 7n }, two);
  const later = file.reopen();
  expect(valuesOf(later, one)).toEqual({ amount: 2n ** 101n });
  expect(valuesOf(later, two)).toEqual({ amount: 7n });
});

test("a target without its newest values in the file is not known until they are written", () => {
  const store = file.open();
  const known = () => [...store.successes("mainnet").values()];
  for (const at of [1, 2]) {
    store.keepLast(keyOf(), at, "1");
    expect(known()).toEqual([]);
    store.saveBudget("budget", { minute: [] });
    expect(known()).toEqual([at]);
  }
});

const row = (id: string, height: number, isOld = false) => ({
  ...{ id, height, index: 3, hash: `0x${id}` },
  ...(isOld ? { isOld } : {}),
});

test("the rows and the cursor of a list are kept across restarts, and only what differs is written", () => {
  const [a, b, c] = [row("a", 1, true), row("b", 2), row("c", 3)];
  const first: Ledger = { ...ledgerFrom(BOTTOM), recent: [a, b], next: { height: 4, index: 1 }, operation: "list" };
  const store = file.open();
  const put = (ledger: Ledger, before = store.load(keyOf())) => store.commit(keyOf(), before, { values: 1, ledger });
  put(first);
  expect(store.load(keyOf())?.ledger).toEqual(first);
  const second = {
    ...ledgerFrom({ height: 1, index: 3 }),
    recent: [a, c],
    doubtful: [b],
    place: { below: 1, total: 2 },
    isFar: true,
  };
  put(second);
  expect(file.reopen().load(keyOf())?.ledger).toEqual(second);
});

test("a row that is counted already is refused, with all that its poll adds", () => {
  const store = file.open();
  const one = { values: 1, ledger: { ...ledgerFrom(BOTTOM), recent: [row("a", 1)] } };
  store.commit(keyOf(), undefined, one);
  const counters = [{ family: "f", labels: "", value: 1n }];
  const twice = { ...one, ledger: { ...one.ledger, recent: [...one.ledger.recent, row("a", 2)] } };
  const commit = () => store.commit(keyOf(), one, twice, { counters, places: [] });
  expect(commit).toThrow(/UNIQUE constraint failed: rows/);
  expect(store.totals(keyOf()).counters).toEqual([]);
  expect(store.load(keyOf())?.ledger?.recent).toEqual(one.ledger.recent);
  store.commit(keyOf(), one, { ...one, values: 2 });
  expect(valuesOf(store)).toBe(2);
});

test("a counter has all digits of 2^128, and can be deleted", () => {
  const store = file.open();
  const counters = [
    { family: "f", labels: "a\tb", value: 2n ** 128n },
    { family: "g", labels: "", value: -1n },
  ];
  const places = [{ name: "n", value: "a", day: 7 }];
  store.commit(keyOf(), undefined, { values: 1, ledger: undefined }, { counters, places }, keyOf("group g"));
  const later = file.reopen();
  expect(later.totals(keyOf("group g"))).toEqual({ counters, places });
  later.commit(
    keyOf(),
    undefined,
    { values: 2, ledger: undefined },
    {
      counters: [{ family: "f", labels: "a\tb", value: undefined }],
      places: [{ name: "n", value: "a", day: undefined }],
    },
    keyOf("group g"),
  );
  expect(later.totals(keyOf("group g"))).toEqual({ counters: counters.slice(1), places: [] });
});

test("a target can be forgotten: its counters stay", () => {
  const store = file.open();
  const counters = [{ family: "f", labels: "", value: 1n }];
  const ledger = { ...ledgerFrom(BOTTOM), recent: [row("a", 1)] };
  store.commit(keyOf(), undefined, { values: 1, ledger }, { counters, places: [] });
  store.forget(keyOf());
  expect(store.load(keyOf())).toBeUndefined();
  expect(store.totals(keyOf()).counters).toEqual(counters);
  store.commit(keyOf(), undefined, { values: 1, ledger });
  expect(store.load(keyOf())?.ledger).toEqual(ledger);
});

test("the used budget is kept across restarts", () => {
  const record = { minute: [{ at: 5, priority: 1 }], month: { tokens: 1.5, at: 7 } };
  file.open().saveBudget("mainnet/a", record);
  const later = file.reopen();
  expect(later.budgets().get("mainnet/a")).toEqual(record);
  expect(later.budgets().get("testnet/a")).toBeUndefined();
  expect([...later.budgets()]).toEqual([["mainnet/a", record]]);
});

test("the chain of a network is kept across restarts", () => {
  const store = file.open();
  expect(store.loadNetwork("mainnet")).toBeUndefined();
  store.saveNetwork("mainnet", "0x99");
  store.saveNetwork("mainnet", "0x12");
  store.saveBudget("mainnet/a", { minute: [] });
  const later = file.reopen();
  expect(later.loadNetwork("mainnet")).toBe("0x12");
  expect(later.loadNetwork("testnet")).toBeUndefined();
});

test("a shard deletes the targets of other shards, and keeps those of the chain and of groups", () => {
  const keys = ["", "a", "b", "c", "d", "group b"].map((target) => keyOf(target));
  const before = file.open();
  const changes = { counters: [{ family: "f", labels: "", value: 5n }], places: [] };
  for (const key of keys) before.commit(key, undefined, { values: 1, ledger: undefined }, changes);
  const shard = { index: 1, count: 2 };
  const own = keys.filter(([, , target]) => /^$|^group/.test(target) || shardOf(target, 2) === 1);
  expect(own.length).toBeGreaterThan(2);
  expect(own.length).toBeLessThan(keys.length);

  expect(file.reopen().keepOnly(shard)).toBe(keys.length - own.length);
  const later = file.reopen();
  expect(keys.filter((key) => later.load(key) !== undefined)).toEqual(own);
  expect(keys.filter((key) => later.totals(key).counters.length > 0)).toEqual(own);
});

test("a shard writes nothing to its own file: the disk can be full", () => {
  save(file.open(), 1, keyOf("a"));
  file.close();
  const before = readFileSync(file.path);

  const later = file.open();
  expect(later.keepOnly({ index: shardOf("a", 2), count: 2 })).toBe(0);
  expect(statSync(`${file.path}-wal`).size).toBe(0);
  file.close();
  expect(readFileSync(file.path)).toEqual(before);
});

test("a second process is refused, and the first one continues", () => {
  const store = file.open();
  expect(() => file.open()).toThrow(new Error(`state file ${file.path}: is in use by another process`));
  expect(() => renameFile(file.path, 0)).toThrow("is in use by another process");
  save(store, 1);
  expect(valuesOf(store)).toBe(1);
});

test("a used budget that cannot be written is not forgotten", () => {
  const store = file.open();
  const record = { minute: [{ at: 5, priority: 1 }], month: { tokens: 1.5, at: 7 } };
  file.close();

  expect(() => store.saveBudget("mainnet/a", record)).toThrow(`state file ${file.path}:`);
  expect(store.budgets().get("mainnet/a")).toEqual(record);
});

test("a store in memory makes no file", () => {
  process.chdir(file.folder);
  new Store(MEMORY).close();
  expect(readdirSync(file.folder)).toEqual([]);
});

test("what is not a regular file is refused", () => {
  const path = join(file.folder, "fifo");
  expect(spawnSync("mkfifo", [path]).status).toBe(0);
  file.path = path;

  expect(() => file.open()).toThrow(`state file ${path}: is not a regular file`);
});

// A file of an earlier format.
const BEFORE = `
  CREATE TABLE observations (network TEXT NOT NULL, collector TEXT NOT NULL, target TEXT NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (network, collector, target));
  INSERT INTO observations VALUES ('mainnet', 'fake', '', '{"count":1}');
  PRAGMA application_id = ${0x53545845};`;

test.each([
  ["of before the first release", 3, "a version before the first release (its format is 3; this one reads 6)"],
  ["of a newer version", 7, "a newer version of stacks-exporter (its format is 7; this one reads 6)"],
])("a file %s is refused, untouched, and can be renamed", (_, format, message) => {
  file.edit(`${BEFORE} PRAGMA user_version = ${format}; PRAGMA journal_mode = WAL`);
  const before = readFileSync(file.path);

  expect(() => file.open()).toThrow(`state file ${file.path}: was written by ${message}`);

  expect(readFileSync(file.path)).toEqual(before);
  expect(readdirSync(file.folder)).toEqual(["state.db"]);
  const kept = renameFile(file.path, 0) as string;
  expect(readFileSync(kept)).toEqual(before);
});

test("a database of another program is refused, and can be renamed", () => {
  file.edit("CREATE TABLE mine (x)");
  const before = readFileSync(file.path);
  expect(() => file.open()).toThrow("is a database of another program");
  expect(readFileSync(renameFile(file.path, 0) as string)).toEqual(before);
});

test("a folder that cannot be created, and a path that is a folder, are refused, and are no damage", () => {
  writeFileSync(join(file.folder, "file"), "");
  file.path = join(file.folder, "file", "state.db");
  expect(() => file.open()).toThrow(/not a directory|file already exists/);
  file.path = file.folder;
  expect(() => file.open()).toThrow(/is not a regular file|unable to open/);
  expect(() => file.open()).toThrow(expect.objectContaining({ isDamage: false, isInUse: false }));
});

test.each([0o022, 0o000])("with umask %o, new files and folders are for the owner only", (mask) => {
  process.umask(mask);
  const modeOf = (...path: string[]) => (statSync(join(file.folder, ...path)).mode & 0o777).toString(8);
  const before = modeOf();
  file.path = join(file.folder, "of", "ours", "state.db");
  save(file.open(), 1);
  const names = readdirSync(join(file.folder, "of", "ours"));
  expect(names.map((name) => [name, modeOf("of", "ours", name)])).toEqual([
    ["state.db", "600"],
    ["state.db-wal", "600"],
  ]);
  expect([modeOf("of"), modeOf("of", "ours"), modeOf()]).toEqual(["700", "700", before]);
});

test("renaming keeps the rows, and does nothing without a file", () => {
  expect(renameFile(file.path, 0)).toBeUndefined();
  save(file.open(), 1);
  file.close();
  file.path = renameFile(file.path, 0) as string;
  expect(valuesOf(file.open())).toBe(1);
  expect(readdirSync(file.folder).length).toBeGreaterThan(0);
});

test("after a kill, the file has every poll that was exposed, and none in part", () => {
  // A killed process does not close the file, so it is copied while it is open.
  const store = file.open();
  for (let poll = 1; poll <= 50; poll += 1) save(store, { poll });
  for (const suffix of ["", "-wal"]) writeFileSync(`${file.path}.copy${suffix}`, readFileSync(file.path + suffix));
  file.path = `${file.path}.copy`;
  expect(valuesOf(file.open())).toEqual({ poll: 50 });
});
