// How long it takes until every wallet of a long watch list is read for the first time, and what is promised.
import { expect, test } from "@jest/globals";
import { stillSimulator } from "./simulator/support.ts";
import { Exporter } from "./support/exporter.ts";

const COLLECTORS = ["blocks", "addresses", "balances"];

test.each([
  { budget: { per_minute: 60, per_month: "unlimited" }, stepSeconds: 1 },
  { budget: { per_minute: 900, per_month: 60_000 }, stepSeconds: 20 },
])("with $budget, 200 wallets are read in the promised time", async ({ budget, stepSeconds }) => {
  const simulator = await stillSimulator({ history: 30 });
  await using ends = new AsyncDisposableStack();
  ends.defer(() => simulator.close());
  const { chain } = simulator;
  const addresses = Array.from({ length: 200 }, (_, index) => ({
    address: chain.accounts.unused(500_000 + index),
    balances: true,
  }));
  for (const { address } of addresses) chain.send(address, { fee: 10_000, amount: 1n });
  simulator.advance(20);
  await using exporter = await Exporter.start({
    api: simulator,
    network: { addresses, budget },
    collectors: Object.fromEntries(COLLECTORS.map((name) => [name, {}])),
    families: ["stacks_exporter_"],
  });
  const startedAt = exporter.clock.now() / 1000;
  await exporter.app.start();
  const firstPage = await exporter.page();
  const promised = (firstPage.value("stacks_exporter_first_polls_end_timestamp_seconds") ?? 0) - startedAt;
  const took = () => exporter.clock.now() / 1000 - startedAt;
  let unread = 400n;
  while (unread > 0n && took() < 2 * promised) {
    const step = stepSeconds * 1000;
    await exporter.clock.until(exporter.clock.sleep(step), step, 20, () => simulator.requests.length);
    unread = (await exporter.page()).sum("stacks_exporter_collector_targets", { state: "waiting" });
  }

  expect(unread).toBe(0n);
  expect(took()).toBeLessThanOrEqual(promised);
  // Nor is it a promise that says nothing.
  expect(took()).toBeGreaterThan(promised / 4);
});
