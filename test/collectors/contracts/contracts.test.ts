import { describe, expect, test } from "@jest/globals";
import { Cl } from "@stacks/transactions";
import { ApiError } from "../../../src/api/errors.ts";
import type { StacksApi } from "../../../src/api/operation.ts";
import { contracts } from "../../../src/collectors/contracts/contracts.ts";
import { cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun, NOW, type Samples, targetOf } from "../../support/collect.ts";
import { CONTRACT, EventList } from "../../support/event-list.ts";
import { rulesOf } from "../../support/event-rules.ts";
import { expectGolden } from "../../support/golden.ts";
import { chainOf } from "../../support/known-chain.ts";
import { ModelExporter } from "../../support/model-exporter.ts";

const EVENTS = "contract_events_total";
const target = targetOf(CONTRACT, 3, {
  name: "logger",
  group: "demo",
  labels: { desk: "three" },
  silentAfterMs: 7_200_000,
});
const totals = (samples: Samples) => ({
  events: samples.sum(EVENTS),
  gaps: samples.get("contract_events_gap_total"),
  reverted: samples.get("contract_reverted_events_total"),
});
const prints = (count: number) => Array.from({ length: count }, () => ({}));
const listOf = (count: number, eventsPerTransaction: number) => {
  const list = new EventList(eventsPerTransaction);
  list.add(prints(count));
  return list;
};
/** A contract after its first poll, with its list of events. */
async function started(count: number, eventsPerTransaction: number, options: object = {}) {
  const list = listOf(count, eventsPerTransaction);
  const run = new CollectorRun(contracts, list.api, () => ({ target, options, chain: list.chain(3) }));
  await run.poll();
  return { list, run };
}
/** A chain on which transaction `n` of the list is in block `n`. */
const chainTo = (tip: number) => new EventList().forked(tip, undefined, 1);

test.each([7, 1])("pages of which only %d events are not too large are read", async (largest) => {
  const { list, run } = await started(10, 1);
  list.largest = largest;
  list.add(prints(20));

  expect((await run.polls(12)).sum(EVENTS)).toBe(20);
  expect(run.failures).toEqual([]);
});

test("samples of captured responses", async () => {
  const { json } = captured("v2-logs.cursors");
  const { results, cursor } = json as { results: readonly { tx_id: string }[]; cursor: string };
  const [height = 0] = cursor.split(":").map(Number);
  let isEmpty = true;
  const api = cannedApi((url, operation) => {
    if (operation === "contract_logs") return isEmpty ? { status: 404 } : { json };
    const index = results.findIndex(({ tx_id }) => url.endsWith(tx_id));
    return { json: { tx_id: "", block: { height: height - index, hash: `0x${height - index}`, tx_index: 0 } } };
  });
  const run = new CollectorRun(contracts, api, { network: "testnet", target, chain: chainTo(24) });
  await run.poll();
  isEmpty = false;

  expect((await run.poll({ chain: chainTo(height + 2) })).sum(EVENTS)).toBe(3);
  expect(api.requests[1]).toMatch(new RegExp(`cursor=${height}%3A2147483647%3A32767%3A2147483647`));
  expectGolden("v2-logs.cursors", run.samples.page);
});

test("switches to the older operation when the server lacks the newer one, and counts nothing twice", async () => {
  const { list, run } = await started(60, 3);
  list.hasLogs = false;
  list.add(prints(5));

  expect(totals(await run.polls(2))).toMatchObject({ events: 5, gaps: 0 });
  list.hasLogs = true;
  list.add(prints(4));
  expect(totals(await run.polls(2))).toMatchObject({ events: 9, gaps: 0 });
});

