import { expect, test } from "@jest/globals";
import { feesOf, type MinedRow, rowsInWindow } from "../../src/collectors/transactions/window.ts";
import { observe, QUARTILES } from "../../tools/evaluation/exporter.ts";
import { EPOCH, playTrace } from "../../tools/evaluation/trace.ts";
import { WORLD } from "../../tools/evaluation/world.ts";

const MINUTE = { fees: 1, mempool: 1, blocks: 1, transactions: 1 };
const OUTAGES = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 28 } };
const QUIET = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 0 } };
const present = (column: Float64Array) => column.filter((value) => !Number.isNaN(value));

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
