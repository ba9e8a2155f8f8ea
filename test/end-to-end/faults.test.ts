// Every fault with every collector: the page stays available, the reason is counted, no wrong value is exposed, and
// recovery needs no restart.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Fault } from "../../simulator/faults/fault.ts";
import { startSimulator } from "../../simulator/server.ts";
import { REASONS } from "../../src/api/errors.ts";
import type { App } from "../../src/app.ts";
import { createApp, readPage } from "../support/app.ts";
import { dataOf } from "../support/data.ts";
import { FakeClock } from "../support/fake-clock.ts";

const COLLECTORS = ["fees", "mempool", "blocks"] as const;
const GAUGES = {
  fees: "stacks_mempool_fee_priority_microstx",
  mempool: "stacks_mempool_transactions",
  blocks: "stacks_chain_block_height",
} as const;

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let app: App;
let clock: FakeClock;

const config = `
networks: [{ name: simulated, url: "URL", budget: { per_minute: 1000, per_month: unlimited } }]
collectors:
  fees: { every: 20s, timeout: 2s }
  mempool: { every: 20s, timeout: 2s }
  blocks: { every: 20s, timeout: 2s }
  transactions: { every: 20s, timeout: 2s }
  mempool_transactions: { every: 20s, timeout: 2s }
`;

beforeEach(async () => {
  simulator = await startSimulator({ seed: 3, history: 80 });
  clock = new FakeClock(Date.now());
  app = await createApp(config.replace("URL", simulator.url), undefined, { clock });
});
afterEach(async () => {
  await app.stop();
  await simulator.close();
});

const CASES = dataOf<readonly [Fault, keyof typeof REASONS][]>("faults.yaml", import.meta.url);

/** Polls all; waits for retries, and for timeouts if there are any. */
const poll = (longestWaitMs = 1000) => clock.until(app.pollOnce(), longestWaitMs, 20, () => simulator.requests.length);

test.each(CASES)(
  "%j is counted as %s by every collector, exposes no wrong value, and passes",
  async (fault, reason) => {
    expect(await poll()).toEqual([]);
    const good = await readPage(app);
    for (const collector of COLLECTORS) expect(good.names).toContain(GAUGES[collector]);

    // Something has changed since: a 304 has no body to corrupt.
    simulator.advance(30);
    simulator.faults.set(fault);
    await poll(reason === "timeout" ? 20_000 : 1000);
    const bad = await readPage(app);

    expect(bad.value("stacks_up")).toBe(0);
    const state = reason === "gone" ? "retired" : reason === "rate_limited" ? "paused" : "degraded";
    for (const collector of COLLECTORS) {
      const shown = (name: string, more = {}) => bad.value(`stacks_exporter_collector_${name}`, { collector, ...more });
      expect(shown("success")).toBe(0);
      const reasons = Object.keys(REASONS).filter((one) => (shown("failures_total", { reason: one }) ?? 0) > 0);
      expect(reasons).toEqual([reason]);
      expect(shown("state", { state })).toBe(1);
      // The samples are those of before the fault.
      expect(bad.samples(GAUGES[collector])).toEqual(good.samples(GAUGES[collector]));
    }

    simulator.faults.clear();
    // A pause ends, and a request tries the server again at most 20 s after a failure here.
    for (let left = 5; left > 0; left -= 1) {
      await clock.advance(20_000);
      if ((await poll()).length === 0) break;
    }
    const after = await readPage(app);
    expect(after.value("stacks_up")).toBe(1);
    for (const collector of COLLECTORS) expect(after.value("stacks_exporter_collector_success", { collector })).toBe(1);
  },
);

test("in an outage gauges become absent, and counters stay", async () => {
  await poll();
  simulator.faults.set({ kind: "db-down" });
  await poll();
  await clock.advance(61_000);
  const page = await readPage(app);

  for (const gauge of Object.values(GAUGES)) expect(page.names).not.toContain(gauge);
  for (const counter of ["chain_blocks", "chain_reorgs", "mempool_snapshots_changed"])
    expect(page.names).toContain(`stacks_${counter}_total`);
  expect(page.value("stacks_exporter_collector_last_success_timestamp_seconds", { collector: "fees" })).toBeGreaterThan(
    0,
  );
});
