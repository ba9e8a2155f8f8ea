import { beforeAll, describe, expect, test } from "@jest/globals";
import { Cl } from "@stacks/transactions";
import type { ChainView } from "../../../src/collectors/chain/chain-view.ts";
import { contracts } from "../../../src/collectors/contracts/contracts.ts";
import type { EventRule } from "../../../src/collectors/event-rules/rule.ts";
import { type Canned, cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun, type Samples, targetOf } from "../../support/collect.ts";
import { EventList, ruledContract } from "../../support/event-list.ts";
import { rulesOf } from "../../support/event-rules.ts";
import { expectGolden } from "../../support/golden.ts";
import { chainOf } from "../../support/known-chain.ts";

const PRINCIPAL = "ST3J3ABAWHGKC812CJ2CQ18JKZ5S5HEK49XRT4DCM.logger";
const loggerWith = (rules: readonly EventRule[] = []) =>
  targetOf(PRINCIPAL, 3, { name: "logger", group: "demo", labels: { desk: "three" }, silentAfterMs: 7_200_000, rules });
const target = loggerWith();
// Before and after the responses arrive.
const EARLIER = 1_795_219_100_000;
const LATER = 1_795_219_300_000;
const EVENTS = "contract_events_total";
const PENDING = "contract_pending_depth_events";

// Index hashes of blocks.
const indexHash = (height: number) => `0x${String(height).padStart(64, "0")}`;
/** A chain up to this height with every block. */
const chainTo = (tipHeight: number, seenAt = LATER) =>
  chainOf(
    tipHeight,
    Array.from({ length: tipHeight }, (_, n) => [n + 1, { indexHash: indexHash(n + 1) }] as const),
    seenAt,
  );

const { json, etag } = captured("contract-events.ok-default");
const { results } = json as { results: readonly object[] };
/** The chain on which the newest captured events are in block 61. */
const capturedChain = (tipHeight: number) =>
  chainOf(tipHeight, [
    [60, { indexHash: indexHash(60) }],
    [61, { indexHash: etag?.slice(1, -1) }],
  ]);

test("samples of captured responses", async () => {
  let canned: Canned = { json: { results: results.slice(8) }, etag: `"${indexHash(60)}"` };
  const run = new CollectorRun(
    contracts,
    cannedApi(() => canned),
    { target, chain: capturedChain(60) },
  );
  await run.poll();
  canned = { json, etag };
  await run.poll();
  const waiting = await run.poll({ chain: capturedChain(62) });
  expect([waiting.sum(EVENTS), waiting.get(PENDING)]).toEqual([0, 8]);
  const counted = await run.poll({ chain: capturedChain(63) });

  expect([counted.sum(EVENTS), counted.get(PENDING)]).toEqual([8, 0]);
  expectGolden("contract-events.ok-default", run.page("testnet"));
});

test("switches to the replacement when the operation is gone, and counts nothing twice", async () => {
  let isGone = false;
  const api = cannedApi((_, operation) => (isGone && operation === "contract_events" ? { status: 410 } : { json }));
  const run = new CollectorRun(contracts, api, { target });

  await run.poll();
  isGone = true;

  expect((await run.poll()).sum(EVENTS)).toBe(0);
  expect(api.requests.at(-1)).toMatch(/^contract_logs /);
});

const [FORK, TIP] = [`0x${"f".repeat(64)}`, indexHash(62)];
// Without a tip that it can be above of, an event needs one that was requested after it.
const early = [chainTo(60, EARLIER), chainTo(60, EARLIER)];
test.each<[string, number, readonly (ChainView | undefined)[], string | undefined]>([
  ["wait while the tip at which they were listed lacks confirmations", 0, [60, 61, 63].map((to) => chainTo(to)), TIP],
  ["count when the tip at which they were listed has them", 8, [60, 61, 64].map((to) => chainTo(to)), TIP],
  ["wait while that tip is not on the chain", 0, [60, 62, 70, 80].map((to) => chainTo(to)), FORK],
  ["without a tip, wait for one that was requested after them", 0, [...early, chainTo(62)], undefined],
  ["without a tip, wait for its confirmations", 0, [...early, chainTo(62), chainTo(63)], undefined],
  ["without a tip, count when it has them", 8, [...early, chainTo(62), chainTo(64)], undefined],
  ["wait while the chain is unknown, as after a restart", 0, [undefined, undefined, undefined], undefined],
  ["count when it is known", 8, [undefined, undefined, chainTo(60), undefined, chainTo(62)], undefined],
])("events %s", async (_, count, views, tip) => {
  let shown = results.slice(8);
  // Without a tip, the validator names none.
  const api = cannedApi(() => ({ json: { results: shown }, etag: `"${tip ?? shown.length}"` }));
  const run = new CollectorRun(contracts, api, { target, isFollowed: true });
  for (const chain of views) {
    await run.poll({ chain });
    run.restart();
    shown = [...results];
  }
  expect(run.samples.sum(EVENTS)).toBe(count);
});

