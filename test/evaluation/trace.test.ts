import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Transaction } from "../../tools/evaluation/pool.ts";
import { type Listener, playTrace, type Trace } from "../../tools/evaluation/trace.ts";
import { eventsOf } from "../../tools/evaluation/truth.ts";
import { WORLD, type World } from "../../tools/evaluation/world.ts";

const INCIDENTS = ["rush", "flash", "surge", "flood", "whale", "stuck", "shift", "outage"] as const;

/** The world with nothing but these incidents, as often as given. */
function only(often: Partial<Record<(typeof INCIDENTS)[number], number>>): World {
  const changed = INCIDENTS.map((kind) => [kind, { ...WORLD[kind], perFourWeeks: often[kind] ?? 0 }]);
  return { ...WORLD, ...(Object.fromEntries(changed) as Pick<World, (typeof INCIDENTS)[number]>) };
}

/** Waiting transactions of all types, by minute. */
function waitingIn({ server }: Trace): Float64Array {
  const { token_transfer, contract_call, smart_contract } = server.waiting;
  return token_transfer.map((one, minute) => one + (contract_call[minute] ?? 0) + (smart_contract[minute] ?? 0));
}

describe("four days of a market", () => {
  let trace: Trace;
  beforeAll(() => {
    trace = playTrace("test", "small", 4);
  });

  test("are the same again, sample by sample", () => {
    expect(playTrace("test", "small", 4)).toEqual(trace);
  });

  test("are others with another seed or regime", () => {
    const { low } = playTrace("test", "small", 1).server;

    expect(playTrace("other", "small", 1).server.low).not.toEqual(low);
    expect(playTrace("test", "large", 1).server.low).not.toEqual(low);
  });

  test("account for every transaction", () => {
    const { entered, mined, left, waiting } = trace.transactions;

    expect(entered).toBeGreaterThan(100_000);
    expect(mined + left + waiting).toBe(entered);
  });
});

test("without incidents there is no event, and the pool has its usual size", () => {
  for (const [regime, usual] of [
    ["none", 5],
    ["small", 26],
    ["large", 188],
    ["huge", 2005],
  ] as const) {
    const trace = playTrace("calm", regime, 4, only({}));
    const median = waitingIn(trace).toSorted()[trace.minutes / 2] ?? 0;

    expect(eventsOf(trace.price)).toEqual([]);
    expect(Math.abs(median - usual) / usual).toBeLessThan(0.35);
  }
});

test("a rush is an event, because events are defined by the price to be mined, not by the injected incident", () => {
  const { price, incidents } = playTrace("rush", "small", 4, only({ rush: 28 }));
  const rushes = incidents.filter(({ kind }) => kind === "rush");
  const events = eventsOf(price);

  expect(rushes.length).toBeGreaterThanOrEqual(2);
  expect(events.length).toBeGreaterThanOrEqual(1);
  for (const { from, until } of events) {
    expect(rushes.some((rush) => rush.from / 60 < until && rush.until / 60 + 180 > from)).toBe(true);
  }
});

test("a cluster of stuck transactions lifts every percentile, and is not an event", () => {
  const { price, incidents, server } = playTrace("stuck", "small", 4, only({ stuck: 28 }));
  const { from, until } = incidents[0] ?? { from: 0, until: 0 };
  const during = Math.floor((from + until) / 120);

  expect(incidents.every(({ kind }) => kind === "stuck")).toBe(true);
  expect(server.low[during]).toBeGreaterThan(100_000);
  expect(eventsOf(price)).toEqual([]);
});

test("the cost of the blocks only increases, by mined transactions", () => {
  const { server, transactions } = playTrace("tenure", "small", 2, only({ surge: 28 }));
  const { cost, included } = server;

  expect(cost.filter((value, minute) => minute > 0 && value < (cost[minute - 1] ?? 0))).toHaveLength(0);
  expect(cost.at(-1)).toBeCloseTo(transactions.mined / WORLD.chain.tenureUnits, 9);
  expect(included.at(-1)).toBe(transactions.mined);
});

test("a type can use more of the budget than another", () => {
  const chain = { ...WORLD.chain, units: { token_transfer: 0.5, contract_call: 2, smart_contract: 3 } };
  const { mined, server } = playTrace("units", "small", 1, { ...only({}), chain });
  const units = [0.5, 2, 3];
  const used = mined.type.subarray(0, mined.length).reduce((sum, type) => sum + (units[type] ?? 0), 0);

  expect(server.cost.at(-1)).toBeCloseTo(used / chain.tenureUnits, 6);
});

test("the needed fee is the lowest of the next ten minutes", () => {
  const blocks: { at: number; entry: number }[] = [];
  const mined: Listener["mined"] = ({ at, entry }) => blocks.push({ at, entry });
  const { needed } = playTrace("needed", "small", 3, only({ rush: 28 }), { mined });
  const minuteOf = ({ at }: { at: number }) => Math.ceil(at / 60) - 1;
  const checked = Array.from(needed.keys()).filter((minute) => minute % 97 === 0 && minute < needed.length - 20);
  const expected = checked.map((minute) => {
    const next = blocks.filter((block) => minuteOf(block) > minute && minuteOf(block) <= minute + 10);
    return Math.min(...next.map(({ entry }) => entry)) / WORLD.floor;
  });

  expect(needed.some((floors) => floors > 3)).toBe(true);
  // A block that begins in a minute can end in the next one, which is counted in the former.
  const differing = checked.filter((minute, index) => Math.abs((needed[minute] ?? 0) - (expected[index] ?? 0)) > 0.5);
  expect(differing.length).toBeLessThan(checked.length / 50);
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

  test("receives every transaction, when it arrives and when it is mined", () => {
    expect([arrived.size, waits.length]).toEqual([trace.transactions.entered, trace.transactions.mined]);
    expect(Math.min(...waits.slice(0, 10_000))).toBeGreaterThanOrEqual(5);
  });

  test("receives the waiting transactions of each minute", () => {
    expect(lists).toEqual([...waitingIn(trace)]);
  });

  test("receives the share that pays nothing", () => {
    const ordinary = [...arrived].filter(({ canBeMined }) => canBeMined);

    expect(ordinary.filter(({ fee }) => fee === 0).length / ordinary.length).toBeCloseTo(0.1, 1);
  });
});
