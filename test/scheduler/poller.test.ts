import { beforeEach, describe, expect, test } from "@jest/globals";
import { ApiError, type Reason } from "../../src/api/errors.ts";
import type { Task } from "../../src/collectors/collector.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { Poller, type PollerOptions, type PollKind } from "../../src/scheduler/poller.ts";
import { MEMORY } from "../../src/store/open.ts";
import { State } from "../../src/store/state.ts";
import { Store } from "../../src/store/store.ts";
import { Incidents, type PollLog } from "../../src/telemetry/incidents.ts";
import { events, Instruments } from "../../src/telemetry/self-metrics.ts";
import type { UpstreamApi } from "../../src/upstreams/upstreams.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { fakeTask, level, total } from "../support/fake-task.ts";
import { watched } from "../support/status.ts";

let clock: FakeClock;
let exposition: Exposition;
let state: State;
let instruments: Instruments;
let logged: string[];
let stop: AbortController;
let client: PollerOptions["client"];
let poller: Poller;
const api = { ended: () => undefined };

beforeEach(() => {
  clock = new FakeClock();
  exposition = new Exposition([level, total]);
  state = new State(exposition, new Store(MEMORY));
  instruments = new Instruments();
  logged = [];
  stop = new AbortController();
  client = { forPoll: async () => api as never, active: { name: "default" } as never };
  const say = (kind: string) => (_: object, message: string) => logged.push(`${kind} ${message}`);
  poller = pollerOf({ debug: () => undefined, info: say("info"), warn: say("warn") });
});

/** A poller of tasks that the state follows from their first poll on. */
class FollowingPoller extends Poller {
  readonly #tasks = new Set<Task>();

