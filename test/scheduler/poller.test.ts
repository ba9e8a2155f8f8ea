import { beforeEach, describe, expect, test } from "@jest/globals";
import { ApiError, type Reason } from "../../src/api/errors.ts";
import type { Task } from "../../src/collectors/task.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { Poller, type Run } from "../../src/scheduler/poller.ts";
import type { Sweep } from "../../src/scheduler/round-robin.ts";
import { runSchedules } from "../../src/scheduler/schedule.ts";
import { State } from "../../src/storage/state.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { fakeTask, level, sweepOf, total } from "../support/fake-task.ts";

let clock: FakeClock;
let exposition: Exposition;
let state: State;
let runs: string[];
let logged: string[];
let stop: AbortController;
let poller: Poller;

beforeEach(() => {
  clock = new FakeClock();
  exposition = new Exposition([level, total]);
  state = new State(exposition);
  runs = [];
  logged = [];
  stop = new AbortController();
  const say = (kind: string) => (_: object, message: string) => logged.push(`${kind} ${message}`);
  poller = new Poller({
    state,
    clock,
    stop: stop.signal,
    log: { debug: () => undefined, info: say("info"), warn: say("warn") },
    onRun: ({ outcome, reason, seconds }: Run) => runs.push(`${outcome} ${reason ?? "-"} ${seconds}`),
  });
});

const rota = (tasks: readonly Task[], sweeps: readonly Sweep[] = []) => ({ tasks, sweeps });

const values = async () =>
  (await exposition.page("classic")).body
    .toString()
    .split("\n")
    .filter((line) => !line.startsWith("#") && line !== "");

test("a good poll is on the page at once, and is handed the observation before it", async () => {
  const seen: unknown[] = [];
  const task = fakeTask(async ({ previous }) => {
    seen.push(previous);
    return 7;
  });

  await poller.poll(task);
  await poller.poll(task);

  expect(await values()).toEqual(['stacks_test_level{network="mainnet"} 7', 'stacks_test_total{network="mainnet"} 7']);
  expect(seen).toEqual([undefined, 7]);
  expect(runs).toEqual(["ok - 0", "ok - 0"]);
});

test("a target is named in the log, by its principal and by its name of the watch list", async () => {
  const lines: object[] = [];
  const log = { debug: () => undefined, info: () => undefined, warn: (fields: object) => lines.push(fields) };
  const target = { key: "SP1", watched: { principal: "SP1", name: "payer", group: "", labels: {} } };
  const task = { ...fakeTask(async () => Promise.reject(new ApiError("timeout", "x", "late"))), target };

  await new Poller({ state, clock, stop: stop.signal, log, onRun: () => undefined }).poll(task as Task);

  expect(lines).toMatchObject([{ target: "SP1", name: "payer" }]);
});

test("a failed poll keeps the observation, is counted by its reason, and is logged once until it recovers", async () => {
  const answers = [
    3,
    new ApiError("timeout", "x", "late"),
    new ApiError("timeout", "x", "late"),
    new ApiError("network", "x", "reset"),
    4,
  ];
  const seen: unknown[] = [];
  const task = fakeTask(async ({ previous }) => {
    seen.push(previous);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  });

  for (let poll = 0; poll < 5; poll += 1) await poller.poll(task);

  expect(seen).toEqual([undefined, 3, 3, 3, 3]);
  expect(runs).toEqual(["ok - 0", "error timeout 0", "error timeout 0", "error network 0", "ok - 0"]);
  expect(logged).toEqual(["warn poll failed", "warn poll failed", "info poll recovered"]);
  expect(state.of(task)).toMatchObject({ failure: undefined, failuresInARow: 0 });
});

