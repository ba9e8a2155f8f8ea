import { beforeAll, describe, expect, test } from "@jest/globals";
import { feesOf, type MinedRow, rowsInWindow } from "../../src/collectors/transactions/window.ts";
import { observe, QUARTILES, type Samples } from "../../tools/evaluation/exporter.ts";
import { TYPES } from "../../tools/evaluation/pool.ts";
import { EPOCH, playTrace, type Trace } from "../../tools/evaluation/trace.ts";
import { WORLD } from "../../tools/evaluation/world.ts";
import { BASE, POLLS } from "../../tools/evaluation/worlds.ts";

const MINUTE = { fees: 1, mempool: 1, blocks: 1, transactions: 1 };
const present = (column: Float64Array) => column.filter((value) => !Number.isNaN(value));
/** The minutes in which a column changes. */
const changes = (column: Float64Array) =>
  Array.from(column.keys()).filter((minute) => minute > 0 && column[minute] !== column[minute - 1]);

describe("an exporter on nine days of a market", () => {
  let trace: Trace;
  let samples: Samples;
  const rows: MinedRow[] = [];
  beforeAll(() => {
    const people = { ...WORLD.people, perSecond: 0.1, free: 0.1 };
    const never = { perFourWeeks: 0 };
    const world = {
      ...WORLD,
      people,
      outage: { ...WORLD.outage, perFourWeeks: 28 },
      rush: { ...WORLD.rush, ...never },
      surge: { ...WORLD.surge, ...never },
      shift: { ...WORLD.shift, ...never },
    };
    trace = playTrace("exporter", "small", 9, world);
    samples = observe(trace, { polls: MINUTE });
    const { mined } = trace;
    for (let index = 0; index < mined.length; index += 1)
      rows.push({
        fee: mined.fee[index],
        type: TYPES[mined.type[index] ?? 0] ?? "",
        at: EPOCH + (mined.at[index] ?? 0),
      });
  });

  test("is the same again, sample by sample", () => {
    expect(observe(trace, { polls: MINUTE })).toEqual(samples);
  });

  test("exposes the fees mined in the last ten minutes, as the collector computes them", () => {
    const minutes = [700, 2000, 5000, 9000, 12_000].filter((minute) => !Number.isNaN(samples.mined.p25[minute]));

    expect(minutes.length).toBeGreaterThan(2);
    for (const minute of minutes) {
      const now = EPOCH + 60 * (minute + 1);
      const known = rows.filter(({ at }) => at <= now);

      const { percentiles } = feesOf(rowsInWindow(known, now)).all;
      for (const name of QUARTILES) expect(samples.mined[name][minute]).toBe(percentiles?.[name]);
    }
  });

  test("knows the usual fee after the first polls of a start in the middle of the trace, and all the time", () => {
    const from = 8 * 1440;
    const started = observe(trace, { polls: MINUTE, from, until: from + 120 });
    const ofHour = rows.filter(({ at }) => at > EPOCH + 60 * (from - 60) && at <= EPOCH + 60 * from);

    expect(present(started.usual.p25).length).toBeGreaterThan(90);
    expect(present(samples.usual.p25).length).toBeGreaterThan(0.7 * trace.minutes);
    for (const usual of [started.usual.p25.at(-1) ?? 0, samples.usual.p25[from + 119] ?? 0])
      expect(usual / (feesOf(ofHour).all.percentiles?.p25 ?? 0)).toBeCloseTo(1, 0);
  });

  test("has no samples during an outage", () => {
    const columns = [samples.low, samples.cost, samples.included, samples.mined.p25, ...Object.values(samples.waiting)];
    const dark = Array.from({ length: trace.minutes }, (_, minute) => 60 * (minute + 1)).flatMap((end, minute) =>
      trace.incidents.some(({ kind, from, until }) => kind === "outage" && from <= end && end < until) ? [minute] : [],
    );

    expect(dark.length).toBeGreaterThan(60);
    for (const column of columns) {
      expect(dark.filter((minute) => !Number.isNaN(column[minute] ?? 0))).toEqual([]);
      expect(present(column).length).toBeGreaterThan(trace.minutes / 2);
    }
  });
});

describe("polls", () => {
  const quiet = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 0 } };
  const trace = playTrace("polls", "small", 1, quiet);

  test("of a collector change its samples at its interval, all from the first minute on", () => {
    const samples = observe(trace, { polls: { fees: 20, mempool: 5, blocks: 3, transactions: 10 } });
    const all = [samples.low, samples.waiting.contract_call, samples.cost, samples.mined.p75];

    expect(all.map((column) => Number.isNaN(column[0] ?? Number.NaN))).toEqual([false, false, false, false]);
    for (const [column, every] of [
      [samples.waiting.contract_call, 5],
      [samples.cost, 3],
      [samples.mined.p75, 10],
    ] as const) {
      const phases = new Set(changes(column).map((minute) => minute % every));
      expect(phases.size).toBe(1);
    }
  });

  test("can be two and a half minutes apart", () => {
    const { mined } = observe(trace, { polls: { ...MINUTE, transactions: 2.5 } });

    expect(new Set(changes(mined.p75).map((minute) => minute % 5)).size).toBe(2);
  });

  test("at servers that are behind give older values, and blocks and mined transactions never go back", () => {
    const behind = observe(trace, { polls: MINUTE, lags: [0, 3, 10] });
    const exact = observe(trace, { polls: MINUTE });
    const { included } = behind;

    expect(included.filter((value, minute) => minute > 0 && value < (included[minute - 1] ?? 0))).toHaveLength(0);
    expect(included.filter((value, minute) => value > (exact.included[minute] ?? 0))).toHaveLength(0);
    expect(behind.waiting.token_transfer).not.toEqual(exact.waiting.token_transfer);
  });

  test("of a server without the list have no data about mined transactions", () => {
    const { mined, usual, low } = observe(trace, { polls: MINUTE, isMinedKnown: false });

    expect([present(mined.p50).length, present(usual.p50).length]).toEqual([0, 0]);
    expect(present(low).length).toBe(trace.minutes);
  });
});

test("the intervals of the base world are the defaults with a free key", () => {
  expect(BASE.polls).toBe(POLLS.freeKey);
  for (const minutes of [...Object.values(POLLS.freeKey), ...Object.values(POLLS.keyless)]) {
    expect(minutes).toBeGreaterThanOrEqual(1);
  }
});
