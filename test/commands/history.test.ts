import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { canonicalTransactions, expectedCalls } from "../../simulator/chain/expected-totals.ts";
import type { Simulator } from "../../simulator/server.ts";
import { watchListOf } from "../../simulator/watch-list.ts";
import type { Clock } from "../../src/api/clock.ts";
import { type HistoryFlags, history } from "../../src/commands/history.ts";
import { timeText } from "../../src/history/range.ts";
import { stillSimulator } from "../simulator/support.ts";
import { differences, expectedTotals, type Totals } from "../support/expected-totals.ts";
import { historyBytes, historyFiles, type Point, readHistory } from "../support/history-files.ts";
import { runCommand } from "../support/io.ts";

const HOUR = 3600;
const STEP = 60;

let simulator: Simulator;
let folder: string;
let config: string;
beforeAll(async () => {
  simulator = await stillSimulator({ seed: 1, history: 800, activity: 0.25 });
});
afterAll(async () => {
  await simulator.close();
});
beforeEach(() => {
  simulator.faults.clear();
  folder = mkdtempSync(join(tmpdir(), "stacks-exporter-history-"));
  config = join(folder, "exporter.yaml");
  writeConfig();
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeConfig(network: object = {}, settings: object = {}): void {
  const watch = watchListOf(simulator.chain.accounts);
  const simulated = {
    name: "simulated",
    url: simulator.url,
    budget: { per_minute: 100_000, per_month: "unlimited" },
    ...watch,
    ...network,
  };
  writeFileSync(
    config,
    JSON.stringify({ state: { path: join(folder, "state.db") }, networks: [simulated], ...settings }),
  );
}

/** Three hours after the newest block, so that the history ends with it. It waits for nothing. */
const clockOf = (slept: number[] = []): Clock => ({
  now: () => (simulator.chain.now + 3 * HOUR) * 1000,
  elapsed: () => performance.now(),
  sleep: async (milliseconds) => {
    slept.push(milliseconds);
  },
});

const run = (flags: Partial<HistoryFlags> = {}, clock = clockOf(), stopped?: Promise<void>) =>
  runCommand((io) =>
    history(
      {
        config,
        since: "5h",
        step: `${STEP}s`,
        job: "stacks",
        instance: "localhost:10789",
        out: join(folder, "out"),
        ...flags,
      },
      stopped === undefined ? io : { ...io, stopped },
      clock,
    ),
  );

/** The range of the history, in blocks: the newest before each end. */
function blocksOf() {
  const until = Math.floor(simulator.chain.now / 60) * 60;
  const since = Math.floor((simulator.chain.now - 2 * HOUR) / 60) * 60;
  const { blocks } = simulator.chain.ledger;
  const newest = (time: number) => blocks.findLast((block) => block.time <= time)?.height ?? 0;
  return { since, until, from: newest(since), to: newest(until) };
}

const pathsOf = (requests: readonly { readonly path: string }[]) => requests.map(({ path }) => path);
const last = (points: readonly Point[] = []) => points.at(-1)?.value;

/** The last values, in the form of the expected totals. */
function totalsAtEnd(all: ReadonlyMap<string, readonly Point[]>): Totals {
  const ends = [...all].map(([series, points]) => {
    const [, name = "", labels = ""] = /^(\w+)\{(.*)\}$/.exec(series) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]);
    return [`${name}${JSON.stringify(pairs)}`, last(points) ?? 0] as const;
  });
  return new Map(ends);
}

