import { describe, expect, test } from "@jest/globals";
import {
  type Baseline,
  baselineFees,
  NO_BASELINE,
  nextPage,
  PERIOD_SECONDS,
  PERIODS,
  type PlacedRow,
  withNewest,
  withPage,
} from "../../../src/collectors/transactions/baseline.ts";
import { feesOf } from "../../../src/collectors/transactions/window.ts";

const PAGE = 50;
const DAY = 86_400;
// Two hours after the start of a period.
const NOW = PERIOD_SECONDS * 70_000 + 7200;

const row = (height: number, at: number, fee = 100): PlacedRow => ({
  height,
  at,
  fee,
  type: "token_transfer",
  sender: height,
});

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
    // As after a pause.
    baseline = { ...withPage(baseline, next, page(rows, next.height), now), askedAt: 0 };
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
    ["much faster blocks now than before", (at) => (at > NOW - 3600 ? 5 : 1800)],
    ["slower blocks now than before", (at) => (at > NOW - 7200 ? 120 : 8)],
    ["a pause of five hours", (at) => (at > NOW - 2 * DAY && at < NOW - 2 * DAY + 40 ? 5 * 3600 : 30)],
  ])("are complete with %s, with few requests", (_, secondsAt) => {
    const { baseline, heights } = sampled(chain(NOW - 10 * DAY, NOW, secondsAt), NOW);

    expect(withSample(baseline)).toHaveLength(PERIODS);
    // The current period needs none.
    expect(heights.length).toBeLessThanOrEqual(2 * (PERIODS - 1));
  });

  test("need one request each while blocks have a regular rate", () => {
    const { heights } = sampled(
      chain(NOW - 10 * DAY, NOW, () => 20),
      NOW,
    );

    expect(heights).toHaveLength(PERIODS - 1);
  });

  test("are spread over the seven days from the first ones on", () => {
    const rows = chain(NOW - 10 * DAY, NOW, () => 20);
    const { heights } = sampled(rows, NOW);
    const ages = heights.slice(0, 4).map((height) => NOW - (pageAt(rows, height)[0]?.at ?? 0));

    expect(ages.map((age) => Math.round(age / DAY))).toEqual([7, 3, 2, 5]);
  });

  test("are renewed one at a time, without a request while polls continue", () => {
    const rows = chain(NOW - 10 * DAY, NOW + 3 * DAY, () => 20);
    let { baseline } = sampled(
      rows.filter(({ at }) => at <= NOW),
      NOW,
    );
    let requests = 0;
    for (let now = NOW; now < NOW + 3 * DAY; now += 600) {
      const result = sampled(
        rows.filter(({ at }) => at <= now),
        now,
        baseline,
      );
      requests += result.heights.length;
      baseline = result.baseline;
    }

    expect(requests).toBe(0);
    expect(withSample(baseline)).toHaveLength(PERIODS);
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
  ["the whole chain is younger than a period", chain(NOW - 600, NOW, () => 10), 1, 1, pageAt],
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
  expect(baselineFees(withNewest(NO_BASELINE, [], NOW)).all.percentiles).toBeUndefined();
});

test("few transactions are not a sample of the current period, which is requested when it has ended", () => {
  const rows = chain(NOW - 10 * DAY, NOW + PERIOD_SECONDS, () => 300);
  const before = rows.filter(({ at }) => at <= NOW);
  const { baseline } = sampled(before, NOW);
  expect(withSample(baseline)).toHaveLength(PERIODS - 1);

  const { heights } = sampled(rows, NOW + PERIOD_SECONDS, baseline);

  expect(heights.map((height) => pageAt(rows, height)[0]?.at)).toEqual([NOW - 7200 + PERIOD_SECONDS / 2]);
});

describe("the usual fees", () => {
  test("appear when eight samples are there", () => {
    const rows = chain(NOW - 10 * DAY, NOW, () => 20);
    const newest = rows.slice(0, PAGE);
    let baseline = withNewest(NO_BASELINE, newest, NOW);
    const samples: (number | undefined)[] = [];
    for (let next = nextPage(baseline, NOW); next !== undefined; next = nextPage(baseline, NOW)) {
      samples.push(baselineFees(baseline).all.percentiles?.p50);
      baseline = { ...withPage(baseline, next, pageAt(rows, next.height), NOW), askedAt: 0 };
    }

    expect(samples.slice(0, 9)).toEqual([...new Array(7).fill(undefined), 100, 100]);
  });

  test("do not follow two days of high fees", () => {
    const feeAt = (at: number) => (at > NOW - 2 * DAY ? 5000 : 100);
    const { baseline } = sampled(
      chain(NOW - 10 * DAY, NOW, () => 20, feeAt),
      NOW,
    );

    expect(baselineFees(baseline).all).toMatchObject({
      transactions: PERIODS * PAGE,
      percentiles: { p25: 100, p95: 100 },
    });
  });

  /** A baseline whose samples have one transaction of each fee. */
  const withFees = (...samples: readonly (readonly number[])[]): Baseline => ({
    ...NO_BASELINE,
    periods: samples.map((fees, number) => ({
      number,
      misses: 0,
      points: [],
      fees: feesOf(fees.map((fee, index) => row(index, NOW, fee))),
    })),
  });
  const low = new Array(7).fill(new Array(20).fill(100));

  test("give each sample the same weight, also one with many transactions", () => {
    const usual = baselineFees(withFees(...low, new Array(1000).fill(900)));

    expect(usual.token_transfer.percentiles?.p50).toBe(100);
    expect(usual.contract_call).toEqual({ transactions: 0, percentiles: undefined });
  });
  test("are unknown while fewer than eight samples have five transactions of the type", () => {
    expect(baselineFees(withFees(...low, new Array(4).fill(100))).all.percentiles).toBeUndefined();
    expect(baselineFees(withFees(...low, new Array(5).fill(100))).all.percentiles?.p50).toBe(100);
  });
});

test("once the usual fee of calls is known, a page is requested every few minutes only", () => {
  // The oldest period, which is requested first, has none.
  const oldest = NOW - 7200 - (PERIODS - 2) * PERIOD_SECONDS;
  const rows = chain(NOW - 10 * DAY, NOW + DAY, () => 20).map((one) =>
    one.at < oldest ? one : { ...one, type: "contract_call" },
  );
  let baseline = NO_BASELINE;
  const asked: number[] = [];
  for (let now = NOW; now < NOW + 2 * 3600; now += 60) {
    baseline = withNewest(baseline, rows.filter(({ at }) => at <= now).slice(0, PAGE), now);
    const next = nextPage(baseline, now);
    if (next === undefined) continue;
    asked.push(now);
    baseline = withPage(baseline, next, pageAt(rows, next.height), now);
    // The newest transactions and seven pages of the past.
    expect(baselineFees(baseline).contract_call.percentiles !== undefined).toBe(asked.length >= 8);
  }

  expect(asked).toHaveLength(PERIODS - 1);
  expect(asked.slice(0, 10).map((at) => (at - NOW) / 60)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 11, 15]);
});

test("rows of the future are no samples", () => {
  const rows = chain(NOW - 10 * DAY, NOW, () => 20);
  const wrong = rows.slice(0, PAGE).map((one) => ({ ...one, at: 253_402_300_799, fee: 1e9 }));
  const before = withNewest(withNewest(NO_BASELINE, wrong, NOW), rows.slice(0, PAGE), NOW);
  const { baseline } = sampled(rows, NOW, before, (all, height) => [...wrong, ...pageAt(all, height)]);

  expect(baselineFees(baseline).all.percentiles?.p95).toBe(100);
});
