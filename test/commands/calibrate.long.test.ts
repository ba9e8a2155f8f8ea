// The command on a real Prometheus, whose history has known episodes.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { calibrate } from "../../src/commands/calibrate.ts";
import { type Daemon, startDaemon } from "../support/daemon.ts";
import { describeWith } from "../support/installed.ts";
import { runCommand } from "../support/io.ts";

const suite = describeWith("prometheus", "promtool");

const DAY = 1440;
const DAYS = 10;
/** Unix seconds of the first minute of the history. */
const START = Date.UTC(2026, 0, 5) / 1000;
const NOW = (START + (DAYS * DAY - 1) * 60) * 1000;
/** Transactions of a full tenure of ten minutes. */
const CAPACITY = 72;

interface Episode {
  readonly from: number;
  readonly minutes: number;
  /** Multiple of the usual fee. */
  readonly fee: number;
  /** Tenures that wait. */
  readonly tenures: number;
}
const EPISODES: readonly Episode[] = [
  { from: 3 * DAY, minutes: 60, fee: 5, tenures: 0.5 },
  { from: 5 * DAY + 90, minutes: 30, fee: 4, tenures: 0.9 },
  { from: 6 * DAY, minutes: 20, fee: 2, tenures: 0.5 },
  { from: 8 * DAY, minutes: 40, fee: 8, tenures: 0.5 },
];
/** Full blocks have begun before, so that their rate is known when the fee rises, and end later. */
const isFull = (minute: number) =>
  EPISODES.some(({ from, minutes }) => minute >= from - 30 && minute < from + minutes + 30);
/** The exporter is down. */
const isDown = (minute: number) => minute >= 7 * DAY && minute < 7 * DAY + 600;

/** The metrics of the exporter as OpenMetrics: a sample 20 seconds before each minute. */
function exposed(): string {
  const lines = new Map<string, string[]>();
  const add = (name: string, labels: string, value: number, minute: number) => {
    const series = `${name}{${labels === "" ? "" : `${labels},`}job="stacks",instance="exporter:10789"}`;
    const own = lines.get(series) ?? [];
    lines.set(series, own);
    own.push(`${series} ${value} ${START + minute * 60 - 20}\n`);
  };
  let tenures = 0;
  for (let minute = 0; minute < DAYS * DAY; minute += 1) {
    tenures += (isFull(minute) ? 0.95 : 0.4) / 10;
    if (isDown(minute)) continue;
    const now = EPISODES.find(({ from, minutes }) => minute >= from && minute < from + minutes);
    const own = 'network="mainnet"';
    add("stacks_up", own, 1, minute);
    add("stacks_up", 'network="testnet"', 1, minute);
    add("stacks_chain_mined_fee_microstx", `${own},tx_type="all",percentile="p25"`, 1000 * (now?.fee ?? 1), minute);
    add("stacks_chain_mined_fee_baseline_microstx", `${own},tx_type="all",percentile="p25"`, 1000, minute);
    add("stacks_chain_execution_cost_total", `${own},dimension="runtime"`, tenures, minute);
    add("stacks_chain_tenure_execution_cost_limit", `${own},dimension="runtime"`, 1, minute);
    add("stacks_chain_transactions_total", own, tenures * CAPACITY, minute);
    add("stacks_mempool_transactions", `${own},tx_type="contract_call"`, 60 + CAPACITY * (now?.tenures ?? 0), minute);
    add("stacks_mempool_transactions", `${own},tx_type="token_transfer"`, 40, minute);
  }
  return `${[...lines.values()].flat().join("")}# EOF\n`;
}

suite("with Prometheus (Debian: apt-get install prometheus)", () => {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-calibrate-"));
  let prometheus: Daemon;

  beforeAll(async () => {
    const [file, config, data] = [join(folder, "history"), join(folder, "prometheus.yml"), join(folder, "tsdb")];
    writeFileSync(file, exposed());
    writeFileSync(config, "");
    execFileSync("promtool", ["tsdb", "create-blocks-from", "openmetrics", "-q", file, data], { stdio: "ignore" });
    prometheus = await startDaemon("prometheus", [
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      "--storage.tsdb.retention.time=100y",
    ]);
  });
  afterAll(async () => {
    await prometheus?.stop();
    rmSync(folder, { recursive: true });
  });

  const run = (flags: { days: string; alarms: string; network: string }) =>
    runCommand((io) => calibrate({ prometheus: prometheus.url, ...flags }, io, NOW));

  test("finds the episodes in exposed series alone, and limits for a chosen number", async () => {
    const { code, out, err } = await run({ days: "12", alarms: "7", network: "mainnet" });

    expect({ code, err }).toEqual({ code: 0, err: "" });
    const [history = "", spike = "", backlog = ""] = out.split("\n\n");
    expect(history).toMatch(/^network mainnet, 2026-01-03 00:00 to 2026-01-14 23:59 UTC/);
    expect(history).toContain("  history: 9d14h4m of 12d\n");
    expect(history).toContain("    until 2026-01-05 00:00: the history begins here\n");
    // Prometheus takes a value as the current one for five minutes.
    expect(history).toMatch(/ {4}2026-01-12 00:04 for 9h56m$/m);
    expect(spike).toContain("  missing series: stacks_mempool_fee_priority_microstx\n");
    expect(spike).toMatch(/^ {2}3 alarms, 9\.\d+ in 30 days:$/m);
    expect(spike.match(/^ {4}2026.*$/gm)).toEqual([
      "    2026-01-08 00:01  1h29m     5",
      "    2026-01-10 01:31  59m       4",
      "    2026-01-13 00:01  1h9m      8",
    ]);
    expect(spike).toContain("  at most 7 in 30 days: with the limit 4, which gives 2 alarms");
    expect(backlog).toMatch(/^StacksMempoolBacklog: backlog, in tenures, fires >= 0\.6\n/);
    expect(backlog.match(/^ {4}2026.*$/gm)).toEqual(["    2026-01-10 01:31  1h29m     0.9"]);
    expect(backlog).toContain("  at most 7 in 30 days: with the limit 0.51, which gives 1 alarm");
  });

  test("reports missing data on a network with little history", async () => {
    const { code, out } = await run({ days: "2", alarms: "2", network: "testnet" });

    expect(code).toBe(1);
    expect(out).toContain("network testnet");
    expect(out).toContain("missing series: stacks_chain_mined_fee_microstx, stacks_chain_mined_fee_baseline_microstx");
    expect(out.match(/cannot be evaluated on this history/g)).toHaveLength(2);
  });

  test("a short history is not sufficient for few alarms in a month", async () => {
    const { out } = await run({ days: "2", alarms: "2", network: "mainnet" });

    expect(out).toContain("(the history is short: one alarm in it is 15 in 30 days)");
  });
});
