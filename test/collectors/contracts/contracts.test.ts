import { beforeAll, describe, expect, test } from "@jest/globals";
import { Cl } from "@stacks/transactions";
import type { ChainView } from "../../../src/collectors/chain/chain-view.ts";
import type { AnyCollector } from "../../../src/collectors/collector.ts";
import { contracts as collector } from "../../../src/collectors/contracts/contracts.ts";
import type { EventRule } from "../../../src/collectors/event-rules/rule.ts";
import { type Canned, cannedApi, captured } from "../../support/canned-api.ts";
import { hexOf, rulesOf } from "../../support/event-rules.ts";
import { expectGolden, textOf } from "../../support/golden.ts";
import { chainOf } from "../../support/known-chain.ts";
import { observe } from "../../support/observe.ts";
import { restarted } from "../../support/plain-data.ts";

const contracts = collector as unknown as AnyCollector;
const PRINCIPAL = "ST3J3ABAWHGKC812CJ2CQ18JKZ5S5HEK49XRT4DCM.logger";
const watched = {
  principal: PRINCIPAL,
  name: "logger",
  group: "demo",
  labels: { desk: "three" },
  silentAfterMs: 7_200_000,
};
const target = { key: PRINCIPAL, watched, confirmations: 3 };
// Before and after the responses arrive.
const EARLIER = 1_795_219_100_000;
const LATER = 1_795_219_300_000;

interface Item {
  readonly event_index: number;
  readonly tx_id: string;
}

interface Known {
  readonly feed: { readonly waiting: readonly { readonly item: { readonly isOld?: boolean } }[] };
  readonly totals: {
    readonly events: Readonly<Record<string, number>>;
    readonly transactions: number;
    readonly gaps: number;
    readonly reverted: number;
  };
}

const total = (observation: unknown) =>
  Object.values((observation as Known).totals.events).reduce((sum, count) => sum + count, 0);

// Index hashes of blocks.
const indexHash = (height: number) => `0x${String(height).padStart(64, "0")}`;
/** A chain up to this height with every block. */
const chainTo = (tipHeight: number, seenAt = LATER) =>
  chainOf(
    tipHeight,
    Array.from({ length: tipHeight }, (_, n) => [n + 1, { indexHash: indexHash(n + 1) }] as const),
    seenAt,
  );

const waitingOf = (observation: unknown) =>
  (observation as Known).feed.waiting.filter(({ item }) => !item.isOld).length;

test("samples of captured responses", async () => {
  const { json, etag } = captured("contract-events.ok-default");
  const { results } = json as { results: Item[] };
  let canned: Canned = { json: { limit: 50, offset: 0, results: results.slice(8) }, etag: `"${indexHash(60)}"` };
  const api = cannedApi(() => canned);
  const at = (tipHeight: number) => ({
    target,
    chain: chainOf(tipHeight, [
      [60, { indexHash: indexHash(60) }],
      [61, { indexHash: etag?.slice(1, -1) }],
    ]),
  });

  let observation = await observe(contracts, api, undefined, at(60));
  canned = { json: { limit: 50, offset: 0, results }, etag };
  observation = await observe(contracts, api, observation, at(60));
  observation = await observe(contracts, api, observation, at(62));
  expect({ total: total(observation), waiting: waitingOf(observation) }).toEqual({ total: 0, waiting: 8 });
  observation = await observe(contracts, api, observation, at(63));

  expect({ total: total(observation), waiting: waitingOf(observation) }).toEqual({ total: 8, waiting: 0 });
  expectGolden("contract-events.ok-default", await textOf(contracts, observation, "testnet", target));
});

test("switches to the replacement when the operation is gone, and counts nothing twice", async () => {
  const { results } = captured("contract-events.ok-default").json as { results: Item[] };
  const gone = new Set<string>();
  const api = cannedApi(
    (_, operation): Canned => (gone.has(operation) ? { status: 410 } : { json: { limit: 50, offset: 0, results } }),
  );

  const observation = await observe(contracts, api, undefined, { target });
  gone.add("contract_events");
  const after = await observe(contracts, api, observation, { target });

  expect(total(after)).toBe(0);
  expect(api.requests.at(-1)).toMatch(/^contract_logs /);
});

