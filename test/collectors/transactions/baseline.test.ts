import { describe, expect, test } from "@jest/globals";
import {
  type Baseline,
  baselineFees,
  NO_BASELINE,
  nextPage,
  PERIOD_SECONDS,
  PERIODS,
  type PlacedRow,
  usualFees,
  withNewest,
  withPage,
} from "../../../src/collectors/transactions/baseline.ts";
import { feesOf } from "../../../src/collectors/transactions/window.ts";

const PAGE = 50;
const DAY = 86_400;
// Two hours after the start of a period.
const NOW = PERIOD_SECONDS * 70_000 + 7200;

const row = (height: number, at: number, fee = 100): PlacedRow => ({ height, at, fee, type: "token_transfer" });

/** Transactions of a chain, newest first, one per block. `secondsAt` is the time from a block to the next older one. */
function chain(from: number, to: number, secondsAt: (at: number) => number, feeAt = (_at: number) => 100): PlacedRow[] {
  const times: number[] = [];
  for (let at = to; at >= from; at -= secondsAt(at)) times.push(at);
  return times.map((at, place) => row(times.length - place, at, feeAt(at)));
}

/** Responds like the API: the page that starts at the newest transaction at or below a height. */
const pageAt = (rows: readonly PlacedRow[], height: number): PlacedRow[] => {
  const start = rows.findIndex((one) => one.height <= height);
  return start < 0 ? [] : rows.slice(start, start + PAGE);
};

/** Polls until no page is left to sample. */
function sampled(rows: readonly PlacedRow[], now: number, before: Baseline = NO_BASELINE, page = pageAt) {
  const newest = rows.slice(0, PAGE);
  let baseline = withNewest(before, newest, now);
  const heights: number[] = [];
  for (let next = nextPage(baseline, now); next !== undefined; next = nextPage(baseline, now)) {
    heights.push(next.height);
    baseline = withPage(baseline, next, page(rows, next.height));
    if (heights.length > 200) throw new Error("endless");
  }
  return { baseline, heights, newest };
}

const withSample = ({ periods }: Baseline) => periods.filter(({ fees }) => fees !== undefined);

describe("the samples of seven days", () => {
  test.each<[string, (at: number) => number]>([
    ["fast blocks", () => 5],
    ["slow blocks", () => 130],
    ["a rate that changes by day", (at) => (Math.floor(at / DAY) % 2 === 0 ? 5 : 60)],
    ["faster blocks now than before", (at) => (at > NOW - 3600 ? 2 : 40)],
    ["slower blocks now than before", (at) => (at > NOW - 7200 ? 120 : 8)],
    ["a pause of five hours", (at) => (at > NOW - 2 * DAY && at < NOW - 2 * DAY + 40 ? 5 * 3600 : 30)],
  ])("are complete with %s, with few requests", (_, secondsAt) => {
    const { baseline, heights } = sampled(chain(NOW - 10 * DAY, NOW, secondsAt), NOW);

    expect(withSample(baseline)).toHaveLength(PERIODS);
    // The current period needs none.
    expect(heights.length).toBeLessThanOrEqual(2 * (PERIODS - 1));
  });

  test("that are missing after an outage are requested", () => {
    const rows = chain(NOW - 10 * DAY, NOW + 2 * DAY, () => 20);
    const before = sampled(
      rows.filter(({ at }) => at <= NOW),
      NOW,
    ).baseline;

    const { baseline, heights } = sampled(rows, NOW + 2 * DAY, before);

    expect(withSample(baseline)).toHaveLength(PERIODS);
    expect(heights).toHaveLength(6);
  });
});

// A pause of two days.
const paused = [
  ...chain(NOW - DAY, NOW, () => 20).map((one) => ({ ...one, height: one.height + 20_000 })),
  ...chain(NOW - 10 * DAY, NOW - 3 * DAY, () => 40),
];
const periods = new Set(paused.map(({ at }) => Math.floor(at / PERIOD_SECONDS)));
const recent = [...periods].filter((number) => number > Math.floor(NOW / PERIOD_SECONDS) - PERIODS);
const steadily = (from: number) => chain(from, NOW, () => 20);

test.each<[string, PlacedRow[], number, number, typeof pageAt]>([
  ["the chain is younger", steadily(NOW - 2 * DAY), 8, 10, pageAt],
  ["the whole chain is younger than a period", chain(NOW - 600, NOW, () => 10), 1, 0, pageAt],
  ["nothing was mined for two days", paused, recent.length, 49, pageAt],
  [
    "the server lists nothing below a height",
    steadily(NOW - 10 * DAY).filter(({ at }) => at > NOW - 2 * DAY),
    8,
    23,
    pageAt,
  ],
  ["the server ignores the cursor", steadily(NOW - 10 * DAY), 1, PERIODS - 1, (rows) => rows.slice(0, PAGE)],
])("a period that has no sample is not requested endlessly when %s", (_, rows, samples, most, page) => {
  const { baseline, heights } = sampled(rows, NOW, NO_BASELINE, page);

  expect(withSample(baseline)).toHaveLength(samples);
  expect(heights.length).toBeLessThanOrEqual(most);
});

test("nothing is requested while no transaction is known", () => {
  expect(nextPage(NO_BASELINE, NOW)).toBeUndefined();
  expect(baselineFees(withNewest(NO_BASELINE, [], NOW), NOW)).toBeUndefined();
});

describe("the usual fees", () => {
  test("appear when eight samples are there", () => {
    const rows = chain(NOW - 10 * DAY, NOW, () => 20);
    const newest = rows.slice(0, PAGE);
    let baseline = withNewest(NO_BASELINE, newest, NOW);
    const samples: (number | undefined)[] = [];
    for (let next = nextPage(baseline, NOW); next !== undefined; next = nextPage(baseline, NOW)) {
      samples.push(baselineFees(baseline, NOW)?.all.transactions);
      baseline = withPage(baseline, next, pageAt(rows, next.height));
    }

    expect(samples.slice(0, 9)).toEqual([...new Array(7).fill(undefined), 8 * PAGE, 9 * PAGE]);
  });

  test("do not follow two days of high fees", () => {
    const feeAt = (at: number) => (at > NOW - 2 * DAY ? 5000 : 100);
    const { baseline } = sampled(
      chain(NOW - 10 * DAY, NOW, () => 20, feeAt),
      NOW,
    );

    expect(baselineFees(baseline, NOW)?.all).toMatchObject({
      transactions: PERIODS * PAGE,
      percentiles: { p25: 100, p95: 100 },
    });
  });

  const page = (fee: number, count: number) => feesOf(Array.from({ length: count }, () => row(1, NOW, fee)));

  test("give a sample the weight of its transactions", () => {
    const usual = usualFees([page(100, 50), page(900, 2), page(800, 2)]);

    expect(usual.token_transfer).toMatchObject({ transactions: 54, percentiles: { p50: 100 } });
    expect(usual.contract_call).toEqual({ transactions: 0, percentiles: undefined });
  });
});
