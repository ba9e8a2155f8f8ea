// Damaged rows of the state file: each is set aside and logged, and all others stay in use.
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Durable } from "../../src/collectors/collector.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { encode } from "../../src/storage/codec.ts";
import { MIGRATIONS } from "../../src/storage/open.ts";
import { State } from "../../src/storage/state.ts";
import { StateFileError } from "../../src/storage/state-file-error.ts";
import { level, total } from "../support/fake-task.ts";
import { durableTask, TestStateFile } from "../support/state-file.ts";

let file: TestStateFile;

beforeEach(() => {
  file = new TestStateFile();
  file.now = 7000;
});
afterEach(() => file.remove());

const task = (key: string, durable: Durable = { version: 1 }) => ({
  ...durableTask(durable, key),
  target: { key, watched: { principal: key, name: `name of ${key}`, group: "", labels: {} } },
});

/** A file with an observation of each target. */
function saved(...keys: readonly string[]): void {
  const stateFile = file.open();
  for (const [count, key] of keys.entries()) stateFile.save(task(key), encode({ key, count: BigInt(count) }), 1000);
  file.close();
}

const again = "a saved row cannot be used and is set aside: counting of this target starts again";
const line = (target: string, reason: unknown) => ({
  msg: again,
  network: "mainnet",
  collector: "fake",
  target,
  name: `name of ${target}`,
  reason,
});

test.each([
  ["a byte of the body", `body = replace(body, '"0"', '"8"')`],
  ["the checksum", "checksum = checksum + 1"],
  ["the version", "version = 900000000000000000"],
  ["a truncated body", "body = substr(body, 1, 9)"],
  ["a body that is not text", "body = x'ff00'"],
  ["a missing checksum", "checksum = NULL"],
  ["a checksum beyond safe integers", "checksum = 9223372036854775807"],
])("damaged: %s; the row is kept, the others are read", (_, change) => {
  saved("one", "two");
  file.edit(`UPDATE observations SET ${change} WHERE target = 'one'`);
  const [before] = file.rows("SELECT *, hex(body) AS bytes FROM observations WHERE target = 'one'");
  const stateFile = file.open();
  expect(stateFile.load(task("one"))).toBeUndefined();
  expect(stateFile.load(task("two"))).toEqual({ key: "two", count: 1n });
  expect(file.lines).toEqual([line("one", "its checksum is wrong")]);
  expect(stateFile.facts()).toMatchObject({ setAside: 1, lastSetAsideAt: 7000 });
  // It is logged and moved once. Then counting continues.
  expect(stateFile.load(task("one"))).toBeUndefined();
  stateFile.save(task("one"), encode({ key: "one", count: 0n }), 8000);
  expect(file.reopen().load(task("one"))).toEqual({ key: "one", count: 0n });
  expect(file.lines).toEqual([]);
  file.close();
  const kept = file.rows("SELECT *, hex(body) AS bytes FROM set_aside");
  expect(kept).toEqual([{ ...before, id: 1, at: 7000, reason: "its checksum is wrong", source: "observations" }]);
});

// Recomputes the checksum: the row looks as if it was written with this content.
const rechecked = "checksum('observations', network, collector, target, version, saved_at, body)";

test("a truncated body with a matching checksum is set aside", () => {
  saved("one", "two");
  const cut = "UPDATE observations SET body = substr(body, 1, 9) WHERE target = 'one'";
  const stateFile = file.open([...MIGRATIONS, `${cut}; UPDATE observations SET checksum = ${rechecked}`]);
  expect(stateFile.load(task("one"))).toBeUndefined();
  expect(stateFile.load(task("two"))).toEqual({ key: "two", count: 1n });
  expect(file.lines).toEqual([line("one", expect.stringMatching(/JSON/))]);
});