describe("the log of an outage", () => {
  let lines: string[];
  let failing: ReadonlyMap<string, Reason>;
  let tasks: Task[];
  beforeEach(() => {
    lines = [];
    const say = (kind: string) => (fields: object, message: string) => {
      const { name, target, collector, reason, targets } = fields as Record<string, unknown>;
      lines.push(
        [kind, collector, name, target, reason, targets, message].filter((part) => part !== undefined).join(" "),
      );
    };
    const log = { debug: () => undefined, info: say("info"), warn: say("warn") };
    poller = new Poller({ state, clock, stop: stop.signal, log, onRun: () => undefined });
    const target = (name: string) => ({
      key: `SP${name}`,
      watched: { principal: `SP${name}`, name, group: "", labels: {} },
    });
    tasks = ["vault", "treasury", "deposits"].map((name) =>
      fakeTask(
        async () => {
          const reason = failing.get(name);
          if (reason !== undefined) throw new ApiError(reason, "x", "no");
          return 1;
        },
        { target: target(name) },
        "addresses",
      ),
    );
  });
  const pollAll = async (reasons: Readonly<Record<string, Reason>>) => {
    failing = new Map(Object.entries(reasons));
    for (const task of tasks) await poller.poll(task);
  };

  test("is one line when it begins, with the name of the first target, and one when it is over", async () => {
    await pollAll({ vault: "network", treasury: "network", deposits: "network" });
    await pollAll({ vault: "network", treasury: "network", deposits: "network" });
    await pollAll({ deposits: "network" });
    expect(lines).toEqual(["warn addresses vault SPvault network poll failed"]);
    await pollAll({});

    expect(lines.slice(1)).toEqual(["info addresses deposits SPdeposits network 3 poll recovered"]);
  });

  test("is a line for each target where the cause is the target's own", async () => {
    await pollAll({ vault: "not_found", treasury: "not_found" });
    await pollAll({ vault: "not_found" });

    expect(lines).toEqual([
      "warn addresses vault SPvault not_found poll failed",
      "warn addresses treasury SPtreasury not_found poll failed",
      "info addresses treasury SPtreasury not_found 1 poll recovered",
    ]);
  });

  test("begins anew when the only target that failed is watched no more", async () => {
    await pollAll({ vault: "network" });
    poller.drop(tasks[0] as Task);
    await pollAll({ treasury: "network" });

    expect(lines.filter((line) => line.startsWith("warn"))).toHaveLength(2);
  });
});

test("says since when a task fails: the first failure in a row", async () => {
  let isDown = true;
  const task = fakeTask(async () => (isDown ? Promise.reject(new ApiError("network", "x", "down")) : 5));
  await clock.advance(1_000);
  const since = clock.now();
  await poller.poll(task);
  await clock.advance(1_000);
  await poller.poll(task);

  expect(state.of(task)).toMatchObject({ failingSince: since, failuresInARow: 2, failure: { at: since + 1_000 } });
  isDown = false;
  await poller.poll(task);
  expect(state.of(task)).toMatchObject({ failingSince: undefined, lastFailure: { at: since + 1_000 } });
});

test.each([
  ["budget", "skipped_budget"],
  ["gone", "retired"],
  ["bad_body", "error"],
] as const)("reason %s is outcome %s", async (reason, outcome) => {
  await poller.poll(fakeTask(async () => Promise.reject(new ApiError(reason, "x", "no"))));

  expect(runs).toEqual([`${outcome} ${reason} 0`]);
});

test("a defect is a failure of that poll alone, with reason bug: in observe, and in samples", async () => {
  await poller.poll(fakeTask(async () => Promise.reject(new TypeError("x is not a function"))));
  const task = fakeTask(async () => Number.NaN);
  await poller.poll(task);

  expect(runs).toEqual(["error bug 0", "error bug 0"]);
  expect(await values()).toEqual([]);
  expect(state.of(task).observation).toBeUndefined();
});

test("a poll that forgets its deadline is given up, with reason timeout", async () => {
  const polled = poller.poll(fakeTask(() => new Promise(() => undefined)));
  await clock.advance(5_000);
  await polled;

  expect(runs).toEqual(["error timeout 5"]);
});

