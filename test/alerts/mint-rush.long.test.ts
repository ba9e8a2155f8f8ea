// A mint rush on a chain whose budgets are renewed after 36 s: the time until StacksFeeSpike is notified.
import { expect, test } from "@jest/globals";
import { AlertStory, PROGRAMS } from "../support/alert-story.ts";
import { describeWith } from "../support/installed.ts";

const LIMIT_SECONDS = 180;
const BASELINE = "stacks_chain_mined_fee_baseline_microstx";

describeWith(...PROGRAMS)("with Prometheus and Alertmanager (Debian: prometheus, prometheus-alertmanager)", () => {
  test("a mint rush is notified within three minutes, and nothing is before", async () => {
    const collectors = Object.fromEntries(
      ["transactions", "mempool", "blocks"].map((collector) => [collector, { every: "15s" }]),
    );
    const network = { budget: { per_minute: 600, per_month: "unlimited" } };
    await using story = await AlertStory.start({ seed: 36, slowHours: 80, renewal: 36 }, 0, () => ({
      network,
      collectors,
    }));
    // The usual level has its samples after a few minutes.
    await story.passUntil(
      async () =>
        (await story.exporter.page()).value(BASELINE, { tx_type: "contract_call", percentile: "p25" }) !== undefined,
    );
    await story.pass(120);
    story.simulator.chain.begin("spike");
    const began = story.second;
    await story.pass(LIMIT_SECONDS + 60);

    const { notified } = await story.outcome();
    const others = notified.filter(({ receiver }) => receiver !== "heartbeat");
    expect(others.map(({ alert }) => alert)).toEqual(["StacksFeeSpike"]);
    const after = (others[0]?.at ?? 0) - began;
    expect(after).toBeGreaterThan(0);
    expect(after).toBeLessThanOrEqual(LIMIT_SECONDS);
  });
});
