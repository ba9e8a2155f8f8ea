// A damaged state file: nothing is counted, and gauges go on.
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { Exposition } from "../../src/exposition/exposition.ts";
import { renameFile, StateFileError } from "../../src/store/open.ts";
import { State } from "../../src/store/state.ts";
import { fakeTask, level, total } from "../support/fake-task.ts";
import { countedAfter, durableTask, keyOf, save, TestStateFile } from "../support/state-file.ts";

let file: TestStateFile;

beforeEach(() => {
  file = new TestStateFile();
  const stateFile = file.open();
  for (const [count, key] of ["target-one", "target-two"].entries()) save(stateFile, count, keyOf(key));
  save(stateFile, "x".repeat(100_000), keyOf("long"));
  stateFile.saveNetwork("mainnet", "0x12");
  stateFile.saveBudget("mainnet/hiro", { minute: [{ at: 5, priority: 1 }] });
  file.close();
});
afterEach(() => file.remove());

function damageOf(work: () => unknown): StateFileError {
  try {
    work();
  } catch (error) {
    if (error instanceof StateFileError && error.isDamage) return error;
    throw error;
  }
  throw new Error("no damage");
}

const WAY_OUT = /restore a copy of the file, or start once with --reset-state, which keeps the file/;

test.each<[string, () => void, RegExp]>([
  ["not a database", () => writeFileSync(file.path, "not a database at all ".repeat(100)), /it is not a database/],
  ["a few bytes", () => writeFileSync(file.path, "x"), /it is not a database/],
  ["truncated", () => writeFileSync(file.path, readFileSync(file.path).subarray(0, 20_000)), /is damaged/],
  ["overwritten", () => writeFileSync(file.path, readFileSync(file.path).fill(0xaa, 4096, 12_000)), /is damaged \(/],
  ["a page size of 771", () => writeFileSync(file.path, readFileSync(file.path).fill(3, 16, 18)), /not a database/],
  // The key of a row is in the file twice: in its row, and in the index.
  ["a flipped byte of a key", () => file.overwrite("target-two", "target-too", 1), /missing from index/],
  ["a flipped byte of an index", () => file.overwrite("target-two", "target-too", 2), /missing from index/],
  ["a budget that does not parse", () => file.overwrite('"minute"', '"minuet"', 1), /mainnet\/hiro/],
  ["facts that do not parse", () => file.overwrite('"0x12"', '"0x12!', 1), /mainnet/],
])("%s: the file counts as damaged, stays as it is, and can be renamed", (_, damage, message) => {
  damage();
  const before = readFileSync(file.path);

  const error = damageOf(() => file.open());

  expect(error.message).toMatch(message);
  expect(error.message).toMatch(WAY_OUT);
  expect(readFileSync(file.path)).toEqual(before);
  const kept = renameFile(file.path, Date.UTC(2026, 0, 2, 3, 4, 5));
  expect(kept).toBe(`${file.path}.2026-01-02T03-04-05-000Z`);
  expect(readFileSync(kept as string)).toEqual(before);
  expect(file.open().load(keyOf("long"))).toBeUndefined();
});

test("a value that gives no samples ends counting, and leaves other totals and gauges as they are", () => {
  for (const [value, target] of [
    [0, "target-one"],
    [-1, "target-two"],
  ])
    file.edit(`INSERT INTO counters VALUES ('mainnet', 'fake', '${target}', 'stacks_test_total', '', '${value}')`);
  const exposition = new Exposition([level, total]);
  const damages: StateFileError[] = [];
  const state = new State(exposition, file.open(), { onDamage: (damage) => damages.push(damage) });
  const tasks = ["target-one", "target-two"].map((key) => durableTask(key));
  const gauge = fakeTask(async () => 0);
  state.follow("mainnet", [...tasks, gauge]);

  expect(damages).toHaveLength(1);
  expect(damages[0]?.message).toMatch(/target-two/);
  expect(damages[0]?.message).toMatch(WAY_OUT);
  expect(state.damage).toBe(damages[0]);
  for (const task of tasks) expect(() => state.begin(task)).toThrow(damages[0]);
  expect(state.begin(gauge).previous).toBeUndefined();
  expect(exposition.page("classic").toString()).toMatch(/^stacks_test_total\{network="mainnet"\} 0$/m);
});

/** A target that has counted 5. */
function counting() {
  const store = file.open();
  const exposition = new Exposition([level, total]);
  const state = new State(exposition, store);
  const task = durableTask("target-one");
  state.follow("mainnet", [task]);
  state.begin(task).succeed(countedAfter({ values: 0 }, 5), 1000);
  return { store, exposition, state, task };
}

test("a poll that damage ends before it is saved keeps the counters on the page, and saves nothing", () => {
  const { store, exposition, state, task } = counting();
  const turn = state.begin(task);
  for (const what of ["another target", "a later one"]) state.stopCounting(StateFileError.damaged(store.path, what));

  expect(() => turn.succeed(countedAfter(turn.previous, 7), 2000)).toThrow("another target");
  expect(exposition.page("classic").toString()).toMatch(/^stacks_test_total\{network="mainnet"\} 5$/m);
  expect(store.load(keyOf("target-one"))?.values).toBe(5);
});

test("a target that a reload changes after the damage keeps its counters on the page", () => {
  const { store, exposition, state, task } = counting();
  state.stopCounting(StateFileError.damaged(store.path, "another target"));
  state.follow("mainnet", [{ ...task, target: { ...task.target, confirmations: 9 } }]);

  expect(exposition.page("classic").toString()).toMatch(/^stacks_test_total\{network="mainnet"\} 5$/m);
});

test("an error of a read that can pass does not end counting", () => {
  const store = file.open();
  const state = new State(new Exposition([level, total]), store);
  const fails = () => {
    throw StateFileError.from(store.path, { errcode: 10, message: "disk I/O error" });
  };
  const reads = [jest.spyOn(store, "successes").mockImplementation(fails), jest.spyOn(store, "load")];
  reads[1]?.mockImplementationOnce(fails);
  const task = durableTask("target-one");
  state.follow("mainnet", [task]);

  expect(() => state.begin(task)).toThrow("disk I/O error");
  expect(reads[0]).toHaveBeenCalled();
  expect(state.damage).toBeUndefined();
  expect(state.begin(task).previous).toMatchObject({ values: 0 });
});

test("no flipped bit of a key, an index or the structure of the file goes unnoticed", () => {
  const intact = readFileSync(file.path);
  const places: number[] = [];
  for (let at = intact.indexOf("target-two"); at >= 0; at = intact.indexOf("target-two", at + 1)) places.push(at);
  expect(places.length).toBe(2);
  const bytes = places.flatMap((place) => Array.from({ length: 14 }, (_, index) => place - 4 + index));
  for (const at of bytes) {
    const damaged = Buffer.from(intact);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    writeFileSync(file.path, damaged);
    let read: unknown;
    try {
      read = file.open().load(keyOf("target-two"))?.values;
    } catch (error) {
      if (!(error instanceof StateFileError && error.isDamage)) throw error;
      read = 1;
    }
    // Never undefined: the target would start from zero.
    expect(read).toBe(1);
    file.close();
  }
});
