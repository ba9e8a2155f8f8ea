import { beforeEach, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/collector.ts";
import type { FeeEstimate } from "../../src/collectors/mempool-transactions/estimate.ts";
import { feeReport } from "../../src/telemetry/fee-report.ts";
import { StatusWorld } from "../support/status.ts";

const fees = { "10m": 2, "1h": 1 };
let world: StatusWorld;
let task: Task;
let estimate: FeeEstimate | undefined;

beforeEach(() => {
  world = new StatusWorld().network();
  task = world.task("estimates");
  Object.assign(task.collector, { feeEstimate: () => estimate });
  estimate = { at: 5, types: { all: { observations: 9, fees } } };
});

const report = () => feeReport("mainnet", world);

test.each<[string, () => void, string]>([
  ["before the first poll", () => undefined, "estimates has no values: no poll has ended in time"],
  ["when it failed", () => world.fail(task, 1, "network", "refused"), "estimates has no values: network: refused"],
  [
    "when the estimate has expired",
    () => {
      world.succeed(task, 30);
      world.fail(task, 10, "timeout", "late");
    },
    "estimates has no values: timeout: late",
  ],
  [
    "without mined transactions",
    () => {
      estimate = undefined;
      world.succeed(task, 1);
    },
    "estimates needs the mined transactions of the last ten minutes",
  ],
  [
    "with too few of them",
    () => {
      estimate = { at: 5, types: {} };
      world.succeed(task, 1);
    },
    "too few transactions were mined in the last ten minutes",
  ],
])("has a reason %s", (_, happen, reason) => {
  happen();

  expect(report()).toMatchObject({ error: reason });
});

test("has a reason on a network without such a collector", () => {
  Object.assign(task.collector, { feeEstimate: undefined });
  world.succeed(task, 1);
  expect(report()).toMatchObject({ error: "no collector that estimates fees is enabled" });
});
