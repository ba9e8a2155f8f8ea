import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/collector.ts";
import { at, NOON, StatusWorld } from "../support/status.ts";

let world: StatusWorld;
beforeEach(() => {
  world = new StatusWorld().network();
});
const collector = () => world.json().networks[0]?.collectors[0];

test("a pause makes targets paused, with no poll before its end", () => {
  world = new StatusWorld().network("mainnet", { pausedUntil: NOON + 60_000 });
  world.succeed(world.task("fees"), 7);

  expect(collector()).toMatchObject({ state: "paused" });
  expect(world.json().targets.items).toMatchObject([{ state: "paused" }]);
});

test.each([
  ["budget", "paused"],
  ["rate_limited", "paused"],
  ["gone", "retired"],
  ["timeout", "degraded"],
] as const)("a target that fails for %s is %s", (reason, state) => {
  world.fail(world.task("fees"), 5, reason);
  expect(world.json().targets.items).toMatchObject([{ state }]);
});

test("a collector has the oldest success, the first failure and the latest present error of its targets", () => {
  const [a, b, c] = world.watch("addresses", ["a", "b", "c"]) as [Task, Task, Task];
  world.fail(a, 1, "bad_body", "recovered");
  world.succeed(a, 0);
  world.succeed(b, 20);
  for (const seconds of [12, 6]) world.fail(b, seconds, "timeout", `${seconds} s ago`);
  world.fail(c, 9, "not_found", "9 s ago");

  expect(collector()).toMatchObject({
    ...{ state: "degraded", last_success_at: at(-20), failing_since: at(-12) },
    last_error: { message: "6 s ago" },
  });
  world.succeed(b, 0);
  world.succeed(c, 0);
  expect(collector()).toMatchObject({ state: "active" });
  for (const name of ["failing_since", "last_error"]) expect(collector()).not.toHaveProperty(name);
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
  const select = (query: object = {}) => world.json(query).targets;
  const namesIn = ({ items }: ReturnType<typeof select>) => items.map(({ name }) => name);

  test("failing ones are first, then the oldest data, then waiting ones", () => {
    const targets = select({ limit: 1000 });
    expect(targets.matched).toBe(251);
    expect(namesIn(targets).slice(0, 4)).toEqual(["n100", "n020", "n249", "n248"]);
    expect(namesIn(targets).slice(-10)).toEqual(names.slice(0, 10));
    const counts = { total: 250, active: 238, degraded: 2, retired: 0, paused: 0, unsupported: 0, waiting: 10 };
    expect(collector()?.targets).toEqual({ ...counts, expired: 0 });
  });

  test.each<[object, number, string | undefined]>([
    [{ state: "waiting" }, 10, "n000"],
    [{ collector: "fees" }, 1, undefined],
    [{ collector: "addresses", state: "degraded", network: "mainnet" }, 2, "n100"],
    [{ network: "testnet" }, 0, undefined],
    [{ name: "n024" }, 1, "n024"],
    [{ principal: "SPn019" }, 1, "n019"],
    [{ group: "none" }, 0, undefined],
  ])("%o selects %i", (selection, matched, first) => {
    const targets = select(selection);
    expect(targets.matched).toBe(matched);
    expect(namesIn(targets)[0]).toBe(first);
  });
});
