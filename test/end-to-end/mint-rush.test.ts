// A mint rush on a chain whose budgets are renewed after 36 s: the time until a webhook has StacksFeeSpike, with the
// shipped rules and nothing divided.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { startSimulator } from "../../simulator/server.ts";
import { describeWith } from "../support/installed.ts";
import { PROGRAMS, startMonitoring } from "../support/monitoring.ts";
import { killAll, serve, until } from "../support/program.ts";

/** The page is to arrive within this time after the first mint. Milliseconds. */
const LIMIT = 180_000;
const RATIO = 'stacks:chain_mined_fee_microstx:ratio{tx_type="contract_call"}';
const PRICES = /^Stacks(Fee|OwnFee)/;

describeWith(...PROGRAMS)("with Prometheus and Alertmanager (Debian: prometheus, prometheus-alertmanager)", () => {
  afterAll(killAll);

  test("a mint rush reaches a webhook within three minutes, and nothing does before", async () => {
    await using parts = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-rush-"));
    parts.defer(() => rmSync(folder, { recursive: true }));
    const simulator = await startSimulator({ seed: 36, slowHours: 60, renewal: 36 });
    parts.defer(() => simulator.close());
    const every = Object.fromEntries(
      ["transactions", "mempool", "blocks"].map((collector) => [collector, { every: "15s" }]),
    );
    const config = {
      networks: [{ name: "rush", url: simulator.url, budget: { per_minute: 600, per_month: "unlimited" } }],
      collectors: every,
    };
    writeFileSync(join(folder, "exporter.yaml"), JSON.stringify(config));
    const exporter = await serve(["--config", join(folder, "exporter.yaml")]);
    parts.defer(async () => void (await exporter.stop()));
    const { webhook, query } = await startMonitoring(parts, folder, exporter.address);
    const fired = () =>
      webhook.notifications.find(({ alerts }) => alerts.some(({ labels }) => PRICES.test(labels.alertname ?? "")));
    // The usual level has its samples after a few minutes.
    await until(async () => ((await query(RATIO))[""] ?? 0) > 0 || undefined, "the ratio", 380_000);
    expect(fired()).toBeUndefined();

    simulator.chain.begin("spike");
    const began = Date.now();
    const { at, alerts } = await until(async () => fired(), "the notification", LIMIT + 60_000);

    expect(alerts.map(({ labels }) => labels.alertname)).toEqual(["StacksFeeSpike"]);
    expect(at - began).toBeLessThanOrEqual(LIMIT);
  }, 700_000);
});