describe("a history", () => {
  test("ends with the totals of the chain, and begins with 0", async () => {
    const { code, out, err } = await run();

    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("everything is read") });
    const all = readHistory(join(folder, "out"));
    const { since, until, from, to } = blocksOf();
    const { chain } = simulator;
    const watch = watchListOf(chain.accounts);
    const principals = watch.addresses.map(({ address }) => address);
    const totals = totalsAtEnd(all);
    expect(differences(totals, chain, principals, to, from)).toEqual([]);
    const sum = (name: string, ...labels: readonly string[]) =>
      [...all]
        .filter(([series]) => series.startsWith(`${name}{`) && labels.every((label) => series.includes(label)))
        .reduce((added, [, points]) => added + (last(points) ?? 0), 0);
    const mined = [...canonicalTransactions(chain)].filter(({ block: { height } }) => height > from && height <= to);
    expect(mined.length).toBeGreaterThan(500);
    expect(sum("stacks_chain_mined_transactions_total")).toBe(mined.length);
    expect(sum("stacks_chain_tx_fee_microstx_sum")).toBe(mined.reduce((fees, { tx }) => fees + tx.fee, 0));
    expect(sum("stacks_chain_blocks_total")).toBe(to - from);
    expect(sum("stacks_chain_transactions_total")).toBe(mined.length);
    for (const { contract_id } of watch.contracts) {
      const { calls, fees } = expectedCalls(chain, contract_id, from + 1, to);
      const called = Object.values(calls).reduce((added, number) => added + number, 0);
      const id = `contract_id="${contract_id}"`;
      expect({
        called: sum("stacks_contract_calls_total", id),
        fees: sum("stacks_contract_call_fees_microstx_total", id),
      }).toEqual({ called, fees: Number(fees) });
      const prints = mined
        .flatMap(({ tx }) => tx.events)
        .filter((one) => one.kind === "print" && one.contract === contract_id);
      expect(sum("stacks_contract_events_total", id)).toBe(prints.length);
    }

    for (const [series, points] of all) {
      expect(series).toMatch(/,job="stacks",instance="localhost:10789"[,}]/);
      if (/_total\{|_bucket\{|_count\{|_sum\{/.test(series))
        expect({ series, first: points[0]?.value }).toEqual({ series, first: 0 });
      // Once begun, counters have a sample at each step.
      if (/_total\{/.test(series)) {
        expect(points.map(({ at }) => at)).toEqual(points.map((_, index) => (points[0]?.at ?? 0) + index * STEP));
        expect(points.at(-1)?.at).toBe(until - ((until - since) % STEP));
      }
    }
    const info = [...all].find(([series]) => series.startsWith("stacks_address_info{"));
    expect(info?.[1]).toHaveLength((until - since) / STEP + 1);
    expect(
      [...all.keys()].filter((series) => /reorg|reverted|restored|pending|gap_|mempool|balance/.test(series)),
    ).toEqual([]);
    expect(out).toContain("promtool tsdb create-blocks-from openmetrics");
  });

  test("is the same after interruptions while the chain grows, and repeats at most one page of each", async () => {
    const { since, until } = blocksOf();
    const range = { since: timeText(since), until: timeText(until - 1800) };
    const start = simulator.requests.length;
    await run({ ...range, out: join(folder, "whole") });
    const whole = historyBytes(join(folder, "whole"));
    const undisturbed = simulator.requests.length - start;
    const starts = [1, 7, 20, Math.floor(undisturbed / 4), Math.floor(undisturbed / 4)];
    let sent = 0;
    for (const most of starts) {
      const before = simulator.requests.length;
      let stop = () => {};
      const stopped = new Promise<void>((resolve) => {
        stop = resolve;
      });
      const watch = setInterval(() => {
        if (simulator.requests.length - before >= most) stop();
      }, 1);
      const { code, err } = await run(range, clockOf(), stopped);
      clearInterval(watch);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("the same command continues") });
      sent += simulator.requests.length - before;
      // More than a page of blocks and of transactions.
      simulator.advance(400);
    }
    const before = simulator.requests.length;

    const { code } = await run(range);

    sent += simulator.requests.length - before;
    expect(code).toBe(0);
    expect(historyBytes(join(folder, "out"))).toBe(whole);
    // Each further start checks the chain, can repeat the step that was interrupted (a page, and at the beginning of a
    // list up to three requests for its position), and looks for the position in a list that has grown.
    expect(sent).toBeGreaterThanOrEqual(undisturbed);
    expect(sent).toBeLessThanOrEqual(undisturbed + starts.length * 6);
  });

  test("is the same from servers of which some are behind", async () => {
    const range = { since: timeText(blocksOf().since), until: timeText(blocksOf().until - 1800) };
    await run({ ...range, out: join(folder, "whole") });
    simulator.replicas.use([{ kind: "newest" }, { kind: "lag", blocks: 40 }], { order: "random", every: 3 });
    simulator.faults.add({ kind: "429", retryAfter: 1, count: 1 });

    const { code, err } = await run(range);
    simulator.replicas.clear();

    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("everything is read") });
    expect(historyBytes(join(folder, "out"))).toBe(historyBytes(join(folder, "whole")));
  });

  test("of long ago does not read what is newer", async () => {
    const { since, until } = blocksOf();
    await run({ only: "blocks,transactions", since: timeText(since), until: timeText(until) });
    const last = readHistory(join(folder, "out"));
    simulator.advance(6 * HOUR);
    const before = simulator.requests.length;
    const range = { since: timeText(since), until: timeText(until) };

    const { code } = await run({ only: "blocks,transactions", ...range, out: join(folder, "later") });

    expect(code).toBe(0);
    // 72 pages of blocks, and as many of transactions, are newer.
    expect(simulator.requests.length - before).toBeLessThan(100);
    expect(readHistory(join(folder, "later"))).toEqual(last);
  });

  test("is written again from what was read, without a request for it", async () => {
    await run();
    const first = historyBytes(join(folder, "out"));
    const before = simulator.requests.length;

    const same = await run();
    expect(same.code).toBe(0);
    expect(historyBytes(join(folder, "out"))).toBe(first);
    expect(pathsOf(simulator.requests.slice(before))).toEqual(["/extended/v1/block/by_height/1"]);

    await run({ instance: "other:1" });
    expect(historyBytes(join(folder, "out"))).toBe(first.replaceAll("localhost:10789", "other:1"));
  });

  test("of an address alone reads nothing else", async () => {
    const before = simulator.requests.length;

    const { code } = await run({ only: "addresses" });

    expect(code).toBe(0);
    const paths = new Set(
      pathsOf(simulator.requests.slice(before)).map((path) =>
        path.split("?")[0]?.replace(/S[PT]\w+(\.[\w-]+)?|0x\w+/g, "X"),
      ),
    );
    expect([...paths].sort()).toEqual([
      "/extended/v1/address/X/transactions_with_transfers",
      "/extended/v1/block/by_height/1",
      "/extended/v2/addresses/X/transactions",
    ]);
    // Pages of the list that has all transfers, and not a request for each block.
    const ofTransfers = pathsOf(simulator.requests.slice(before)).filter((path) => path.includes("_with_transfers"));
    expect(ofTransfers.length).toBeLessThan(20);
    const families = [...readHistory(join(folder, "out")).keys()].map((series) => series.split("_")[1]);
    expect([...new Set(families)]).toEqual(["address"]);
  });

  test("has the sums of groups with export: group, and not their members", async () => {
    const groups = [{ name: "exchange", export: "group" }];
    writeConfig({ groups });

    const { code, err } = await run({ only: "addresses" });

    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("everything is read") });
    const all = readHistory(join(folder, "out"));
    const { from, to } = blocksOf();
    const members = watchListOf(simulator.chain.accounts).addresses.filter(({ group }) => group === "exchange");
    const count = members.reduce(
      (sum, { address }) => sum + expectedTotals(simulator.chain, address, to, from).transactions,
      0,
    );
    const ofGroup = [...all].filter(([series]) => series.startsWith("stacks_group_transactions_total{"));
    expect(count).toBeGreaterThan(10);
    expect(ofGroup.reduce((sum, [, points]) => sum + (last(points) ?? 0), 0)).toBe(count);
    expect([...all.keys()].filter((series) => series.includes(members[0]?.address ?? "?"))).toEqual([]);
  });

  test("has the families that the configuration exposes", async () => {
    writeConfig({}, { metrics: { allow: ["stacks_address_*_microstx_total"] } });

    await run({ only: "addresses" });

    const names = new Set([...readHistory(join(folder, "out")).keys()].map((series) => series.split("{")[0]));
    expect([...names].sort()).toEqual([
      "stacks_address_fees_paid_microstx_total",
      "stacks_address_received_microstx_total",
      "stacks_address_sent_microstx_total",
      "stacks_address_stx_transfer_microstx_total",
    ]);
  });
});

