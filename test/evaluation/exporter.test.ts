import { expect, test } from "@jest/globals";
import { currentFees, type MinedRow } from "../../src/collectors/transactions/window.ts";
import { observe, PRICED } from "../../tools/evaluation/exporter.ts";
import { TYPES } from "../../tools/evaluation/pool.ts";
import { EPOCH, playTrace } from "../../tools/evaluation/trace.ts";
import { WORLD } from "../../tools/evaluation/world.ts";

const MINUTE = { mempool: 1, blocks: 1, transactions: 1 };
const OUTAGES = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 28 } };
const QUIET = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 0 } };
const present = (column: Float64Array) => column.filter((value) => !Number.isNaN(value));

test("an exporter exposes the fees that were mined lately, as the collector computes them", () => {
  const trace = playTrace("exporter", "small", 2, QUIET);
  const samples = observe(trace, { polls: MINUTE });
  const { fee, at, type, sender } = trace.mined;
  const rows = Array.from(
    fee,
    (paid, index): MinedRow => ({
      fee: paid,
      type: TYPES[type[index] ?? 0] as string,
      at: EPOCH + (at[index] ?? 0),
      sender: sender[index] ?? 0,
    }),
  ).toReversed();

  for (const minute of [700, 2000, 2800]) {
    const now = EPOCH + 60 * (minute + 1);
    const fees = currentFees(
      rows.filter((row) => row.at <= now),
      now,
    );
    for (const name of PRICED) expect(samples.mined[name][minute]).toBe(fees[name].percentiles?.p25);
  }
});

test("an outage leaves no samples", () => {
  const trace = playTrace("outage", "small", 2, OUTAGES);
  const samples = observe(trace, { polls: MINUTE });
  const dark = Array.from({ length: trace.minutes }, (_, minute) => 60 * (minute + 1)).flatMap((end, minute) =>
    trace.incidents.some(({ kind, from, until }) => kind === "outage" && from <= end && end < until) ? [minute] : [],
  );

  expect(dark.length).toBeGreaterThan(10);
  for (const column of [samples.cost, samples.included, samples.waiting]) {
    expect(dark.filter((minute) => !Number.isNaN(column[minute] ?? 0))).toEqual([]);
    expect(present(column).length).toBe(trace.minutes - dark.length);
  }
});
