import { expect, test } from "@jest/globals";
import { Instruments } from "../../src/telemetry/self-metrics.ts";

test("the CPU time and the memory of the process are measured", async () => {
  const instruments = new Instruments();
  instruments.watchProcess();
  const until = process.cpuUsage().user + 50_000;
  while (process.cpuUsage().user < until);

  const values = new Map((await instruments.samples()).map(({ family, value }) => [family.name, value]));
  expect(values.get("process_cpu_seconds_total")).toBeGreaterThan(0.03);
  expect(values.get("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
});
