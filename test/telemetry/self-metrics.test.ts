import { expect, test } from "@jest/globals";
import { ownSamples } from "../../src/telemetry/self-metrics.ts";
import { networkStatuses } from "../../src/telemetry/status.ts";
import { StatusWorld } from "../support/status.ts";

/** `name{label values}` and value of every sample of the families whose names contain `part`. */
function samplesOf(world: StatusWorld, part: string): [string, unknown][] {
  const networks = networkStatuses(world.sources());
  const others = {
    version: "1.2.3",
    shard: undefined,
    cleanAudits: [],
    failures: undefined,
    isDamaged: undefined,
    maxSeries: 9,
    series: 5,
  };
  return [...ownSamples({ ...others, reloads: world.reloads, networks })]
    .filter(({ family }) => family.name.includes(part))
    .map(({ labels, value }) => [Object.values(labels).join(" "), value]);
}

test("a collector with several targets has one state, the worst, and counts its targets by state", () => {
  const world = new StatusWorld().network();
  const [good, bad] = world.watch("addresses", ["a", "b", "c"]);
  if (good === undefined || bad === undefined) throw new Error("unreachable");
  world.succeed(good, 2);
  world.fail(bad, 1, "timeout", "late");

  expect(samplesOf(world, "collector_success")).toEqual([["mainnet addresses", 0]]);
  expect(samplesOf(world, "collector_targets")).toEqual([
    ["mainnet addresses retired", 0],
    ["mainnet addresses paused", 0],
    ["mainnet addresses degraded", 1],
    ["mainnet addresses unsupported", 0],
    ["mainnet addresses active", 1],
    ["mainnet addresses waiting", 1],
  ]);
  expect(samplesOf(world, "collector_state")).toEqual([
    ["mainnet addresses retired", 0],
    ["mainnet addresses paused", 0],
    ["mainnet addresses degraded", 1],
    ["mainnet addresses unsupported", 0],
    ["mainnet addresses active", 0],
  ]);
  expect(samplesOf(world, "collector_last_success")).toEqual([["mainnet addresses", world.now / 1000 - 2]]);
  expect(samplesOf(world, "stacks_up")).toEqual([["mainnet", 1]]);
});

test("before the first poll ends, success, state and up are absent", () => {
  const world = new StatusWorld().network();
  world.task("fees");

  for (const part of ["collector_success", "collector_state", "stacks_up"]) expect(samplesOf(world, part)).toEqual([]);
  expect(samplesOf(world, "collector_targets").at(-1)).toEqual(["mainnet fees waiting", 1]);
});

test("a collector whose operation the server lacks has a state, and neither success nor the time of one", () => {
  const world = new StatusWorld().network();
  const task = world.task("transactions");
  world.succeed(task, 7200);
  world.lack(task, 3600);

  for (const part of ["collector_success", "collector_last_success", "stacks_up"]) {
    expect(samplesOf(world, part)).toEqual([]);
  }
  expect(samplesOf(world, "collector_state").filter(([, value]) => value === 1)).toEqual([
    ["mainnet transactions unsupported", 1],
  ]);
  world.fail(world.task("fees"), 1, "timeout");
  expect(samplesOf(world, "stacks_up")).toEqual([["mainnet", 0]]);
});

test("a network is not up in an outage, although the last poll of a target was a success an hour ago", () => {
  const cause = { reason: "network", message: "refused" } as const;
  const world = new StatusWorld().network("mainnet", { outage: { since: 0, ...cause } });
  world.fail(world.task("mempool"), 1, "network");
  const [address] = world.watch("addresses", ["a"]);
  if (address === undefined) throw new Error("unreachable");
  world.succeed(address, 3600);

  expect(samplesOf(world, "stacks_up")).toEqual([["mainnet", 0]]);
});
