import { statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/collector.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { MEMORY } from "../../src/store/open.ts";
import { State } from "../../src/store/state.ts";
import { Store } from "../../src/store/store.ts";
import { fakeTask, level, total } from "../support/fake-task.ts";
import { countedAfter, durableTask, TestStateFile } from "../support/state-file.ts";
import { watched } from "../support/status.ts";

let exposition: Exposition;
let state: State;

beforeEach(() => {
  exposition = new Exposition([level, total]);
  state = new State(exposition, new Store(MEMORY));
});

const shown = async () =>
  exposition
    .page("classic")
    .toString()
    .match(/^[^#\n].*$/gm) ?? [];

const succeed = (task: Task, value: number, at: number) => {
  const turn = state.begin(task);
  turn.succeed(task.collector.counts === undefined ? value : countedAfter(turn.previous, value), at);
};
const fail = (task: Task, at: number) => state.fail(task, { reason: "network", message: "down", at });

test("a task is failing since the first failure in a row", () => {
  const task = fakeTask(async () => 0);
  state.follow(task.network, [task]);
  fail(task, 1_000);
  fail(task, 2_000);

  expect(state.of(task)).toMatchObject({ failingSince: 1_000, failuresInARow: 2, failure: { at: 2_000 } });
  succeed(task, 5, 3_000);
  expect(state.of(task)).toEqual({ lastSuccessAt: 3000, lastEndAt: 3000, failuresInARow: 0 });
});

test("the value of a task that counts nothing is kept by a reload, unless its settings have changed", () => {
  const task = fakeTask(async () => 0, { options: { window: 1 } });
  state.follow(task.network, [task]);
  succeed(task, 5, 1_000);
  state.follow(task.network, [{ ...task, options: { window: 1 } }]);

  expect([state.of(task).lastSuccessAt, state.observationOf(task)]).toEqual([1_000, 5]);
  state.follow(task.network, [{ ...task, options: { window: 2 } }]);
  expect([state.of(task).lastSuccessAt, state.observationOf(task)]).toEqual([undefined, undefined]);
  fail(task, 2_000);
  expect(state.of(task).failure).toBeUndefined();
  state.follow(task.network, []);
  fail(task, 2_000);
  expect(() => state.begin(task)).toThrow("mainnet/fake is not followed");
});

test("the values of a target with another name continue under it", async () => {
  const { collector, ...task } = fakeTask(async () => 0);
  const named = (name: string): Task => ({
    ...task,
    target: watched("SP1", name),
    collector: {
      ...collector,
      *samples(value, _, { watched }) {
        yield level.at({ network: String(watched?.name) }, value as number);
      },
    },
  });
  const before = named("a");
  state.follow(task.network, [before]);
  succeed(before, 5, 1_000);
  state.follow(task.network, [{ ...named("b"), collector: before.collector }]);

  expect(await shown()).toEqual(['stacks_test_level{network="b"} 5']);
});

describe("expiry", () => {
  test("removes gauges at their maximum age, keeps counters, and exposes both after the next success", async () => {
    const task = fakeTask(async () => 0);
    state.follow(task.network, [task]);
    succeed(task, 5, 0);
    fail(task, 29_999);
    state.expire(29_999);
    expect(await shown()).toHaveLength(2);
    state.expire(30_000);
    state.follow(task.network, [{ ...task }]);
    expect(await shown()).toEqual(['stacks_test_total{network="mainnet"} 5']);
    succeed(task, 5, 30_000);
    expect(await shown()).toHaveLength(2);
  });

  test("depends on the maximum age of each task", async () => {
    const [quick, slow] = [
      fakeTask(async () => 0, { network: "a", maxAgeMs: 1_000 }),
      fakeTask(async () => 0, { network: "b", maxAgeMs: 60_000 }),
    ];
    for (const task of [quick, slow]) state.follow(task.network, [task]);
    succeed(quick, 1, 0);
    succeed(slow, 2, 0);
    const gauges = async () => (await shown()).filter((line) => line.includes("level"));
    state.expire(1_000);
    expect(await gauges()).toEqual(['stacks_test_level{network="b"} 2']);
    state.expire(60_000);
    expect(await gauges()).toEqual([]);
  });
});

describe("with a state file,", () => {
  let file: TestStateFile;
  let store: Store;
  let gaps: Task[];
  beforeEach(() => {
    gaps = [];
    file = new TestStateFile();
    store = file.open();
    state = new State(exposition, store);
  });
  afterEach(() => file.remove());

  /** What another process exposes before its first poll. */
  const afterRestart = (task: Task, now?: number) => {
    exposition = new Exposition([level, total]);
    state = new State(exposition, file.reopen(), { onGap: (task) => gaps.push(task) });
    state.follow(task.network, [task], [], now);
    return shown();
  };

  test("after a restart totals are exposed at once, other values after the next poll", async () => {
    const task = durableTask();
    state.follow(task.network, [task]);
    succeed(task, 41, 1000);
    expect(await afterRestart(task)).toEqual(['stacks_test_total{network="mainnet"} 41']);
    expect(state.of(task).lastSuccessAt).toBeUndefined();
    const hidden = { ...task, isHidden: true };
    state.follow(task.network, [hidden]);
    expect(await shown()).toEqual([]);
    succeed(hidden, 42, 2000);
    expect(await shown()).toEqual([]);
    state.follow(task.network, [task]);
    expect((await shown()).at(-1)).toBe('stacks_test_total{network="mainnet"} 42');
  });

  test.each<[Task, unknown]>([
    [durableTask(), { values: 41, additions: [] }],
    [fakeTask(async () => 0), 41],
  ])("last values continue if readable and fresh", async (of, kept) => {
    const task = { ...of, target: watched("SP1") };
    state.follow(task.network, [task]);
    succeed(task, 41, 100_000);
    // With the next write.
    store.saveBudget("mainnet/default", { minute: [] });
    const levels = async (now: number) => (await afterRestart(task, now)).filter((line) => line.includes("level"));
    for (const now of [100_000, 129_999]) {
      expect(await levels(now)).toEqual(['stacks_test_level{network="mainnet"} 41']);
      expect(state.of(task)).toEqual({ lastSuccessAt: 100_000, failuresInARow: 0 });
      expect(state.begin(task).previous).toEqual(kept);
    }
    for (const now of [130_000, 99_999]) {
      expect(await levels(now)).toEqual([]);
      const { previous } = state.begin(task);
      expect([state.of(task).lastSuccessAt, previous]).toEqual([undefined, of.collector.counts && kept]);
    }
    file.close();
    file.edit("UPDATE targets SET body = '?'");
    expect([await levels(129_999), state.damage]).toEqual([[], undefined]);
    expect(gaps).toEqual(of.collector.counts ? [task] : []);
  });

  test("a poll that cannot be saved exposes nothing", async () => {
    const task = durableTask();
    state.follow(task.network, [task]);
    succeed(task, 1, 9);
    file.close();
    expect(() => succeed(task, 2, 9)).toThrow(`state file ${file.path}:`);
    expect((await shown()).at(-1)).toBe('stacks_test_total{network="mainnet"} 1');
  });

  test("a poll that finds nothing new is neither saved again nor a new page", () => {
    const task = durableTask("target");
    state.follow(task.network, [task]);
    succeed(task, 1, 1000);
    const { version } = exposition;
    const saved = () => statSync(`${file.path}-wal`).size;
    const before = saved();
    succeed(task, 1, 2000);

    expect(exposition.version).toBe(version);
    expect([saved(), state.of(task).lastSuccessAt]).toEqual([before, 2000]);
    succeed(task, 2, 3000);
    expect(saved()).toBeGreaterThan(before);
  });

  test("a poll with invalid samples is not saved", async () => {
    const task = durableTask();
    state.follow(task.network, [task]);
    expect(() => succeed(task, -1, 9)).toThrow("a counter cannot be -1");
    expect(await afterRestart(task)).toEqual([]);
    succeed(task, 1, 9);
    expect(() => succeed(task, -1, 9)).toThrow("a counter cannot be -1");
    expect(await afterRestart(task)).toEqual(['stacks_test_total{network="mainnet"} 1']);
  });
});