describe("a chain that is younger than the history", () => {
  test("has its first samples at the time of its first block", async () => {
    const { code, out, err } = await run({ since: "1d" });

    const first = simulator.chain.ledger.blocks[0]?.time ?? 0;
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining(
        `the first block of the chain is of ${timeText(first)}, and so is the first sample\n`,
      ),
    });
    expect(out).toContain(`--start=${first} `);
    const all = readHistory(join(folder, "out"));
    const begins = [...all.values()].map(([point]) => point?.at ?? 0);
    expect(Math.min(...begins)).toBe(first);
    const { chain } = simulator;
    const end = first + Math.floor((blocksOf().until - first) / STEP) * STEP;
    const to = chain.ledger.blocks.findLast(({ time }) => time <= end)?.height ?? 0;
    const principals = watchListOf(chain.accounts).addresses.map(({ address }) => address);
    expect(differences(totalsAtEnd(all), chain, principals, to, 1)).toEqual([]);
  });

  test("is refused if it begins after the history, and not for ever", async () => {
    const young = clockOf();
    const first = simulator.chain.ledger.blocks[0]?.time ?? 0;
    const flags = { only: "blocks", since: "1d" };

    const { code, err } = await run(flags, { ...young, now: () => (first + 2 * HOUR) * 1000 });

    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/the first block of the chain is of \S+Z, after the end of the history, \S+Z$/),
    });
    expect((await run(flags)).code).toBe(0);
  });
});

