// The clock of a machine that was ahead is set back by hours.
import { expect, test } from "@jest/globals";
import { stillSimulator } from "../simulator/support.ts";
import { Exporter } from "../support/exporter.ts";

test.each([
  // Estimates need both lists.
  { kind: "503", path: "/extended/v3/transactions" },
  { kind: "503" },
] as const)("gauges and estimates of fees expire, and the exporter is ready: %j", async (fault) => {
  await using simulator = await stillSimulator({ history: 400 });
  await using exporter = await Exporter.start({
    api: simulator,
    collectors: { blocks: {}, transactions: {}, mempool_transactions: {} },
  });
  const [{ url } = { url: "" }] = await exporter.app.start();
  const status = async () => (await fetch(`${url}/api/v1/fees/recommended`)).status;
  exporter.clock.set(exporter.clock.now() - 600_000);
  await exporter.clock.run(120, () => simulator.requests.length);
  expect([exporter.app.missing(), await status()]).toEqual([[], 200]);
  exporter.clock.set(exporter.clock.now() - 24 * 3_600_000);
  simulator.faults.set(fault);
  await exporter.clock.run(3600, () => simulator.requests.length, 60);
  const page = await exporter.page();
  expect([page.samples("stacks_fee_estimate_microstx"), await status()]).toEqual([[], 503]);
});