describe("an event", () => {
  const { results } = captured("contract-events.ok-default").json as { results: Item[] };
  const countAfter = async (views: readonly (ChainView | undefined)[], tip?: string) => {
    let shown: Item[] = results.slice(8);
    // Without a tip, the validator names none.
    const api = cannedApi(() => ({ json: { limit: 50, offset: 0, results: shown }, etag: `"${tip ?? shown.length}"` }));
    let observation: unknown;
    for (const chain of views) {
      observation = await observe(contracts, api, observation, { target, chain, isFollowed: true });
      shown = results;
    }
    return total(observation);
  };

  test("counts when the tip at which it was listed has the confirmations", async () => {
    const before = [chainTo(60), chainTo(61)];
    expect(await countAfter([...before, chainTo(63)], indexHash(62))).toBe(0);
    expect(await countAfter([...before, chainTo(64)], indexHash(62))).toBe(8);
  });

  test("does not count while the tip at which it was listed is not on the chain", async () => {
    const views = [60, 62, 70, 80].map((height) => chainTo(height));
    expect(await countAfter(views, `0x${"f".repeat(64)}`)).toBe(0);
  });

  test("without a tip, needs one that was requested after it: its block can be above an older one", async () => {
    const before = [chainTo(60, EARLIER), chainTo(60, EARLIER)];
    expect(await countAfter([...before, chainTo(62)])).toBe(0);
    expect(await countAfter([...before, chainTo(62), chainTo(63)])).toBe(0);
    expect(await countAfter([...before, chainTo(62), chainTo(64)])).toBe(8);
  });

  test("waits while the tip is unknown, as after a restart", async () => {
    expect(await countAfter([undefined, undefined, undefined])).toBe(0);
    expect(await countAfter([undefined, undefined, chainTo(60), undefined, chainTo(62)])).toBe(8);
  });
});

describe("a burst", () => {
  const list = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      tx_id: `0x${Math.floor((count - 1 - n) / 3)}`,
      event_index: (count - 1 - n) % 3,
      event_type: "smart_contract_log",
      contract_log: { topic: "print" },
    }));
  const pageOf = (all: readonly object[]) => (url: string) => {
    const { searchParams } = new URL(url, "http://model");
    const offset = Number(searchParams.get("offset") ?? 0);
    return { json: { limit: 50, offset, results: all.slice(offset, offset + 50) } };
  };

  test.each([
    ["after 4,000 quiet blocks", 5_000],
    ["without a known chain", undefined],
  ])("with more pages than one poll reads is read by the next polls, %s", async (_, height) => {
    let all = list(60);
    let tip = 1_000;
    const api = cannedApi((url) => ({ ...pageOf(all)(url), etag: `"${indexHash(tip)}"` }));
    const at = () => ({ target, options: { pages: 2 }, ...(height === undefined ? {} : { chain: chainTo(tip) }) });

    let observation = await observe(contracts, api, undefined, at());
    observation = await observe(contracts, api, observation, at());
    tip += 10;
    observation = await observe(contracts, api, observation, at());
    tip = height ?? tip;
    const behind: boolean[] = [];
    for (let polls = 0; polls < 10; polls += 1) {
      // The list grows while it is read.
      all = list(600 + 6 * polls);
      tip += 10;
      observation = await observe(contracts, api, observation, at());
      behind.push(contracts.hints?.(observation, target).isBehind ?? false);
    }

    expect(behind.slice(0, 5)).toEqual([true, true, true, true, true]);
    expect(behind.at(-1)).toBe(false);
    tip += 10;
    observation = await observe(contracts, api, observation, at());
    expect(total(observation)).toBe(654 - 60);
    expect((observation as Known).totals).toMatchObject({ gaps: 0, transactions: 198, reverted: 0 });
  });

  test("counts as a gap when its position in the list is lost", async () => {
    let all = list(60);
    const api = cannedApi((url) => pageOf(all)(url));
    const options = { pages: 2 };

    let observation = await observe(contracts, api, undefined, { target, options });
    all = list(600);
    observation = await observe(contracts, api, observation, { target, options });
    // The event at which reading stopped is gone.
    all = all.filter((_, place) => place < 90 || place > 110);
    for (let polls = 0; polls < 3; polls += 1)
      observation = await observe(contracts, api, observation, { target, options });

    expect((observation as Known).totals.gaps).toBe(1);
    expect(contracts.hints?.(observation, target).isBehind).toBe(false);
    all = [...list(603).slice(0, 3), ...all];
    for (let polls = 0; polls < 2; polls += 1)
      observation = await observe(contracts, api, observation, { target, options });
    expect((observation as Known).totals.gaps).toBe(1);
    expect(total(observation)).toBe(98 + 3);
  });

  test("that fits in one poll counts completely", async () => {
    let all = list(60);
    const api = cannedApi((url) => pageOf(all)(url));

    let observation = await observe(contracts, api, undefined, { target });
    all = list(360);
    for (let polls = 0; polls < 2; polls += 1) observation = await observe(contracts, api, observation, { target });

    expect(total(observation)).toBe(300);
    expect((observation as Known).totals).toMatchObject({ gaps: 0, transactions: 100 });
  });
});