  override poll(task: Task, kind?: PollKind) {
    state.follow(task.network, [...this.#tasks.add(task)]);
    return super.poll(task, kind);
  }
}

const pollerOf = (log: PollLog) =>
  new FollowingPoller({
    ...{ state, client, clock, log, stop: stop.signal },
    views: () => ({}),
    incidents: new Incidents(),
    spareSeries: () => Number.POSITIVE_INFINITY,
    instruments,
    onEnd: () => undefined,
    onObserved: () => undefined,
  });

/** The polls that have ended, and the failed ones by reason. */
const runs = async () =>
  Object.fromEntries(
    (await instruments.samples()).map(({ family, labels, value }) => [
      family === events.runs ? "polls" : labels.reason,
      value,
    ]),
  );

const values = async () =>
  exposition
    .page("classic")
    .toString()
    .match(/^[^#\n].*$/gm) ?? [];

test("a successful poll is exposed at once, and the next poll gets its observation", async () => {
  const seen: unknown[] = [];
  const task = fakeTask(async ({ previous }) => {
    seen.push(previous);
    return 7;
  });

  await poller.poll(task);
  await poller.poll(task);

  expect(await values()).toEqual(['stacks_test_level{network="mainnet"} 7', 'stacks_test_total{network="mainnet"} 7']);
  expect(seen).toEqual([undefined, 7]);
  expect(await runs()).toEqual({ polls: 2 });
});

test("a poll whose operation the server lacks is not a failure, and is logged once until the server has it", async () => {
  const lacking = () => {
    return new ApiError("not_found", "x", "no route", { status: 404, routeMissing: true, isUnsupported: true });
  };
  const responses = [3, new ApiError("timeout", "x", "late"), lacking(), lacking(), 4, lacking()];
  const ended: unknown[] = [];
  const recording: Pick<UpstreamApi, "ended"> = { ended: (_, failure) => ended.push(failure?.reason) };
  client.forPoll = async () => recording as never;
  const task = fakeTask(async () => {
    const response = responses.shift();
    if (response instanceof Error) throw response;
    return response;
  });

  for (let poll = 0; poll < 4; poll += 1) await poller.poll(task);

  expect(await runs()).toEqual({ polls: 4, timeout: 1 });
  expect(state.observationOf(task)).toBe(3);
  expect(state.of(task)).toMatchObject({ failuresInARow: 0 });
  expect(state.of(task).failure).toBeUndefined();
  expect(state.of(task).unsupportedSince).toBe(clock.now());
  // It has no information about the health of the server.
  expect(ended).toEqual([undefined, "timeout"]);

  for (let poll = 0; poll < 2; poll += 1) await poller.poll(task);

  expect(logged).toEqual([
    "warn poll failed",
    "info the server lacks the operation; it is requested again every hour",
    "info poll recovered",
    "info the server lacks the operation; it is requested again every hour",
  ]);
});

test("a failed poll keeps the observation, is counted by its reason, and is logged once until recovery", async () => {
  const responses = [
    3,
    new ApiError("timeout", "x", "late"),
    new ApiError("timeout", "x", "late"),
    new ApiError("network", "x", "reset"),
    4,
  ];
  const seen: unknown[] = [];
  const task = fakeTask(async ({ previous }) => {
    seen.push(previous);
    const response = responses.shift();
    if (response instanceof Error) throw response;
    return response;
  });

  for (let poll = 0; poll < 5; poll += 1) await poller.poll(task);

  expect(seen).toEqual([undefined, 3, 3, 3, 3]);
  expect(await runs()).toEqual({ polls: 5, timeout: 2, network: 1 });
  expect(logged).toEqual(["warn poll failed", "warn poll failed", "info poll recovered"]);
  expect(state.of(task)).toMatchObject({ failuresInARow: 0 });
  expect(state.of(task).failure).toBeUndefined();
});

describe("the log of an outage", () => {
  let lines: string[];
  let failing: ReadonlyMap<string, Reason>;
  let tasks: Task[];
  beforeEach(() => {
    lines = [];
    const say = (kind: string) => (fields: object, message: string) => {
      const { name, target, collector, reason } = fields as Record<string, unknown>;
      lines.push([kind, collector, name, target, reason, message].filter((part) => part !== undefined).join(" "));
    };
    poller = pollerOf({ debug: () => undefined, info: say("info"), warn: say("warn") });
    tasks = ["vault", "treasury", "deposits"].map((name) =>
      fakeTask(
        async () => {
          const reason = failing.get(name);
          if (reason !== undefined) throw new ApiError(reason, "x", "no");
          return 1;
        },
        { target: watched(`SP${name}`, name) },
        "addresses",
      ),
    );
  });
  const pollAll = async (reasons: Readonly<Record<string, Reason>>) => {
    failing = new Map(Object.entries(reasons));
    for (const task of tasks) await poller.poll(task);
  };

  test("is one line at its start, with the name of the first target, and one at its end", async () => {
    await pollAll({ vault: "network", treasury: "network", deposits: "network" });
    await pollAll({ vault: "network", treasury: "network", deposits: "network" });
    await pollAll({ deposits: "network" });
    expect(lines).toEqual(["warn addresses vault SPvault network poll failed"]);
    await pollAll({});

    expect(lines.slice(1)).toEqual(["info addresses deposits SPdeposits network poll recovered"]);
  });

  test("is one line for each target when the cause is the target's own", async () => {
    await pollAll({ vault: "not_found", treasury: "not_found" });
    await pollAll({ vault: "not_found" });

    expect(lines).toEqual([
      "warn addresses vault SPvault not_found poll failed",
      "warn addresses treasury SPtreasury not_found poll failed",
      "info addresses treasury SPtreasury not_found poll recovered",
    ]);
  });
});

test("a defect in observe or in samples fails that poll alone, with reason bug", async () => {
  await poller.poll(fakeTask(async () => Promise.reject(new TypeError("x is not a function"))));
  const task = fakeTask(async () => Number.NaN);
  await poller.poll(task);

  expect(await runs()).toEqual({ polls: 2, bug: 2 });
  expect(await values()).toEqual([]);
  expect(state.observationOf(task)).toBeUndefined();
});

const aborted = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("a poll that reaches its deadline fails with reason timeout", async () => {
  client.forPoll = async ({ signal }) => aborted(signal) as never;
  const polled = poller.poll(fakeTask(async () => 1));
  await clock.advance(5_000);
  await polled;

  expect(await runs()).toEqual({ polls: 1, timeout: 1 });
});

test("targets that have moved have priority over scheduled polls, and both over spare ones", async () => {
  const priorities: number[] = [];
  client.forPoll = async ({ priority }) => {
    priorities.push(priority);
    return api as never;
  };
  const { collector } = fakeTask(async () => 5);
  const task = fakeTask(async () => 5, { collector: { ...collector, priority: 5 } });
  for (const kind of ["due", "overdue", "moved", "spare"] as const) await poller.poll(task, kind);

  expect(priorities).toEqual([5, 4, 4, 9]);
});

test("a poll that a stop aborts has no outcome", async () => {
  let signal = stop.signal;
  client.forPoll = async (poll) => {
    signal = poll.signal;
    return api as never;
  };
  const task = fakeTask(() => aborted(signal));
  const polled = poller.poll(task);
  await settle();
  stop.abort();
  await polled;
  await poller.poll(task);

  expect(await runs()).toEqual({});
  expect(state.of(task).lastEndAt).toBeUndefined();
});
