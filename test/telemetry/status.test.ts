import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/task.ts";
import { ALL } from "../../src/http/status-query.ts";
import type { Selection, Status } from "../../src/telemetry/status.ts";
import { NOON, StatusWorld } from "../support/status.ts";

let world: StatusWorld;
beforeEach(() => {
  world = new StatusWorld().network();
});

test("a target waits until its first poll ends", () => {
  world.task("fees");
  expect(world.status().targets).toMatchObject([{ state: "waiting", isExpired: false, nextAt: NOON + 4_000 }]);
});

test("a pause makes targets paused, with no poll before its end", () => {
  world = new StatusWorld().network("mainnet", { pausedUntil: NOON + 60_000 });
  world.succeed(world.task("fees"), 7);
  const { networks, targets } = world.status();

  expect(networks).toMatchObject([{ pausedUntil: NOON + 60_000, collectors: [{ state: "paused" }] }]);
  expect(targets).toMatchObject([{ state: "paused", nextAt: NOON + 60_000 }]);
});

test.each([
  ["budget", "paused"],
  ["rate_limited", "paused"],
  ["gone", "retired"],
  ["timeout", "degraded"],
] as const)("a target that fails for %s is %s", (reason, state) => {
  world.fail(world.task("fees"), 5, reason);
  expect(world.status().targets).toMatchObject([{ state }]);
});

test("a target expires at its maximum age, in any state", () => {
  world.succeed(world.task("fees"), 30);
  const { networks, targets } = world.status();
  expect(networks[0]?.collectors[0]?.expired).toBe(1);
  expect(targets).toMatchObject([{ state: "active", isExpired: true }]);
});

test("a collector has the oldest success, the first failure and the latest error of its targets", () => {
  const [a, b, c] = world.watch("addresses", ["a", "b", "c"]) as [Task, Task, Task];
  world.fail(a, 1, "bad_body", "recovered");
  world.succeed(a, 0);
  world.succeed(b, 20);
  for (const seconds of [12, 6]) world.fail(b, seconds, "timeout", `${seconds} s ago`);
  world.fail(c, 9, "not_found", "9 s ago");

  expect(world.status().networks[0]?.collectors).toMatchObject([
    {
      state: "degraded",
      oldestSuccessAt: NOON - 20_000,
      failingSince: NOON - 12_000,
      lastFailure: { message: "6 s ago" },
    },
  ]);
  world.succeed(b, 0);
  world.succeed(c, 0);
  expect(world.status().networks[0]?.collectors).toMatchObject([
    { state: "active", failingSince: undefined, lastFailure: { message: "recovered" } },
  ]);
});

describe("of many targets,", () => {
  const names = Array.from({ length: 250 }, (_, index) => `n${String(index).padStart(3, "0")}`);
  beforeEach(() => {
    // The higher the number, the older the data; two fail, and ten wait.
    const tasks = world.watch("addresses", names);
    for (const [index, task] of tasks.entries()) if (index >= 10) world.succeed(task, index / 10);
    for (const index of [100, 20]) world.fail(tasks[index] as Task, 1, "http_server");
    world.succeed(world.task("fees"), 2);
  });
  const select = (changes: Partial<Selection> = {}) => world.status({ ...ALL, ...changes });
  const namesOf = ({ targets }: Status) => targets.map(({ task }) => task.target.watched?.name);

  test("failing ones are first, then the oldest data, then waiting ones", () => {
    const status = select({ limit: 1000 });
    expect(status.matched).toBe(251);
    expect(namesOf(status).slice(0, 4)).toEqual(["n100", "n020", "n249", "n248"]);
    expect(namesOf(status).slice(-10)).toEqual(names.slice(0, 10));
    expect(status.networks[0]?.collectors[0]).toMatchObject({
      counts: { active: 238, degraded: 2, retired: 0, paused: 0, unsupported: 0, waiting: 10 },
      expired: 0,
    });
  });

  test.each<[Partial<Selection>, number, string | undefined]>([
    [{ state: "waiting" }, 10, "n000"],
    [{ collector: "fees" }, 1, undefined],
    [{ collector: "addresses", state: "degraded", network: "mainnet" }, 2, "n100"],
    [{ network: "testnet" }, 0, undefined],
    [{ text: "N24" }, 10, "n249"],
    [{ text: "spn01" }, 10, "n019"],
    [{ text: "unknown" }, 0, undefined],
  ])("%o selects %i", (selection, matched, first) => {
    const status = select(selection);
    expect(status.matched).toBe(matched);
    expect(namesOf(status)[0]).toBe(first);
    expect(status.networks[0]?.collectors[0]?.targets).toHaveLength(250);
  });

  test("each is on one page, and a page after the last is empty", () => {
    const pages = [1, 2, 3, 4].map((page) => namesOf(select({ page, limit: 90, collector: "addresses" })));
    expect(pages.map(({ length }) => length)).toEqual([90, 90, 70, 0]);
    expect(pages.flat().toSorted()).toEqual(names);
  });
});
