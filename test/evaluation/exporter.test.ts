import { expect, test } from "@jest/globals";
import { lowestFee } from "../../src/collectors/transactions/window.ts";
import { observe } from "../../tools/evaluation/exporter.ts";
import { EPOCH, playTrace } from "../../tools/evaluation/trace.ts";
import { WORLD } from "../../tools/evaluation/world.ts";

const OUTAGES = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 28 } };
const QUIET = { ...WORLD, outage: { ...WORLD.outage, perFourWeeks: 0 } };
const present = (column: Float64Array) => column.filter((value) => !Number.isNaN(value));

test("an exporter exposes the fees that were mined lately, as the collector computes them", () => {
  const trace = playTrace("exporter", "small", { ...QUIET, chain: { ...QUIET.chain, functions: 0 } }, 2);
  const samples = observe(trace, { every: 1 });
  const rows = trace.mined.toReversed();

  for (const minute of [700, 2000, 2800]) {
    const now = EPOCH + 60 * (minute + 1);
    const known = rows.filter((row) => row.at <= now);
    expect(samples.mined[minute]).toBe(lowestFee(known, "contract_call", now));
  }
});

test("an outage leaves no samples", () => {
  const trace = playTrace("outage", "small", OUTAGES, 2);
  const samples = observe(trace, { every: 1 });
  const dark = Array.from({ length: trace.minutes }, (_, minute) => 60 * (minute + 1)).flatMap((end, minute) =>
    trace.incidents.some(({ kind, from, until }) => kind === "outage" && from <= end && end < until) ? [minute] : [],
  );

  expect(dark.length).toBeGreaterThan(10);
  expect(dark.filter((minute) => !Number.isNaN(samples.mined[minute] ?? 0))).toEqual([]);
  // In its first minutes, the chain has too few transactions.
  const missing = trace.minutes - present(samples.mined).length - dark.length;
  expect([missing, present(samples.mined.subarray(0, 10)).length]).toEqual([2, 8]);
});
