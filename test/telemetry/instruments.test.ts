import { expect, test } from "@jest/globals";
import { counter, histogram } from "../../src/exposition/family.ts";
import { Instruments } from "../../src/telemetry/instruments.ts";

test("the CPU time and the memory of the process are measured", async () => {
  const instruments = new Instruments();
  instruments.watchProcess();
  const until = process.cpuUsage().user + 50_000;
  while (process.cpuUsage().user < until);

  const values = new Map((await instruments.samples()).map(({ family, value }) => [family.name, value]));
  expect(values.get("process_cpu_seconds_total")).toBeGreaterThan(0.03);
  expect(values.get("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
});

test("the series with some labels can be removed", async () => {
  const labels = { network: "n", collector: "c" };
  const runs = counter({ name: "test_runs_total", help: "Runs.", labels });
  const times = histogram({ name: "test_seconds", help: "Times.", labels, bounds: [1, 2] });
  const instruments = new Instruments();
  for (const network of ["a", "b"]) {
    for (const collector of ["x", "y"]) {
      instruments.add(runs, { network, collector });
      instruments.observe(times, { network, collector }, 1.5);
    }
  }
  await instruments.remove({ network: "a" });
  await instruments.remove({ network: "b", collector: "x" });

  const left = (await instruments.samples()).map(({ family, labels }) => [family.name, labels]);
  expect(left).toEqual([
    ["test_runs_total", { network: "b", collector: "y" }],
    ["test_seconds", { network: "b", collector: "y" }],
  ]);
});
