import { expect, test } from "@jest/globals";
import { Instruments } from "../../src/telemetry/instruments.ts";

test("the event loop lag is absent until it is measured", async () => {
  const instruments = new Instruments();
  const families = instruments.watchProcess().map(({ name }) => name);
  const late = ["min", "max", "mean", "p50", "p90", "p99"].map((what) => `nodejs_eventloop_lag_${what}_seconds`);
  expect(families).toEqual(expect.arrayContaining(late));

  const seen = (await instruments.samples()).map(({ family }) => family.name);
  expect(seen).toContain("process_cpu_seconds_total");
  expect(seen.filter((name) => late.includes(name))).toEqual([]);
});