test("a poll is not started while the one before runs", async () => {
  let finish: (value: number) => void = () => undefined;
  const task = fakeTask(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  const first = poller.poll(task);
  await poller.poll(task);
  finish(1);
  await first;

  expect(runs).toEqual(["skipped_overlap - 0", "ok - 0"]);
});

test("a poll before its turn asks last, and when the budget has nothing left it is as if it had not been", async () => {
  const priorities: number[] = [];
  let isEmpty = false;
  const task = fakeTask(async () => (isEmpty ? Promise.reject(new ApiError("budget", "x", "nothing left")) : 5), {
    client: {
      forPoll: ({ priority }) => {
        priorities.push(priority);
        return {} as never;
      },
    },
  });
  await poller.poll(task);
  await poller.poll(task, true);
  isEmpty = true;
  await poller.poll(task, true);

  expect(priorities).toEqual([0, 9, 9]);
  expect(runs).toEqual(["ok - 0", "ok - 0"]);
  expect(state.of(task)).toMatchObject({ failure: undefined, failuresInARow: 0 });
});

test("a poll that is dropped ends as if it had not been, whatever it brings", async () => {
  let finish: (value: number) => void = () => undefined;
  const task = fakeTask(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  const polled = poller.poll(task);
  poller.drop(task);
  finish(1);
  await polled;

  expect(runs).toEqual([]);
  expect(await values()).toEqual([]);
});

test("a stop ends the poll, and is neither success nor failure", async () => {
  const task = fakeTask(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const polled = poller.poll(task);
  stop.abort();
  await polled;
  await poller.poll(task);

  expect(runs).toEqual([]);
  expect(state.of(task).lastEndAt).toBeUndefined();
});

describe("expiry", () => {
  test("takes gauges away at their maximum age, leaves counters, and gives them back", async () => {
    let isDown = false;
    const task = fakeTask(async () => (isDown ? Promise.reject(new ApiError("network", "x", "down")) : 5));
    await poller.poll(task);
    isDown = true;
    await clock.advance(29_999);
    await poller.poll(task);
    state.expire(clock.now());
    const young = await values();
    await clock.advance(1);
    state.expire(clock.now());
    const old = await values();
    isDown = false;
    await poller.poll(task);

    expect(young).toHaveLength(2);
    expect(old).toEqual(['stacks_test_total{network="mainnet"} 5']);
    expect(await values()).toHaveLength(2);
  });

  test("looks at each task's own age", async () => {
    const quick = fakeTask(async () => 1, { network: "a", maxAgeMs: 1_000 });
    const slow = fakeTask(async () => 2, { network: "b", maxAgeMs: 60_000 });
    await Promise.all([poller.poll(quick), poller.poll(slow)]);
    await clock.advance(1_000);
    state.expire(clock.now());

    expect((await values()).filter((line) => line.includes("level"))).toEqual(['stacks_test_level{network="b"} 2']);
    await clock.advance(59_000);
    state.expire(clock.now());
    expect((await values()).filter((line) => line.includes("level"))).toEqual([]);
  });
});

describe("the schedule", () => {
  const times: number[] = [];
  const parts = () => ({ clock, stop: stop.signal, log: { warn: () => undefined, debug: () => undefined } });
  beforeEach(() => {
    times.length = 0;
  });

  test("polls at once, and then on a grid that slow polls do not move", async () => {
    const start = clock.now();
    const durations = [0, 4_000, 12_000, 0];
    const poll = async () => {
      times.push(clock.now() - start);
      await clock.sleep(durations.shift() ?? 0);
    };
    const running = runSchedules(rota([fakeTask(async () => 1)]), { ...parts(), poll });
    await clock.advance(55_000);
    stop.abort();
    await running;

    expect(times).toEqual([0, 10_000, 20_000, 40_000, 50_000]);
  });

  test("tells when the next poll is due, on the grid, and moves it when a poll took too long", async () => {
    const due: number[] = [];
    const start = clock.now();
    const durations = [0, 12_000];
    const poll = () => clock.sleep(durations.shift() ?? 0);
    const onDue = (_: Task, at: number) => due.push((at - start) / 1000);
    const running = runSchedules(rota([fakeTask(async () => 1)]), { ...parts(), poll, onDue });
    await clock.advance(25_000);
    stop.abort();
    await running;

    // Before and after each poll.
    expect(due).toEqual([10, 10, 20, 30]);
  });

  test("tells when each target of a sweep is due, before the first round too", async () => {
    const due: Record<string, number> = {};
    const start = clock.now();
    const collector = { ...fakeTask(async () => 1).collector, targets: () => [] };
    const tasks = ["a", "b"].map((key) => fakeTask(async () => 1, { collector, target: { key }, intervalMs: 20_000 }));
    const onDue = ({ target }: Task, at: number) => {
      due[target.key] = (at - start) / 1000;
    };
    const running = runSchedules(rota([], [sweepOf(tasks)]), { ...parts(), poll: async () => undefined, onDue });
    await settle();
    expect(due).toEqual({ a: 20, b: 10 });
    await clock.advance(21_000);
    expect(due).toEqual({ a: 40, b: 30 });
    stop.abort();
    await running;
  });

  test("keeps tasks apart: one that hangs does not delay another", async () => {
    const hanging = fakeTask(async () => 1, {}, "hanging");
    const other = fakeTask(async () => 1, {}, "other");
    let count = 0;
    const poll = async ({ collector }: { collector: { name: string } }) => {
      if (collector.name === "hanging") await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
      else count += 1;
    };
    const running = runSchedules(rota([hanging, other]), { ...parts(), poll });
    await clock.advance(35_000);
    stop.abort();
    await running;

    expect(count).toBe(4);
  });

  test("sweeps many targets evenly and in turn, so that all are equally old", async () => {
    const polled: string[] = [];
    const start = clock.now();
    const collector = { ...fakeTask(async () => 1).collector, targets: () => [] };
    const tasks = ["a", "b", "c", "d"].map((key) =>
      fakeTask(async () => 1, { collector, target: { key }, intervalMs: 20_000 }),
    );
    const poll = async ({ target }: { target: { key: string } }) => {
      polled.push(`${target.key} ${(clock.now() - start) / 1000}`);
    };
    const running = runSchedules(rota([], [sweepOf(tasks)]), { ...parts(), poll });
    await clock.advance(29_000);
    stop.abort();
    await running;

    expect(polled).toEqual(["a 0", "b 5", "c 10", "d 15", "a 20", "b 25"]);
  });

  test("goes on with the others while some targets of a sweep hang, and makes up for lost time without a burst", async () => {
    const polled: string[] = [];
    const start = clock.now();
    const collector = { ...fakeTask(async () => 1).collector, targets: () => [] };
    const tasks = ["a", "b", "c", "d", "e", "f"].map((key) =>
      fakeTask(async () => 1, { collector, target: { key }, intervalMs: 6_000 }),
    );
    // Four are slower than the whole round: the most that may be under way at once.
    const poll = async ({ target }: { target: { key: string } }) => {
      polled.push(`${target.key} ${(clock.now() - start) / 1000}`);
      if ("abcd".includes(target.key)) await clock.sleep(10_000);
    };
    const running = runSchedules(rota([], [sweepOf(tasks)]), { ...parts(), poll });
    await clock.advance(13_500);
    stop.abort();
    await clock.advance(20_000);
    await running;

    expect(polled).toEqual(["a 0", "b 1", "c 2", "d 3", "e 10", "f 11", "a 12", "b 13"]);
  });

  test("begins with what tells where the chain ends; what is counted by its depth comes after", async () => {
    const order: string[] = [];
    const { collector } = fakeTask(async () => 1);
    const guide = fakeTask(async () => 1, { collector: { ...collector, chainView: () => undefined } });
    const poll = async ({ target }: Task) => {
      order.push(`begin ${target.key}`);
      await clock.sleep(2_000);
      order.push(`end ${target.key}`);
    };
    const sweep = sweepOf([fakeTask(async () => 1, { target: { key: "a" } })]);
    const elsewhere = sweepOf([fakeTask(async () => 1, { network: "testnet", target: { key: "b" } })]);
    const running = runSchedules(rota([guide], [sweep, elsewhere]), { ...parts(), poll });
    await clock.advance(4_500);
    stop.abort();
    await running;

    expect(order).toEqual(["begin ", "begin b", "end ", "begin a", "end b", "end a"]);
  });

  test("goes at the new pace when a list becomes longer while its next turn is far away", async () => {
    const polled: string[] = [];
    const start = clock.now();
    const [a, b] = ["a", "b"].map((key) => fakeTask(async () => 1, { target: { key } })) as [Task, Task];
    const sweep = sweepOf([]);
    const poll = async ({ target }: Task) => {
      polled.push(`${target.key} ${(clock.now() - start) / 1000}`);
    };
    const running = runSchedules(rota([], [sweep]), { ...parts(), poll });
    await clock.advance(25_000);
    sweep.renew([a], { intervalMs: 3_600_000, wishedIntervalMs: 3_600_000, maxAgeMs: 1e9 });
    await clock.advance(25_000);
    sweep.renew([a, b], { intervalMs: 20_000, wishedIntervalMs: 20_000, maxAgeMs: 1e9 });
    await clock.advance(25_000);
    stop.abort();
    await running;

    expect(polled).toEqual(["a 30", "b 60", "a 70"]);
  });

  describe("beside a sweep,", () => {
    const start = () => {
      const polled: string[] = [];
      const from = clock.now();
      let wait = 0;
      const client = { forPoll: () => ({}) as never, waitFor: () => wait };
      const tasks = ["a", "b", "c"].map((key) =>
        fakeTask(async () => 1, { target: { key }, intervalMs: 60_000, wishedIntervalMs: 5_000, client }),
      );
      const sweep = sweepOf(tasks);
      const poll = async ({ target }: Task, isEarly: boolean) => {
        polled.push(`${target.key}${isEarly ? "!" : ""} ${(clock.now() - from) / 1000}`);
        if (isEarly && polled.length < 6) sweep.hint(target.key, "behind");
      };
      const running = runSchedules(rota([], [sweep]), { ...parts(), poll });
      return { polled, sweep, running, waitFor: (milliseconds: number) => (wait = milliseconds) };
    };

    test("who was hinted at is polled early, and the turns go on as they were", async () => {
      const { polled, sweep, running } = start();
      await clock.advance(5_500);
      sweep.hint("c", "seen");
      await clock.advance(16_000);
      stop.abort();
      await running;

      // One that stays behind goes again at once.
      expect(polled).toEqual(["a 0", "c! 6", "c! 6", "c! 6", "c! 6", "c! 6", "b 20"]);
    });

    test("hints wait while the budget has nothing left", async () => {
      const { polled, sweep, running, waitFor } = start();
      waitFor(30_000);
      sweep.hint("c", "seen");
      await clock.advance(19_500);
      expect(polled).toEqual(["a 0"]);
      waitFor(0);
      await clock.advance(1_000);
      stop.abort();
      await running;

      expect(polled.slice(0, 3)).toEqual(["a 0", "b 20", "c! 20"]);
    });
  });

  test("ends only when the running poll has ended", async () => {
    let finish: () => void = () => undefined;
    let isOver = false;
    const poll = () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      });
    const running = runSchedules(rota([fakeTask(async () => 1)]), { ...parts(), poll }).then(() => {
      isOver = true;
    });
    await settle();
    stop.abort();
    await settle();
    expect(isOver).toBe(false);
    finish();
    await running;
    expect(isOver).toBe(true);
  });
});