describe("a burst", () => {
  test("of more pages than one poll reads", async () => {
    const { list, run } = await started(60, 20, { pages: 2 });
    const behind: boolean[] = [];
    for (let polls = 0; polls < 12; polls += 1) {
      // The list grows while it is read.
      list.add(prints(polls === 0 ? 540 : 6));
      await run.poll();
      run.restart();
      behind.push(run.hints.isBehind);
    }
    expect([behind[0], behind.at(-1)]).toEqual([true, false]);
    expect(totals(await run.poll())).toEqual({ events: 540 + 11 * 6, gaps: 0, reverted: 0 });
  });

  test("that is half read when only a server without the newer operation is left: a gap, then all events", async () => {
    const { list, run } = await started(60, 20, { pages: 2 });
    list.add(prints(540));
    const { events } = totals(await run.poll());
    expect([events, run.samples.get("contract_backlog_events")]).toEqual([0, 540]);

    list.hasLogs = false;
    await run.poll();
    expect(run.failures).toMatchObject([{ reason: "behind" }]);
    list.api.retired.add("contract_logs");
    expect(totals(await run.poll())).toMatchObject({ events: 99, gaps: 1 });
    list.add(prints(3));
    expect(totals(await run.polls(2))).toMatchObject({ events: 102, gaps: 1 });
    expect(run.samples.get("contract_backlog_events")).toBe(0);
  });

  /** A contract after its first poll, with new events at a server without the newer operation. */
  async function atOlderServer(pages: number, added: number, eventsPerTransaction = 20) {
    const list = listOf(60, eventsPerTransaction);
    list.hasLogs = false;
    list.api.retired.add("contract_logs");
    const run = new CollectorRun(contracts, list.api, () => ({ target, options: { pages }, chain: list.chain(3) }));
    await run.poll();
    list.add(prints(added));
    /** The server, with something that happens before each request. */
    const apiWith = (before: (name: string, offset: unknown) => void): StacksApi => ({
      ...list.api,
      async get(operation, parameters) {
        before(operation.name, parameters.query?.offset);
        return list.api.get(operation, parameters);
      },
    });
    return { list, run, apiWith };
  }

  test("on such a server with smaller pages is read down to what is counted", async () => {
    const { list, run } = await atOlderServer(4, 80);
    list.limit = 30;
    expect(totals(await run.polls(2))).toMatchObject({ events: 80, gaps: 0 });
  });

  test("on such a server is read down to an event that no fork has moved", async () => {
    const { list, run } = await atOlderServer(4, 55, 1);
    const moved = list.rows[55] as (typeof list.rows)[0];
    list.rows = [moved, ...list.rows.filter((row) => row !== moved)];
    list.moved.set(moved.tx_id, 400);
    expect(totals(await run.polls(2, { chain: list.forked(400, moved.tx_id) }))).toMatchObject({ events: 55, gaps: 0 });
  });

  test("on such a server is no gap when the list ends below what is counted", async () => {
    const { list, run } = await atOlderServer(2, 1200);
    await run.polls(30);
    const chain = list.chain(3);
    list.rows = list.rows.slice(1100);
    expect(totals(await run.polls(3, { chain }))).toMatchObject({ gaps: 1 });
  });

  test("on such a server is a gap beyond what the budget can read", async () => {
    const { run, apiWith } = await atOlderServer(9, 540);
    let left = 3;
    const api = apiWith((name) => {
      left -= 1;
      if (left < 0) throw new ApiError("budget", name, "no request is left");
    });
    expect(totals(await run.poll({ api }))).toMatchObject({ events: 148, gaps: 1 });
    expect(totals(await run.poll())).toMatchObject({ events: 148, gaps: 1 });
  });

  test.each([
    ["one event more", 60, (list: EventList) => list.add(prints(1))],
    ["one event less", 61, (list: EventList) => list.drop()],
  ])("on such a server, %s while it is read: the next poll counts all", async (_, added, change) => {
    const { list, run, apiWith } = await atOlderServer(4, added);
    const api = apiWith((_, offset) => {
      if (offset === 49) change(list);
    });
    await run.poll({ api, chain: list.chain(3) });
    expect(run.failures.map(({ reason }) => reason)).toEqual(["behind"]);
    expect(totals(await run.polls(2))).toMatchObject({ events: list.rows.length - 60, gaps: 0 });
  });
});

test("more transactions than one poll can place are placed by early polls", async () => {
  const { list, run } = await started(3, 1);
  list.add(prints(70));
  expect([(await run.poll()).sum(EVENTS), run.hints.isBehind]).toEqual([60, true]);
});

test("the gauge of a rule shows the newest event that a fork has left", async () => {
  const list = listOf(3, 1);
  const rules = await rulesOf(
    "- { metric: m, type: gauge, help: h, match: [{ path: topic, equals: print }], value: { path: value } }",
  );
  const run = new CollectorRun(contracts, list.api, { target: targetOf(CONTRACT, 1, { rules }), chain: list.chain(1) });
  await run.poll();
  list.hasLogs = false;
  list.add([{ value: Cl.uint(5) }]);
  list.moved.set("0x4", 9);
  expect((await run.poll({ chain: list.forked(9, undefined, 1) })).get("m")).toBe(5);
  list.drop();
  list.add([{ value: Cl.uint(7) }]);
  expect((await run.poll({ chain: list.forked(12, "0x9", 1) })).get("m")).toBe(7);
});

test("places from before a fork, which are not in the order of the list, count nothing", async () => {
  const { list, run } = await started(3, 1);
  list.add(prints(2));
  list.moved.set("0x4", 101);
  await run.poll({ chain: list.forked(100) });
  list.moved.clear();
  const { events } = totals(await run.polls(2, { chain: list.forked(100) }));
  expect([events, run.failures.map(({ reason }) => reason)]).toEqual([2, ["behind"]]);
});

describe("counted events above the depth are no failure", () => {
  test.each([true, false])("after confirmations are raised, with the newer operation: %s", async (hasLogs) => {
    const list = listOf(9, 1);
    list.hasLogs = hasLogs;
    const run = new CollectorRun(contracts, list.api, { target, chain: chainTo(11) });
    await run.poll();
    const raised = targetOf(CONTRACT, 12, { name: "logger" });
    for (let tip = 12; tip < 24; tip += 1) await run.poll({ target: raised, chain: chainTo(tip) });
    expect(run.failures).toEqual([]);
  });

  test("after a fork to a lower tip", async () => {
    const list = listOf(9, 1);
    const run = new CollectorRun(contracts, list.api, { target, chain: chainTo(11) });
    await run.poll();
    const fork = Array.from({ length: 11 }, (_, n) => [n, { hash: n === 10 ? "0xfork" : `0x${n}` }] as const);
    await run.poll({ chain: chainOf(10, fork) });
    expect(run.failures).toEqual([]);
  });
});