describe("what the server does not offer", () => {
  test("is replaced, and then the list is read as a whole from its replacement", async () => {
    const slept: number[] = [];
    simulator.faults.add({ kind: "410", path: "/extended/v2/addresses/{address}/transactions" });

    const { code, err } = await run({ only: "addresses" }, clockOf(slept));

    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining("address hot-wallet: the server does not offer it"),
    });
    expect(slept).toContain(65_000);
    const { from, to } = blocksOf();
    const { chain } = simulator;
    const principals = watchListOf(chain.accounts).addresses.map(({ address }) => address);
    expect(differences(totalsAtEnd(readHistory(join(folder, "out"))), chain, principals, to, from)).toEqual([]);
  });

  test("transfers are read by transaction without the list that has all of them", async () => {
    simulator.faults.add({ kind: "410", path: "/extended/v1/address/{principal}/transactions_with_transfers" });

    const { code, err } = await run({ only: "addresses" });

    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining("address hot-wallet: the server does not offer it"),
    });
    const { from, to } = blocksOf();
    const { chain } = simulator;
    const principals = watchListOf(chain.accounts).addresses.map(({ address }) => address);
    expect(differences(totalsAtEnd(readHistory(join(folder, "out"))), chain, principals, to, from)).toEqual([]);
  });

  test("events are placed by their transactions without the list of the chain", async () => {
    const before = simulator.requests.length;

    const { code } = await run({ only: "contracts" });

    expect(code).toBe(0);
    const { from, to } = blocksOf();
    const prints = new Map<string, number>();
    for (const { tx, block } of canonicalTransactions(simulator.chain)) {
      if (block.height <= from || block.height > to) continue;
      for (const event of tx.events) {
        if (event.kind === "print") prints.set(event.contract, (prints.get(event.contract) ?? 0) + 1);
      }
    }
    const all = readHistory(join(folder, "out"));
    for (const { contract_id } of watchListOf(simulator.chain.accounts).contracts) {
      const ofContract = [...all].filter(
        ([series]) => series.startsWith("stacks_contract_events_total{") && series.includes(`"${contract_id}"`),
      );
      expect(ofContract.reduce((sum, [, points]) => sum + (last(points) ?? 0), 0)).toBe(prints.get(contract_id) ?? 0);
    }
    expect(prints.size).toBeGreaterThan(1);
    const requested = pathsOf(simulator.requests.slice(before)).filter((path) => path.includes("/v3/transactions/"));
    // Once each, but for transactions whose events are on two pages.
    expect(requested.length - new Set(requested).size).toBeLessThan(10);
    expect(requested.length).toBeGreaterThan(100);
  });

  test("is left out and reported", async () => {
    simulator.faults.add({ kind: "404", path: "/extended/v3/*" });

    const { code, err } = await run({ only: "blocks,transactions" });

    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("transactions: not in the history") });
    const names = [...readHistory(join(folder, "out")).keys()];
    expect(names.some((series) => series.startsWith("stacks_chain_blocks_total{"))).toBe(true);
    expect(names.some((series) => series.startsWith("stacks_chain_mined_transactions_total{"))).toBe(false);
  });

  test("fails the command if it is everything", async () => {
    simulator.faults.add({ kind: "404", path: "/extended/v3/*" });

    const { code, err } = await run({ only: "transactions" });

    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("the server offers nothing of this history"),
    });
    expect(historyFiles(join(folder, "out"))).toEqual([]);
  });
});

