// The history of a simulated chain in a real Prometheus, and in the past of its recording rules.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { canonicalTransactions, expectedCalls } from "../../simulator/chain/expected-totals.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { watchListOf } from "../../simulator/watch-list.ts";
import { type Daemon, startDaemon } from "../support/daemon.ts";
import { expectedTotals } from "../support/expected-totals.ts";
import { historyBytes, historyFiles } from "../support/history-files.ts";
import { describeWith } from "../support/installed.ts";
import { killAll, run, start, until } from "../support/program.ts";

const HOUR = 3600;
// The baseline of an address needs 288 samples of an hour, one every five minutes.
const HOURS = 27;
const RULES = fileURLToPath(new URL("../../alerts/generated/recording.rules.yaml", import.meta.url));

const suite = describeWith("prometheus", "promtool");

suite("with Prometheus (Debian: apt-get install prometheus)", () => {
  const now = Math.floor(Date.now() / 1000);
  const end = Math.floor((now - 3 * HOUR - 60) / 60) * 60;
  const begin = end - HOURS * HOUR;
  let folder: string;
  let simulator: Simulator;
  let prometheus: Daemon | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stacks-exporter-history-"));
    simulator = await startSimulator({
      seed: 1,
      start: now,
      now: () => now * 1000,
      history: ((HOURS + 4) * HOUR) / 10,
      keepBlocks: 1_000_000,
      activity: 0.1,
    });
    const network = {
      name: "simulated",
      url: simulator.url,
      budget: { per_minute: 100_000, per_month: "unlimited" },
      ...watchListOf(simulator.chain.accounts),
    };
    writeFileSync(join(folder, "exporter.yaml"), JSON.stringify({ networks: [network] }));
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "prometheus.yml"), "{}");
  });
  afterAll(async () => {
    killAll();
    await prometheus?.stop();
    await simulator.close();
    rmSync(folder, { recursive: true });
  });

  const iso = (at: number) => new Date(at * 1000).toISOString().replace(":00.000Z", "Z");
  const args = (out: string) => [
    "history",
    ...["--config", join(folder, "exporter.yaml"), "--out", join(folder, out)],
    ...["--since", iso(begin), "--until", iso(end), "--instance", "localhost:10789"],
  ];
  const startPrometheus = () =>
    startDaemon("prometheus", [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      "--storage.tsdb.retention.time=120d",
    ]);
  const restart = async () => {
    await prometheus?.stop();
    prometheus = await startPrometheus();
  };
  const query = async (expr: string, time = end) => {
    const url = `${prometheus?.url}/api/v1/query?${new URLSearchParams({ query: expr, time: String(time) })}`;
    const body = (await (await fetch(url)).json()) as {
      error?: string;
      data?: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    if (body.data === undefined) throw new Error(`${body.error}: ${expr}`);
    return body.data.result;
  };
  const value = async (expr: string, time = end) => Number((await query(expr, time))[0]?.value[1] ?? Number.NaN);
  const recordRules = () =>
    execFileSync(
      "promtool",
      [
        ...["tsdb", "create-blocks-from", "rules", `--url=${prometheus?.url}`],
        ...[`--start=${begin}`, `--end=${end}`, `--output-dir=${join(folder, "data")}`, RULES],
      ],
      { stdio: "pipe" },
    );

  test("a history that was killed again and again is the same, and repeats at most a page", async () => {
    const first = simulator.requests.length;
    const undisturbed = await run(args("whole"));
    expect(undisturbed.err).toContain("everything is read");
    const whole = simulator.requests.length - first;
    const kills = 6;
    const before = simulator.requests.length;
    for (let kill = 1; kill <= kills; kill += 1) {
      const program = start(args("out"));
      const target = before + Math.floor((whole * kill) / (kills + 1));
      await until(async () => (simulator.requests.length >= target ? true : undefined), "requests");
      program.child.kill("SIGKILL");
      expect(await program.finished).toMatchObject({ signal: "SIGKILL" });
    }
    // While it writes.
    const writing = start(args("out"));
    await writing.says(/everything is read/);
    writing.child.kill("SIGKILL");
    await writing.finished;

    const { code } = await run(args("out"));

    expect(code).toBe(0);
    expect(historyBytes(join(folder, "out"))).toBe(historyBytes(join(folder, "whole")));
    // Each further start checks the chain, and repeats the request that was killed.
    expect(simulator.requests.length - before).toBeLessThanOrEqual(whole + (kills + 1) * 2);
  });

  test("a full disk ends the command, and loses nothing", async () => {
    const limited = await start(args("full"), {}, { largestFile: 2000 }).finished;

    expect(limited.code).toBe(1);
    expect(limited.err).toMatch(/spool\.db: .*; what was read before is kept/);
    expect((await run(args("full"))).code).toBe(0);
    // The files of the last run stay until the others are complete.
    const rewritten = await start([...args("full"), "--job", "other"], {}, { largestFile: 1000 }).finished;
    expect({ code: rewritten.code, err: rewritten.err }).toEqual({
      code: 1,
      err: expect.stringContaining("--out: the files cannot be written"),
    });
    expect(historyBytes(join(folder, "full"))).toBe(historyBytes(join(folder, "whole")));
  });

  test("a running Prometheus loads the blocks, and has the totals of the chain", async () => {
    prometheus = await startPrometheus();
    for (const name of historyFiles(join(folder, "out"))) {
      const file = join(folder, "out", name);
      execFileSync("promtool", [
        ...["tsdb", "create-blocks-from", "openmetrics", "--max-block-duration=24h"],
        ...[file, join(folder, "data")],
      ]);
    }
    await until(async () => ((await query("stacks_chain_blocks_total")).length > 0 ? true : undefined), "the blocks");

    const { chain } = simulator;
    const newest = (time: number) => chain.ledger.blocks.findLast((block) => block.time <= time)?.height ?? 0;
    const [from, to] = [newest(begin), newest(end)];
    const mined = [...canonicalTransactions(chain)].filter(({ block: { height } }) => height > from && height <= to);
    // A minute more than the history, whose first sample is 0: nothing is extrapolated.
    const increase = (series: string) => value(`sum(increase(${series}[${HOURS * 60 + 1}m]))`);
    expect(mined.length).toBeGreaterThan(3000);
    expect(await increase("stacks_chain_mined_transactions_total")).toBeCloseTo(mined.length, 6);
    expect(await increase("stacks_chain_blocks_total")).toBeCloseTo(to - from, 6);
    expect(await increase("stacks_chain_tx_fee_microstx_count")).toBeCloseTo(
      mined.filter(({ tx }) => !["coinbase", "tenure_change"].includes(tx.type)).length,
      6,
    );
    const { addresses, contracts } = watchListOf(chain.accounts);
    for (const { address } of addresses) {
      const totals = expectedTotals(chain, address, to, from);
      expect(await increase(`stacks_address_transactions_total{address="${address}"}`)).toBeCloseTo(
        totals.transactions,
        6,
      );
      const sent = await increase(`stacks_address_sent_microstx_total{address="${address}"}`);
      expect((sent + 1) / (Number(totals.sent) + 1)).toBeCloseTo(1, 9);
    }
    for (const { contract_id } of contracts) {
      const { calls } = expectedCalls(chain, contract_id, from + 1, to);
      const expected = Object.values(calls).reduce((sum, count) => sum + count, 0);
      expect(await increase(`stacks_contract_calls_total{contract_id="${contract_id}"}`)).toBeCloseTo(expected, 6);
    }
    // No gap: instant queries at any time see a sample.
    const gaps = `count_over_time(stacks_chain_block_height[${HOURS}h:1m])`;
    expect(await value(gaps)).toBeGreaterThanOrEqual(HOURS * 60);
    expect((await query("stacks_chain_block_height"))[0]?.metric).toMatchObject({
      job: "stacks",
      instance: "localhost:10789",
    });
  });

  test("the recording rules have values in the past", async () => {
    recordRules();
    await restart();
    expect(await value("count(stacks:address_sent_microstx:increase1h)")).toBe(7);
    expect(await query("stacks:address_sent_microstx:baseline7d")).toEqual([]);
    recordRules();
    await restart();

    expect(await value("count(stacks:address_sent_microstx:baseline7d)")).toBe(7);
    // The rules, evaluated by Prometheus itself when promtool did: the offset of a group depends on its file's name.
    const increase = "stacks:address_sent_microstx:increase1h";
    const at = await value(`max(timestamp(${increase}))`);
    const pairs = [
      [increase, "increase(stacks_address_sent_microstx_total[1h])"],
      ["stacks:address_sent_microstx:baseline7d", `quantile_over_time(0.5, ${increase}[7d])`],
    ] as const;
    for (const [rule, expr] of pairs) {
      const [recorded, computed] = [await value(`sum(${rule})`, at), await value(`sum(${expr})`, at)];
      expect(recorded).toBeGreaterThan(0);
      expect(recorded / computed).toBeCloseTo(1, 9);
    }
    expect(await value("count(stacks:chain_tenure_capacity:transactions)")).toBe(1);
    expect(await value("count(stacks:chain_block_usage:ratio)")).toBe(1);
    expect(await value("count(stacks:contract_calls_failed:per_success7d)")).toBeGreaterThan(0);
  });
});