test("an observation that a collector cannot upgrade is set aside with its error", () => {
  saved("one", "two", "three");
  const upgrade = () => {
    throw new Error("it has no cursor");
  };
  const stateFile = file.open();
  expect(stateFile.load(task("one", { version: 2, upgrade }))).toBeUndefined();
  expect(stateFile.load(task("two", { version: 2 }))).toBeUndefined();
  expect(stateFile.load(task("three", { version: 2, upgrade: (observation) => observation }))).toMatchObject({
    count: 2n,
  });
  expect(file.lines).toEqual([
    line("one", "it has no cursor"),
    line("two", "it has version 1, which cannot be upgraded"),
  ]);
});

test("a row that was set aside can be put back as described in docs/state.md", () => {
  saved("one");
  file.open().load(task("one", { version: 2 }));
  file.close();
  const page = readFileSync(new URL("../../docs/state.md", import.meta.url), "utf8");
  const [, statements = ""] = /```sql\n(\s*INSERT OR REPLACE INTO observations[^`]*)```/.exec(page) ?? [];
  file.edit(statements);
  const stateFile = file.open();
  expect(stateFile.load(task("one"))).toEqual({ key: "one", count: 0n });
  expect(stateFile.facts()).toMatchObject({ setAside: 0 });
});

test("an observation that cannot be exposed is set aside, and the start continues", async () => {
  const stateFile = file.open();
  const [good, bad] = [task("good"), task("bad")];
  stateFile.save(good, encode(41), 1000);
  stateFile.save(bad, encode(-1), 1000);
  const exposition = new Exposition([level, total]);
  const state = new State(exposition, file.reopen());
  for (const one of [bad, good]) state.restore(one);
  expect(state.observationOf(bad)).toBeUndefined();
  expect(state.observationOf(good)).toBe(41);
  expect(exposition.page("classic").toString()).toMatch(/^stacks_test_total\{network="mainnet"\} 41$/m);
  expect(file.lines).toEqual([line("bad", expect.stringContaining("a counter cannot be -1"))]);
});

test.each<[string, string]>([
  ["its checksum is wrong", "UPDATE budgets SET body = replace(body, '5', '6')"],
  ["its checksum is wrong", "UPDATE budgets SET network = 'mainnat' WHERE network = 'mainnet'"],
])("a damaged budget is set aside (%s: %s), and that of another network is read", (reason, sql) => {
  const stateFile = file.open();
  for (const network of ["mainnet", "testnet"])
    stateFile.saveBudget(network, { minute: [{ at: 5, priority: 1 }] }, 1000);
  file.close();
  file.edit(`${sql}; UPDATE budgets SET body = replace(body, '6', '5') WHERE network = 'testnet'`);
  const after = file.open();
  expect(after.loadBudget("mainnet")).toBeUndefined();
  expect(after.loadBudget("testnet")).toEqual({ minute: [{ at: 5, priority: 1 }] });
  expect(file.lines).toMatchObject([{ network: expect.stringMatching(/^mainn[ea]t$/), reason }]);
  expect(file.lines[0]?.msg).toContain("the request budget of this upstream starts as if no request was made");
  expect(after.facts().setAside).toBe(1);
});

test("a budget of another shape is set aside", () => {
  const stateFile = file.open();
  stateFile.saveBudget("mainnet", { minute: 5 } as never, 1000);
  expect(file.reopen().loadBudget("mainnet")).toBeUndefined();
  expect(file.lines).toHaveLength(1);
  file.close();
  expect(file.rows("SELECT source, network, body FROM set_aside")).toEqual([
    { source: "budgets", network: "mainnet", body: '{"minute":5}' },
  ]);
});

test("damaged facts of a network are set aside", () => {
  file.open().saveNetwork("mainnet", { firstBlock: "0x12" }, 1000);
  file.close();
  file.edit("UPDATE networks SET body = replace(body, '0x12', '0x13')");
  expect(file.open().loadNetwork("mainnet")).toBeUndefined();
  expect(file.lines).toMatchObject([{ network: "mainnet", reason: "its checksum is wrong" }]);
});

test("when 1 of 10,000 rows is damaged, 9,999 are restored", () => {
  file.open();
  file.close();
  // Inserted as a migration: ten thousand commits would take long, and nothing here depends on them.
  const rows = `WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
    INSERT INTO observations SELECT 'mainnet', 'fake', 'target-' || i, 1, 5, '{"count":' || i || '}', NULL FROM n;
    UPDATE observations SET checksum = ${rechecked}`;
  file.open([...MIGRATIONS, rows]);
  file.close();
  file.edit(`UPDATE observations SET body = '{"count":1}' WHERE target = 'target-7777'; PRAGMA user_version = 2`);
  const after = file.open();
  let read = 0;
  for (let i = 0; i < 10_000; i += 1) if (after.load(task(`target-${i}`)) !== undefined) read += 1;
  expect(read).toBe(9999);
  expect(file.lines).toEqual([line("target-7777", "its checksum is wrong")]);
});

test("a row that cannot be set aside is not lost: the start fails", () => {
  saved("one");
  file.edit("UPDATE observations SET checksum = 1; DROP TABLE set_aside; CREATE TABLE set_aside (at)");
  const stateFile = file.open();
  expect(() => stateFile.load(task("one"))).toThrow(StateFileError);
  expect(stateFile.facts()).toMatchObject({ failures: 1, setAside: 0 });
  file.close();
  expect(file.rows("SELECT count(*) AS n FROM observations")).toEqual([{ n: 1 }]);
});

// The key of a row is in the file three times: in its row, in the body that this test saves, and in the index.
test("a row with a damaged key is logged, although no target reads it", () => {
  saved("target-one", "target-two");
  file.overwrite("target-two", "target-too", 1);
  const stateFile = file.open();
  const message = "a saved row is damaged and is set aside, its key may be wrong: counting of this target starts again";
  const fields = { network: "mainnet", collector: "fake", target: "target-too" };
  expect(file.lines).toEqual([{ msg: message, ...fields, reason: "its checksum is wrong" }]);
  expect(stateFile.load(task("target-two"))).toBeUndefined();
  expect(stateFile.load(task("target-one"))).toMatchObject({ count: 0n });
  expect(stateFile.facts().setAside).toBe(1);
});

test("a damaged index is rebuilt: every row is found", () => {
  saved("target-one", "target-two");
  file.overwrite("target-two", "target-too", 3);
  const stateFile = file.open();
  expect(stateFile.load(task("target-two"))).toMatchObject({ count: 1n });
  expect(stateFile.load(task("target-one"))).toMatchObject({ count: 0n });
  expect(file.lines).toEqual([]);
  stateFile.save(task("target-two"), encode({ count: 2n }), 8000);
  expect(file.reopen().load(task("target-two"))).toEqual({ count: 2n });
});

test("no byte of a row can change without a warning or an error", () => {
  const names = ["target-one", "target-two", "target-three"];
  saved(...names);
  const intact = readFileSync(file.path);
  // The places of the row, of its header and of its entry in the index.
  const places: number[] = [];
  for (let at = intact.indexOf("target-two"); at >= 0; at = intact.indexOf("target-two", at + 1)) places.push(at);
  expect(places.length).toBe(3);
  const bytes = new Set(places.flatMap((place) => Array.from({ length: 60 }, (_, index) => place - 30 + index)));
  const seen = { refused: 0, setAside: 0, unnoticed: 0 };
  for (const at of bytes) {
    const damaged = Buffer.from(intact);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    writeFileSync(file.path, damaged);
    try {
      const stateFile = file.open();
      for (const [count, name] of names.entries()) {
        const observation = stateFile.load(task(name));
        if (observation === undefined) expect(file.lines.length).toBeGreaterThan(0);
        else expect(observation).toEqual({ key: name, count: BigInt(count) });
      }
      seen[file.lines.length > 0 ? "setAside" : "unnoticed"] += 1;
    } catch (error) {
      if (!(error instanceof StateFileError)) throw error;
      seen.refused += 1;
    }
    file.close();
  }
  // Most bytes are covered by the checksum. Some belong to the structure of the file, which is refused as a whole.
  expect(seen.setAside).toBeGreaterThan(seen.refused);
});
