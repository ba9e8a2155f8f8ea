import { expect, test } from "@jest/globals";
import { Exposition } from "../../src/exposition/exposition.ts";
import type { Family } from "../../src/exposition/family.ts";
import { State } from "../../src/storage/state.ts";
import { report } from "../../src/telemetry/report.ts";
import { ownFamilies } from "../../src/telemetry/self-metrics.ts";
import { fakeTask, level, total } from "../support/fake-task.ts";

const network = {
  network: "mainnet",
  origin: "https://api.example",
  upstreams: [],
  blocked: undefined,
  minute: { limit: 10, used: 0, remaining: 10 },
  month: undefined,
  plannedPerMinute: 1,
  pausedUntil: undefined,
  longestPauseMs: 900_000,
  outage: undefined,
  operations: [],
  retired: [],
  rateLimits: [],
};

test("a collector with several targets is one collector, and says how its targets stand", async () => {
  const { collector } = fakeTask(async () => 1);
  const tasks = ["a", "b", "c"].map((key) => ({ ...fakeTask(async () => 1), collector, target: { key } }));
  const state = new State(new Exposition([level, total]));
  const [good, bad] = tasks;
  if (good === undefined || bad === undefined) throw new Error("unreachable");
  state.succeed(good, 1, [], 1_000);
  state.fail(bad, { reason: "timeout", message: "late", at: 2_000 });

  const page = new Exposition(ownFamilies as readonly Family[]);
  page.set(
    "own",
    report(tasks, state, { networks: [network], versions: { version: "1", node: "v24" }, watchList: undefined }, 3_000),
  );
  const text = (await page.page("classic")).body.toString();

  const of = (name: string) => text.split("\n").filter((line) => line.startsWith(`${name}{`));
  expect(of("stacks_exporter_collector_success")).toEqual([expect.stringMatching(/ 0$/)]);
  expect(of("stacks_exporter_collector_targets").map((line) => line.replace(/.*state=/, ""))).toEqual([
    '"active"} 1',
    '"degraded"} 1',
    '"retired"} 0',
    '"paused"} 0',
    '"waiting"} 1',
  ]);
  expect(of("stacks_exporter_collector_state").filter((line) => line.endsWith(" 1"))).toEqual([
    expect.stringContaining('state="degraded"'),
  ]);
});