describe("failures", () => {
  test("that pass are waited for", async () => {
    const slept: number[] = [];
    await run({ only: "blocks", out: join(folder, "whole") });
    simulator.faults.add({ kind: "500", path: "/extended/v2/blocks", count: 7 });

    const { code, err } = await run({ only: "blocks" }, clockOf(slept));

    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("http_server: blocks:") });
    expect(slept.slice(0, 2)).toEqual([1000, 2000]);
    expect(historyBytes(join(folder, "out"))).toBe(historyBytes(join(folder, "whole")));
  });

  test("that do not pass end the command, which can be repeated", async () => {
    simulator.faults.add({ kind: "wrong-shape", path: "/extended/v2/blocks" });

    const { code, err } = await run({ only: "blocks" });

    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/the history cannot be read: bad_body: .*; the same command continues/),
    });
    simulator.faults.clear();
    expect((await run({ only: "blocks" })).code).toBe(0);
  });

  test("a server of another chain is refused", async () => {
    await run({ only: "blocks" });
    const other = await stillSimulator({ seed: 2, history: 10 });
    writeConfig({ url: other.url });

    const { code, err } = await run({ only: "blocks" });
    await other.close();

    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("found that of another chain") });
  });
});

describe("a folder", () => {
  test("has one history", async () => {
    await run({ only: "blocks" });

    const { code, err } = await run({ only: "blocks", since: "4h" });

    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("found that of network simulated --since 5h: use another folder, or delete it"),
    });
  });

  test("continues with other targets", async () => {
    const [first, ...others] = watchListOf(simulator.chain.accounts).addresses;
    writeConfig({ addresses: [first] });
    await run({ only: "addresses" });
    writeConfig({ addresses: [first, ...others] });
    const before = simulator.requests.length;

    const { code } = await run({ only: "addresses" });

    expect(code).toBe(0);
    expect(pathsOf(simulator.requests.slice(before)).filter((path) => path.includes(first?.address ?? "?"))).toEqual(
      [],
    );
    const { from, to } = blocksOf();
    const principals = [first, ...others].map((one) => one?.address ?? "");
    expect(differences(totalsAtEnd(readHistory(join(folder, "out"))), simulator.chain, principals, to, from)).toEqual(
      [],
    );
  });

  test("that cannot be written fails the command", async () => {
    writeFileSync(join(folder, "file"), "");

    const { code, err } = await run({ out: join(folder, "file") });

    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining("--out: expected a folder that can be written"),
    });
  });
});

describe("before it starts", () => {
  test("it prints an estimate, and a dry run nothing else", async () => {
    const before = simulator.requests.length;

    const { code, out, err } = await run({ dryRun: true });

    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toMatch(
      /^history of simulated from \S+Z to \S+Z, a sample every 60 s\n {2}blocks: about 24 requests\n/,
    );
    expect(err).toContain("addresses: at least 7 requests for 7 targets");
    expect(err).toMatch(/^requests: at least \d+; 1 minute with /m);
    expect(err).toMatch(/files: about [\d.]+ MB of text for about \d+ series/);
    expect(simulator.requests).toHaveLength(before);
    expect(existsSync(join(folder, "out"))).toBe(false);
  });

  test("all wrong flags are reported", async () => {
    const { code, err } = await run({ since: "1y", step: "1h", only: "balances,blocks", instance: "" });

    expect(code).toBe(1);
    expect(err.split("\n").map((line) => line.split(":")[0])).toEqual(["--since", "--step", "--only", "--instance"]);
  });

  test.each([
    ["addresses", { addresses: [] }],
    ["contracts,contract_calls", { contracts: [] }],
  ])("--only %s needs targets", async (only, network) => {
    writeConfig(network);

    const { code, err } = await run({ only });

    expect({ code, err }).toEqual({
      code: 1,
      err: `--only: expected a collector that is enabled on simulated and has targets, found ${only}`,
    });
  });
});
