import { beforeAll, describe, expect, test } from "@jest/globals";
import { blocks } from "../../src/collectors/blocks/blocks.ts";
import { scheduleOf } from "../../src/collectors/collector.ts";
import { intervalOf, parseSchedule } from "../../src/scheduler/interval.ts";
import type { Transaction } from "../../tools/evaluation/pool.ts";
import { BLOCKS_POLL, type Listener, playTrace, type Trace } from "../../tools/evaluation/trace.ts";
import { eventsOf } from "../../tools/evaluation/truth.ts";
import { WORLD, type World } from "../../tools/evaluation/world.ts";

const INCIDENTS = ["rush", "flash", "surge", "flood", "whale", "stuck", "shift", "outage"] as const;

/** The world with nothing but these incidents, as often as given. */
function only(often: Partial<Record<(typeof INCIDENTS)[number], number>>): World {
  const changed = INCIDENTS.map((kind) => [kind, { ...WORLD[kind], perFourWeeks: often[kind] ?? 0 }]);
  return { ...WORLD, ...(Object.fromEntries(changed) as Pick<World, (typeof INCIDENTS)[number]>) };
}

const present = (column: Float64Array) => column.filter((value) => !Number.isNaN(value));

describe("four days of a market", () => {
  let trace: Trace;
  beforeAll(() => {
    trace = playTrace("test", "small", 4);
  });

  test("are the same again, sample by sample", () => {
    expect(playTrace("test", "small", 4)).toEqual(trace);
  });

  test("are others with another seed or regime", () => {
    const { low } = playTrace("test", "small", 1).samples;

    expect(playTrace("other", "small", 1).samples.low).not.toEqual(low);
    expect(playTrace("test", "large", 1).samples.low).not.toEqual(low);
  });

  test("account for every transaction", () => {
    const { entered, mined, left, waiting } = trace.transactions;

    expect(entered).toBeGreaterThan(100_000);
    expect(mined + left + waiting).toBe(entered);
  });
});

test("without incidents there is no event, and the pool has its usual size", () => {
  for (const [regime, usual] of [
    ["small", 26],
    ["large", 188],
  ] as const) {
    const { price, samples } = playTrace("calm", regime, 4, only({}));
    const { token_transfer, contract_call, smart_contract } = samples.waiting;
    const waiting = token_transfer.map(
      (value, minute) => value + (contract_call[minute] ?? 0) + (smart_contract[minute] ?? 0),
    );
    const median = waiting.toSorted()[samples.minutes / 2] ?? 0;

    expect(eventsOf(price)).toEqual([]);
    expect(Math.abs(median - usual) / usual).toBeLessThan(0.35);
  }
});

test("a rush is an event: the price to get in is judged, not what was injected", () => {
  const { price, incidents } = playTrace("rush", "small", 4, only({ rush: 28 }));
  const rushes = incidents.filter(({ kind }) => kind === "rush");
  const events = eventsOf(price);

  expect(rushes.length).toBeGreaterThanOrEqual(2);
  expect(events.length).toBeGreaterThanOrEqual(1);
  for (const { from, until } of events) {
    expect(rushes.some((rush) => rush.from / 60 < until && rush.until / 60 + 180 > from)).toBe(true);
  }
});

test("a cluster of stuck transactions lifts every percentile, and is no event", () => {
  const { price, incidents, samples } = playTrace("stuck", "small", 4, only({ stuck: 28 }));
  const { from, until } = incidents[0] ?? { from: 0, until: 0 };
  const during = Math.floor((from + until) / 120);

  expect(incidents.every(({ kind }) => kind === "stuck")).toBe(true);
  expect(samples.low[during]).toBeGreaterThan(100_000);
  expect(eventsOf(price)).toEqual([]);
});

test("in an outage there is no sample of anything, and the market goes on", () => {
  const { price, incidents, samples } = playTrace("dark", "small", 4, only({ outage: 28, rush: 28 }));
  const dark = (minute: number) =>
    incidents.some(
      ({ kind, from, until }) => kind === "outage" && from <= (minute + 0.5) * 60 && (minute + 1.5) * 60 <= until,
    );
  const columns = [samples.low, samples.high, samples.cost, ...Object.values(samples.waiting)];

  const minutes = Array.from({ length: samples.minutes }, (_, minute) => minute).filter(dark);
  expect(minutes.length).toBeGreaterThan(30);
  for (const column of columns) {
    expect(minutes.filter((minute) => !Number.isNaN(column[minute] ?? 0))).toEqual([]);
    expect(present(column).length).toBeGreaterThan(samples.minutes / 2);
  }
  expect(present(price).length).toBe(samples.minutes);
});

test("blocks are polled no more often than by default without a key", () => {
  expect(intervalOf(parseSchedule(scheduleOf(blocks.schedule, "keyless")))).toBeLessThanOrEqual(BLOCKS_POLL * 60_000);
});

test("the cost of the blocks only grows, by about what is mined", () => {
  const { samples, transactions } = playTrace("tenure", "small", 2, only({ surge: 28 }));
  const { cost } = samples;

  expect(cost.filter((value, minute) => minute > 0 && value < (cost[minute - 1] ?? 0))).toHaveLength(0);
  // It is as of the last poll of blocks, at most some minutes ago.
  const unseen = transactions.mined / WORLD.chain.tenureUnits - (cost.at(-1) ?? Number.NaN);
  expect(unseen).toBeGreaterThanOrEqual(0);
  expect(unseen).toBeLessThan(0.5);
});

describe("a listener", () => {
  const world = { ...WORLD, people: { ...WORLD.people, free: 0.1 } };
  const arrived = new Set<Transaction>();
  const waits: number[] = [];
  const lists: number[] = [];
  let trace: Trace;
  beforeAll(() => {
    const listener: Listener = {
      arrived: (transaction) => arrived.add(transaction),
      mined: ({ at, transactions }) => {
        for (const transaction of transactions) {
          if (!arrived.has(transaction) || !transaction.canBeMined) throw new Error("this cannot be mined");
          waits.push(at - transaction.at);
        }
      },
      minute: (minute, waiting) => {
        lists[minute] = [...waiting].length;
      },
    };
    trace = playTrace("listener", "small", 2, world, listener);
  });

  test("learns of every transaction, when it arrives and when it is mined", () => {
    expect([arrived.size, waits.length]).toEqual([trace.transactions.entered, trace.transactions.mined]);
    expect(Math.min(...waits.slice(0, 10_000))).toBeGreaterThanOrEqual(5);
  });

  test("learns what waits in each minute", () => {
    const { token_transfer, contract_call, smart_contract } = trace.samples.waiting;
    const waiting = token_transfer.map(
      (one, minute) => one + (contract_call[minute] ?? 0) + (smart_contract[minute] ?? 0),
    );

    expect(lists).toHaveLength(trace.samples.minutes);
    expect(waiting.filter((count, minute) => !Number.isNaN(count) && count !== lists[minute])).toHaveLength(0);
  });

  test("sees the share that pays nothing", () => {
    const ordinary = [...arrived].filter(({ canBeMined }) => canBeMined);

    expect(ordinary.filter(({ fee }) => fee === 0).length / ordinary.length).toBeCloseTo(0.1, 1);
  });
});
