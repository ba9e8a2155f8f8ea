import { describe, expect, test } from "@jest/globals";
import { contracts } from "../../../src/collectors/contracts/contracts.ts";
import { cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun, NOW, type Samples, targetOf } from "../../support/collect.ts";
import { CONTRACT, EventList } from "../../support/event-list.ts";
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
const listOf = (count: number, eventsPerTransaction = 3) => {
  const list = new EventList(eventsPerTransaction);
  list.add(prints(count));
  return list;
};
/** A chain on which transaction `n` of the list is in block `n`. */
const chainTo = (tip: number) =>
  chainOf(
    tip,
    Array.from({ length: tip + 1 }, (_, n) => [n, { hash: `0x${n}` }] as const),
  );

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
  const list = listOf(60);
  const run = new CollectorRun(contracts, list.api, () => ({ target, chain: list.chain(3) }));
  await run.poll();
  list.hasLogs = false;
  list.add(prints(5));

  expect(totals(await run.polls(2))).toMatchObject({ events: 5, gaps: 0 });
  list.hasLogs = true;
  list.add(prints(4));
  expect(totals(await run.polls(2))).toMatchObject({ events: 9, gaps: 0 });
});

describe("a burst", () => {
  test("of more pages than one poll reads", async () => {
    const list = listOf(60, 20);
    const run = new CollectorRun(contracts, list.api, () => ({
      target,
      options: { pages: 2 },
      chain: list.chain(3),
    }));
    await run.poll();
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

  test("on a server without the newer operation is a gap beyond the pages of a poll", async () => {
    const list = listOf(60, 20);
    list.hasLogs = false;
    const run = new CollectorRun(contracts, list.api, () => ({ target, options: { pages: 2 }, chain: list.chain(3) }));
    await run.poll();
    list.add(prints(540));
    const samples = await run.poll();
    expect(totals(samples)).toEqual({ events: 99, gaps: 1, reverted: 0 });
    list.add(prints(3));
    expect(totals(await run.polls(2))).toMatchObject({ events: 102, gaps: 1 });
  });
});

test("places of known mined transactions cost no request", async () => {
  const list = listOf(3, 1);
  const run = new CollectorRun(contracts, list.api, () => ({ target, chain: list.chain(3) }));
  await run.poll();
  const before = list.api.requests.length;
  list.add(prints(3));
  const rows = [4, 5, 6].map((height) => ({
    ...{ id: `0x${height}`, index: 0, type: "contract_call", fee: 1, at: 1, sender: "SP", nonce: 1 },
    ...{ height, hash: `0x${height}`, parties: [], status: "success", called: undefined, cause: undefined },
  }));
  expect((await run.poll({ mined: { rows, readAt: 1 } })).sum(EVENTS)).toBe(3);
  expect(list.api.requests.slice(before)).toHaveLength(1);
});

test("an audit requests no place of an event that is counted", async () => {
  const list = listOf(3, 1);
  const run = new CollectorRun(contracts, list.api, () => ({ target, chain: list.chain(3) }));
  await run.poll();
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

test("with one request in each poll, a contract with many events starts in the third poll", async () => {
  await using exporter = await ModelExporter.start({
    collectors: { blocks: {}, contracts: { timeout: "10s" } },
    longestWaitMs: 9_000,
  });
  exporter.world.mine([200, 0, 0]);
  exporter.world.allowance = 1;
  for (let polls = 0; polls < 3; polls += 1) await exporter.poll(["blocks", "contracts"], 80);
  expect(exporter.page.value("stacks_contract_events_gap_total")).toBe(0);
});