describe("a burst", () => {
  const prints = (count: number) => Array.from({ length: count }, () => ({}));
  const totals = (samples: Samples) => ({
    events: samples.sum(EVENTS),
    gaps: samples.get("contract_events_gap_total"),
    reverted: samples.get("contract_reverted_events_total"),
  });
  const listOf = (count: number) => {
    const list = new EventList(3);
    list.add(prints(count));
    return list;
  };

  test.each([
    ["after 4,000 quiet blocks", 5_000],
    ["without a known chain", undefined],
  ])("with more pages than one poll reads is read by the next polls, %s", async (_, height) => {
    const list = listOf(60);
    const options = { pages: 2 };
    let tip = 1_000;
    const run = new CollectorRun(contracts, list.api, () => {
      list.tip = indexHash(tip);
      return { target, options, ...(height === undefined ? {} : { chain: chainTo(tip) }) };
    });
    await run.polls(2);
    tip += 10;
    await run.poll();
    tip = height ?? tip;
    const behind: boolean[] = [];
    for (let polls = 0; polls < 10; polls += 1) {
      // The list grows while it is read.
      list.add(prints(polls === 0 ? 540 : 6));
      tip += 10;
      await run.poll();
      run.restart();
      behind.push(run.hints.isBehind);
    }

    expect(behind.slice(0, 5)).toEqual([true, true, true, true, true]);
    expect(behind.at(-1)).toBe(false);
    tip += 10;
    expect(totals(await run.poll())).toEqual({ events: 654 - 60, gaps: 0, reverted: 0 });
  });

  test("counts as a gap when its position in the list is lost", async () => {
    const list = listOf(60);
    const run = new CollectorRun(contracts, list.api, { target, options: { pages: 2 } });
    await run.poll();
    list.add(prints(540));
    await run.poll();
    // The event at which reading stopped is gone.
    list.rows = list.rows.filter((_, place) => place < 90 || place > 110);
    expect((await run.polls(3)).get("contract_events_gap_total")).toBe(1);
    expect(run.hints.isBehind).toBe(false);

    list.add(prints(3));
    expect(totals(await run.polls(2))).toMatchObject({ events: 98 + 3, gaps: 1 });
  });

  test("that fits in one poll counts completely", async () => {
    const list = listOf(60);
    const run = new CollectorRun(contracts, list.api, { target });
    await run.poll();
    list.add(prints(300));

    expect(totals(await run.polls(2))).toEqual({ events: 300, gaps: 0, reverted: 0 });
  });
});

describe("event rules", () => {
  const MATCH = "match: [{ path: topic, equals: print }, { path: value.event, equals: swap }]";
  let rules: readonly [EventRule, EventRule, EventRule];
  beforeAll(async () => {
    rules = (await rulesOf(`
- { metric: swaps_total, type: counter, help: Swaps., ${MATCH}, labels: { who: { path: value.who, max: 1 } } }
- { metric: swap_idx, type: gauge, help: Index., ${MATCH}, value: { path: value.idx } }
- { metric: swap_units_total, type: counter, help: Units., ${MATCH}, value: { path: value.amount } }
`)) as typeof rules as readonly [EventRule, EventRule, EventRule];
  });
  const ruled = (samples: Samples) =>
    Object.fromEntries(Object.entries(samples.of(/^swap|_rule_/)).filter(([, value]) => value !== 0));
  /** Polls the first time with the older events, then with all of them, until they have their confirmations. */
  async function counted(all: readonly object[], then: readonly EventRule[] = rules) {
    let canned: Canned = { json: { results: all.slice(8) }, etag: `"${indexHash(60)}"` };
    const run = new CollectorRun(
      contracts,
      cannedApi(() => canned),
      { target: loggerWith(rules), chain: capturedChain(60) },
    );
    await run.poll();
    canned = { json: { results: all }, etag };
    const waiting = ruled(await run.poll());
    run.restart();
    const { saved } = run;
    const samples = await run.poll({ chain: capturedChain(63), target: loggerWith(then) });
    return { samples, waiting, saved };
  }

  test("count the events of a captured response when they have their confirmations", async () => {
    const { samples, waiting, saved } = await counted(results);

    expect(waiting).toEqual({});
    expect(ruled(samples)).toEqual({
      "swaps_total STRC7VBNC4NMWH7DAE01MKAXT8R5VR2A7NT5N7QC": 1,
      "swaps_total other": 1,
      swap_idx: 2,
      "contract_rule_label_overflow_total swaps_total": 1,
      "contract_rule_errors_total swap_units_total missing": 2,
    });
    // The value of a waiting event is not stored.
    expect(saved).not.toContain("0x0c00");
  });

  test("that change start their own counters, and leave others alone", async () => {
    const { samples } = await counted(results, [{ ...rules[0], fingerprint: "another" }, rules[1]]);

    expect(ruled(samples)).toEqual({ swap_idx: 2 });
  });

  test("count an event that is malformed, and fail no poll", async () => {
    const logs = [{ topic: "print", value: { hex: "0x0c0000000305" } }, { topic: "print" }];
    const { samples } = await counted(
      results.map((item, place) => ({ ...item, ...(logs[place] && { contract_log: logs[place] }) })),
    );

    expect(samples.get("contract_rule_errors_total swaps_total undecodable")).toBe(2);
    expect(samples.sum(EVENTS)).toBe(8);
  });

  test("show the newest event of a gauge, and count all, when the newer events are read first", async () => {
    const match = "match: [{ path: topic, equals: print }], value: { path: value }";
    const { list, run } = await ruledContract(`
- { metric: print_last, type: gauge, help: Newest., ${match} }
- { metric: print_units_total, type: counter, help: Sum., ${match} }
`);
    const numbers = Array.from({ length: 390 }, (_, place) => 10 + place);
    list.add(numbers.map((number) => ({ value: Cl.uint(number) })));
    const sum = numbers.reduce((total, n) => total + n, 0);
    const early = await run.polls(2, { options: { pages: 2 } });
    expect(early.get("print_last")).toBe(399);
    expect(early.get("print_units_total")).toBeLessThan(sum);

    const all = await run.polls(8, { options: { pages: 2 } });
    expect(all.of(/^print/)).toEqual({ print_last: 399, print_units_total: sum });
  });
});