describe("event rules", () => {
  const { json, etag } = captured("contract-events.ok-default");
  const { results } = json as { results: Item[] };
  const MATCH = "match: [{ path: topic, equals: print }, { path: value.event, equals: swap }]";
  let rules: readonly EventRule[];
  beforeAll(async () => {
    rules = await rulesOf(`
- { metric: swaps_total, type: counter, help: Swaps., ${MATCH}, labels: { who: { path: value.who, max: 1 } } }
- { metric: swap_idx, type: gauge, help: Index., ${MATCH}, value: { path: value.idx } }
- { metric: swap_units_total, type: counter, help: Units., ${MATCH}, value: { path: value.amount } }
`);
  });
  const at = (of: readonly EventRule[], tipHeight: number) => ({
    target: { ...target, watched: { ...watched, rules: of } },
    chain: chainOf(tipHeight, [
      [60, { indexHash: indexHash(60) }],
      [61, { indexHash: etag?.slice(1, -1) }],
    ]),
  });
  const linesOf = (observation: unknown, of: readonly EventRule[]) =>
    [...contracts.samples(observation, "testnet", at(of, 60).target)]
      .filter(({ family }) => of.some((rule) => rule.family === family) || family.name.includes("_rule_"))
      .filter(({ value }) => value !== 0 && value !== 0n)
      .map(({ family, labels: { network, name, contract_id, ...labels }, value }) =>
        [family, ...Object.values(labels), value].join(" "),
      );
  /** Polls the first time with the older events, then with all of them, until they have their confirmations. */
  async function counted(all: readonly object[], then = rules) {
    let canned: Canned = { json: { results: all.slice(8) }, etag: `"${indexHash(60)}"` };
    const api = cannedApi(() => canned);
    let observation = await observe(contracts, api, undefined, at(rules, 60));
    canned = { json: { results: all }, etag };
    observation = restarted(await observe(contracts, api, observation, at(rules, 60)));
    const waiting = observation;
    observation = await observe(contracts, api, observation, at(then, 63));
    return { observation, waiting };
  }

  test("count the events of a captured response when they have their confirmations", async () => {
    const { observation, waiting } = await counted(results);

    expect(linesOf(waiting, rules)).toEqual([]);
    expect(linesOf(observation, rules)).toEqual([
      "swaps_total STRC7VBNC4NMWH7DAE01MKAXT8R5VR2A7NT5N7QC 1",
      "swaps_total other 1",
      "swap_idx 2",
      "stacks_contract_rule_label_overflow_total swaps_total 1",
      "stacks_contract_rule_errors_total swap_units_total missing 2",
    ]);
  });

  test("keep what they need of a waiting event, and not its value", async () => {
    const { waiting } = await counted(results);

    const text = JSON.stringify(waiting, (_, value) => (typeof value === "bigint" ? String(value) : value));
    expect(text).toContain(rules[0]?.fingerprint);
    expect(text).not.toContain("0x0c00");
  });

  test("that change start their own counters, and leave others alone", async () => {
    const [swaps, idx] = rules as [EventRule, EventRule];
    const changed = { ...swaps, fingerprint: "another" };

    const { observation } = await counted(results, [changed, idx]);

    expect(linesOf(observation, [changed, idx])).toEqual(linesOf((await counted(results)).observation, [idx]));
  });

  test("count an event that is malformed, and fail no poll", async () => {
    const broken = results.map((item, place) =>
      place === 0 ? { ...item, contract_log: { topic: "print", value: { hex: "0x0c0000000305" } } } : item,
    );
    const empty = broken.map((item, place) => (place === 1 ? { ...item, contract_log: { topic: "print" } } : item));

    const { observation } = await counted(empty);

    expect(linesOf(observation, rules)).toContain("stacks_contract_rule_errors_total swaps_total undecodable 2");
    expect(total(observation)).toBe(8);
  });

  test("show the newest event of a gauge, and count all, when the newer events are read first", async () => {
    const match = "match: [{ path: topic, equals: print }], value: { path: value }";
    const [last, sum] = (await rulesOf(`
- { metric: print_last, type: gauge, help: Newest., ${match} }
- { metric: print_units_total, type: counter, help: Sum., ${match} }
`)) as [EventRule, EventRule];
    let count = 10;
    const api = cannedApi((url) => {
      const offset = Number(new URL(url, "http://model").searchParams.get("offset") ?? 0);
      const places = Array.from({ length: count }, (_, place) => count - 1 - place).slice(offset, offset + 50);
      return {
        json: {
          results: places.map((n) => ({
            tx_id: `0x${n}`,
            event_index: 0,
            event_type: "smart_contract_log",
            contract_log: { topic: "print", value: { hex: hexOf(Cl.uint(n)), repr: `u${n}` } },
          })),
        },
      };
    });
    const of = { target: { ...target, watched: { ...watched, rules: [last, sum] } }, options: { pages: 2 } };
    let observation = await observe(contracts, api, undefined, of);
    count = 400;
    for (let polls = 0; polls < 2; polls += 1) observation = await observe(contracts, api, observation, of);
    const early = linesOf(observation, [last, sum]);
    for (let polls = 0; polls < 8; polls += 1) observation = await observe(contracts, api, observation, of);

    const all = Array.from({ length: 390 }, (_, place) => 10 + place).reduce((total, n) => total + n, 0);
    expect(early[0]).toBe("print_last 399");
    expect(early[1]).not.toBe(`print_units_total ${all}`);
    expect(linesOf(observation, [last, sum])).toEqual(["print_last 399", `print_units_total ${all}`]);
  });
});
