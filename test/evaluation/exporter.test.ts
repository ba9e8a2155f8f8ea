import { expect, test } from "@jest/globals";
import { feesOf, type MinedRow, rowsInWindow } from "../../src/collectors/transactions/window.ts";
import { observe, QUARTILES } from "../../tools/evaluation/exporter.ts";
import { EPOCH, playTrace } from "../../tools/evaluation/trace.ts";
import { WORLD } from "../../tools/evaluation/world.ts";

const MINUTE = { fees: 1, mempool: 1, blocks: 1, transactions: 1 };
const OUTAGES = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 28 } };
const QUIET = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 0 } };
const present = (column: Float64Array) => column.filter((value) => !Number.isNaN(value));
/** The minutes in which a column changes. */
const changes = (column: Float64Array) =>
  Array.from(column.keys()).filter((minute) => minute > 0 && column[minute] !== column[minute - 1]);

test("an exporter exposes the fees mined in the last ten minutes, as the collector computes them", () => {
  const trace = playTrace("exporter", "small", 2, QUIET);
  const samples = observe(trace, { polls: MINUTE });
  const { fee, at } = trace.mined;
  const rows = Array.from(
    fee,
    (paid, index): MinedRow => ({ fee: paid, type: "contract_call", at: EPOCH + (at[index] ?? 0) }),
  );

  for (const minute of [700, 2000, 2800]) {
    const now = EPOCH + 60 * (minute + 1);
    const known = rows.filter((row) => row.at <= now);
    const { percentiles } = feesOf(rowsInWindow(known, now)).all;
    for (const name of QUARTILES) expect(samples.mined[name][minute]).toBe(percentiles?.[name]);
  }
});

test("the usual fee is known after the first polls of a start in the middle of the trace", () => {
  const trace = playTrace("exporter", "small", 9, QUIET);
  const from = 8 * 1440;
  const started = observe(trace, { polls: MINUTE, from, until: from + 120 });
  const whole = observe(trace, { polls: MINUTE });

  expect(present(started.usual.p25).length).toBeGreaterThan(90);
  expect((started.usual.p25.at(-1) ?? 0) / (whole.usual.p25[from + 119] ?? 0)).toBeCloseTo(1, 0);
});

test("an outage leaves no samples", () => {
  const trace = playTrace("outage", "small", 2, OUTAGES);
  const samples = observe(trace, { polls: MINUTE });
  const dark = Array.from({ length: trace.minutes }, (_, minute) => 60 * (minute + 1)).flatMap((end, minute) =>
    trace.incidents.some(({ kind, from, until }) => kind === "outage" && from <= end && end < until) ? [minute] : [],
  );

  expect(dark.length).toBeGreaterThan(10);
  for (const column of [samples.low, samples.cost, samples.included, samples.mined.p25, samples.waiting]) {
    expect(dark.filter((minute) => !Number.isNaN(column[minute] ?? 0))).toEqual([]);
    expect(present(column).length).toBe(trace.minutes - dark.length);
  }
});

test("polls change samples at their interval, from the first minute on", () => {
  const trace = playTrace("polls", "small", 1, QUIET);
  const samples = observe(trace, { polls: { fees: 20, mempool: 5, blocks: 3, transactions: 2.5 } });

  for (const [column, every, phases] of [
    [samples.waiting, 5, 1],
    [samples.cost, 3, 1],
    // Two and a half minutes apart.
    [samples.mined.p75, 5, 2],
  ] as const) {
    expect(Number.isNaN(column[0] ?? Number.NaN)).toBe(false);
    expect(new Set(changes(column).map((minute) => minute % every)).size).toBe(phases);
  }
});

test("servers that are behind give older values, and blocks never go back", () => {
  const trace = playTrace("polls", "small", 1, QUIET);
  const behind = observe(trace, { polls: MINUTE, lags: [0, 3, 10] });
  const exact = observe(trace, { polls: MINUTE });
  const { included } = behind;

  expect(included.filter((value, minute) => minute > 0 && value < (included[minute - 1] ?? 0))).toHaveLength(0);
  expect(included.filter((value, minute) => value > (exact.included[minute] ?? 0))).toHaveLength(0);
  expect(behind.waiting).not.toEqual(exact.waiting);
});