test("places of known mined transactions cost no request", async () => {
  const { list, run } = await started(3, 1);
  const before = list.api.requests.length;
  list.add(prints(3));
  const rows = [4, 5, 6].map((height) => ({
    ...{ id: `0x${height}`, index: 0, type: "contract_call", fee: 1, at: 1, sender: "SP", nonce: 1 },
    ...{ height, hash: `0x${height}`, parties: [], status: "success", called: undefined, cause: undefined },
  }));
  expect((await run.poll({ mined: { rows, readAt: 1 } })).sum(EVENTS)).toBe(3);
  expect(list.api.requests.slice(before)).toHaveLength(1);
});

test("an event that the audit after a newer one finds does not set the gauge of a rule back", async () => {
  const list = listOf(1, 1);
  const rules = await rulesOf(
    "- { metric: m, type: gauge, help: h, match: [{ path: topic, equals: print }], value: { path: value } }",
  );
  const target = targetOf(CONTRACT, 1, { rules });
  const run = new CollectorRun(contracts, list.api, () => ({ target, chain: list.chain(1) }));
  await run.poll();
  list.add([{ value: Cl.uint(2) }]);
  await run.poll();
  list.add([3, 4].map((value) => ({ value: Cl.uint(value) })));
  const [all, chain] = [list.rows, list.chain(1)];
  // Only the newest page, which is read first, lacks one.
  list.rows = all.filter(({ tx_id }) => tx_id !== "0x3");
  const find: StacksApi["find"] = async (operation, parameters) => {
    const found = await list.api.find(operation, parameters);
    if (operation.name === "contract_logs") list.rows = all;
    return found;
  };
  await run.poll({ chain, now: NOW + 25 * 3_600_000, api: { ...list.api, find } });
  expect([run.samples.sum(EVENTS), run.samples.get("m")]).toEqual([3, 4]);
});

// Anyone can choose them.
test("types and topics that are not valid count as other, and are not stored; print events always have a series", async () => {
  const list = new EventList();
  const run = new CollectorRun(contracts, list.api, () => ({ target: targetOf(CONTRACT, 1), chain: list.chain(1) }));
  expect((await run.poll()).of(/^contract_events_total/)).toEqual({ [`${EVENTS} smart_contract_log print`]: 0 });
  const invalid = ["a\tb", "\u001b[2J", "pr\u202eint", "x".repeat(1_000_000), ""].map((topic) => ({ topic }));
  const types = ["smart\0contract", "Type", "other"].map((type) => ({ type }));
  list.add([{}, ...invalid, ...types]);
  const samples = await run.polls(2);

  expect(samples.of(/^contract_events_total/)).toEqual({
    [`${EVENTS} smart_contract_log print`]: 1,
    [`${EVENTS} other other`]: 8,
  });
  expect(run.saved).not.toMatch(/xxx|\[2J|\u202e|Type/);
  expect(run.saved.length).toBeLessThan(10_000);
});

test.each([
  [60, new Array(8).fill(200)],
  [0, [1000, 0, 0, 0, 0, 0, 0, 0]],
])("the backlog of a contract that began with %i events, and of which polls read too few", async (first, added) => {
  const { list, run } = await started(first, 20, { pages: 2 });
  for (const count of added) {
    list.add(prints(count));
    const samples = await run.poll();
    expect(samples.get("contract_backlog_events")).toBe(list.rows.length - first - samples.sum(EVENTS));
  }
});

test("an audit requests no place of an event that is counted", async () => {
  const { list, run } = await started(3, 1);
  list.add(prints(3));
  await run.poll();
  const before = list.api.requests.length;
  const audits: unknown[] = [];
  const now = NOW + 25 * 3_600_000;
  expect((await run.poll({ now, onAudit: (report) => audits.push(report.mismatches) })).sum(EVENTS)).toBe(3);
  expect(audits).toEqual([{ unlisted: 0, uncounted: 0 }]);
  expect(list.api.requests.slice(before).map((request) => request.split(" ")[0])).toEqual([
    "contract_logs",
    "contract_logs",
  ]);
});

test.each([
  [1, 80, false],
  [2, 4000, true],
])("with %i requests in each poll, every %i s, a contract with many events starts", async (most, seconds, isOlder) => {
  await using exporter = await ModelExporter.start({
    collectors: { blocks: {}, contracts: { timeout: "10s" } },
    longestWaitMs: 9_000,
  });
  exporter.world.mine([200, 0, 0]);
  exporter.world.allowance = most;
  if (isOlder) exporter.world.status.set("contract_logs", 410);
  for (let polls = 0; polls < 3; polls += 1) await exporter.poll(["blocks", "contracts"], seconds);
  expect(exporter.page.value("stacks_contract_events_gap_total")).toBe(0);
});
