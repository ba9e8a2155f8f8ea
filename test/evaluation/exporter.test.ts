import { expect, test } from "@jest/globals";
import { currentFees } from "../../src/collectors/transactions/window.ts";
import { observe, PRICED } from "../../tools/evaluation/exporter.ts";
import { EPOCH, playTrace } from "../../tools/evaluation/trace.ts";
import { WORLD } from "../../tools/evaluation/world.ts";

const OUTAGES = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 28 } };
const QUIET = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 0 } };
const present = (column: Float64Array) => column.filter((value) => !Number.isNaN(value));

test("an exporter exposes the fees that were mined lately, as the collector computes them", () => {
  const trace = playTrace("exporter", "small", QUIET, 2);
  const samples = observe(trace, { every: 1 });
  const rows = trace.mined.toReversed();

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
  const trace = playTrace("outage", "small", OUTAGES, 2);
  const samples = observe(trace, { every: 1 });
  const dark = Array.from({ length: trace.minutes }, (_, minute) => 60 * (minute + 1)).flatMap((end, minute) =>
    trace.incidents.some(({ kind, from, until }) => kind === "outage" && from <= end && end < until) ? [minute] : [],
  );

  expect(dark.length).toBeGreaterThan(10);
  for (const column of [samples.cost, samples.included, samples.waiting]) {
    expect(dark.filter((minute) => !Number.isNaN(column[minute] ?? 0))).toEqual([]);
    expect(present(column).length).toBe(trace.minutes - dark.length);
  }
});
