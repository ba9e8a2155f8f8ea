import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { AnyCollector } from "../../src/collectors/collector.ts";
import { contracts as collector } from "../../src/collectors/contracts.ts";
import { type Canned, cannedApi, captured } from "../support/canned-api.ts";
import { expectGolden, textOf } from "../support/golden.ts";
import { observe } from "../support/observe.ts";
import { restarted } from "../support/plain-data.ts";

const contracts = collector as unknown as AnyCollector;
const PRINCIPAL = "ST3J3ABAWHGKC812CJ2CQ18JKZ5S5HEK49XRT4DCM.logger";
const watched = { principal: PRINCIPAL, name: "logger", group: "demo", labels: { desk: "three" } };
const target = { key: PRINCIPAL, watched, confirmations: 3 };
// Before and after answers arrive.
const EARLIER = 1_795_219_100_000;
const LATER = 1_795_219_300_000;

interface Item {
  readonly event_index: number;
  readonly tx_id: string;
}

interface Known {
  readonly totals: {
    readonly events: Readonly<Record<string, number>>;
    readonly transactions: number;
    readonly gaps: number;
    readonly reverted: number;
  };
}

const total = (observation: unknown) =>
  Object.values((observation as Known).totals.events).reduce((sum, count) => sum + count, 0);

test("captured answers become these samples", async () => {
  const { json } = captured("contract-events.ok-default");
  const { results } = json as { results: Item[] };
  let shown = results.slice(8);
  const api = cannedApi(() => ({ json: { limit: 50, offset: 0, results: shown } }));
  const at = (tipHeight: number, seenAt = LATER) => ({ target, chain: { tipHeight, reorgs: 0, seenAt } });

  let seen = await observe(contracts, api, undefined, at(60, EARLIER));
  shown = results;
  seen = await observe(contracts, api, seen, at(61, EARLIER));
  seen = await observe(contracts, api, seen, at(61));
  expect(total(seen)).toBe(0);
  seen = await observe(contracts, api, seen, at(63));

  expect(total(seen)).toBe(8);
  expectGolden("contract-events.ok-default", await textOf(contracts, seen, "testnet", target));
});

test("moves to the replacement when the operation is gone, without a jump", async () => {
  const { results } = captured("contract-events.ok-default").json as { results: Item[] };
  const gone = new Set<string>();
  const api = cannedApi(
    (_, operation): Canned => (gone.has(operation) ? { status: 410 } : { json: { limit: 50, offset: 0, results } }),
  );

  const seen = await observe(contracts, api, undefined, { target });
  gone.add("contract_events");
  const after = await observe(contracts, api, seen, { target });

  expect(total(after)).toBe(0);
  expect(api.asked.at(-1)).toMatch(/^contract_logs /);
});

describe("an event", () => {
  const { results } = captured("contract-events.ok-default").json as { results: Item[] };
  const seenBy = async (views: readonly ({ tipHeight: number; seenAt: number } | undefined)[]) => {
    let shown: Item[] = results.slice(8);
    const api = cannedApi(() => ({ json: { limit: 50, offset: 0, results: shown } }));
    let seen: unknown;
    for (const view of views) {
      const chain = view && { ...view, reorgs: 0 };
      seen = await observe(contracts, api, seen, { target, chain, isFollowed: true });
      shown = results;
    }
    return total(seen);
  };
  const view = (tipHeight: number, seenAt: number) => ({ tipHeight, seenAt });

  test("is not counted by a tip that was asked before it was seen: it can be in a block above that", async () => {
    expect(await seenBy([view(60, EARLIER), view(60, EARLIER), view(62, LATER)])).toBe(0);
    expect(await seenBy([view(60, EARLIER), view(60, EARLIER), view(62, LATER), view(63, LATER)])).toBe(0);
    expect(await seenBy([view(60, EARLIER), view(60, EARLIER), view(62, LATER), view(64, LATER)])).toBe(8);
  });

  test("waits while the tip is not known yet, as after a restart", async () => {
    expect(await seenBy([undefined, undefined, undefined])).toBe(0);
    expect(await seenBy([undefined, undefined, view(60, LATER), undefined, view(62, LATER)])).toBe(8);
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

  test("beyond the pages of a poll is a counted gap", async () => {
    let all = list(60);
    const api = cannedApi((url) => pageOf(all)(url));
    const options = { pages: 2 };

    let seen = await observe(contracts, api, undefined, { target, options });
    all = list(600);
    seen = await observe(contracts, api, seen, { target, options });

    expect((seen as Known).totals.gaps).toBe(1);
    expect(total(seen)).toBe(98);
  });

  test("within them is counted whole", async () => {
    let all = list(60);
    const api = cannedApi((url) => pageOf(all)(url));

    let seen = await observe(contracts, api, undefined, { target });
    all = list(360);
    seen = await observe(contracts, api, seen, { target });

    expect(total(seen)).toBe(300);
    expect((seen as Known).totals).toMatchObject({ gaps: 0, transactions: 100 });
  });
});

// Blocks of transactions of so many events each; a fork replaces the newest blocks.
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("mine" as const), events: fc.nat(40) }),
    fc.record({ kind: fc.constant("fork" as const), depth: fc.integer({ min: 1, max: 2 }) }),
    fc.constant({ kind: "fail" as const }),
    fc.constant({ kind: "restart" as const }),
    fc.constant({ kind: "poll" as const }),
  ),
  { maxLength: 25 },
);

test("counters equal an independent count of what stayed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(60), steps, async (first, story) => {
      let made = 0;
      const block = (events: number) => {
        made += 1;
        const tx = `0x${made}`;
        return Array.from({ length: events }, (_, index) => ({
          tx_id: tx,
          event_index: index,
          event_type: "smart_contract_log",
          contract_log: { topic: "print" },
        }));
      };
      const blocks = [block(first)];
      let isDown = false;
      let now = 0;
      const api = cannedApi(
        (url) => {
          if (isDown) return { status: 500 };
          const offset = Number(new URL(url, "http://model").searchParams.get("offset") ?? 0);
          const all = blocks.flat().reverse();
          return { json: { limit: 50, offset, results: all.slice(offset, offset + 50) } };
        },
        () => now,
      );
      let seen: unknown;
      let chain = { tipHeight: blocks.length, reorgs: 0, seenAt: now };
      const poll = async () => {
        now += 1000;
        // Where the chain ends is asked every third time only.
        if (Math.floor(now / 1000) % 3 === 0) chain = { tipHeight: blocks.length, reorgs: 0, seenAt: now };
        now += 1;
        seen = await observe(contracts, api, seen, { target, chain }).catch((error: unknown) => {
          if (error instanceof Error && error.name === "ApiError") return seen;
          throw error;
        });
      };
      await poll();
      for (const step of story) {
        if (step.kind === "mine") blocks.push(block(step.events));
        if (step.kind === "fork" && blocks.length > step.depth) {
          blocks.splice(-step.depth);
          for (let depth = 0; depth <= step.depth; depth += 1) blocks.push(block(2));
        }
        if (step.kind === "restart") seen = restarted(seen);
        isDown = step.kind === "fail";
        await poll();
      }
      isDown = false;
      for (let more = 0; more < 12; more += 1) {
        blocks.push([]);
        await poll();
      }

      const there = blocks.slice(1).flat().length;
      const wasForked = (blocks[0]?.[0]?.tx_id ?? "0x1") !== "0x1";
      if (!wasForked) expect(total(seen) - (seen as Known).totals.reverted).toBe(there);
      expect((seen as Known).totals.reverted).toBe(0);
    }),
    { seed: 20_261_121, numRuns: 300 },
  );
});
