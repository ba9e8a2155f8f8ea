import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  largestOutflow,
  NO_OUTFLOW,
  type Outflow,
  type Spent,
  withOutflow,
} from "../../../src/collectors/addresses/outflow.ts";

const START = 1_795_000_000;
const HOUR = 3600;

/** A poll: its time, and what it counts by block time. In seconds since the start. */
interface CountingPoll {
  readonly at: number;
  readonly spent: readonly (readonly [time: number, amount: number])[];
}

function after(...polls: readonly CountingPoll[]): Outflow {
  return polls.reduce<Outflow>(
    (outflow, { at, spent }) =>
      withOutflow(
        outflow,
        spent.map(([time, amount]) => ({ time: START + time, amount: BigInt(amount) })),
        (START + at) * 1000,
      ),
    NO_OUTFLOW,
  );
}
const largest = (...polls: readonly CountingPoll[]) => Number(largestOutflow(after(...polls)));

test("an hour is less than sixty minutes of block time", () => {
  expect(
    largest({
      at: 9000,
      spent: [
        [0, 5],
        [HOUR, 7],
      ],
    }),
  ).toBe(7);
  expect(
    largest({
      at: 9000,
      spent: [
        [0, 5],
        [HOUR - 1, 7],
      ],
    }),
  ).toBe(12);
});

test("an outflow of many hours that one poll counts is that of its largest hour", () => {
  const spent = Array.from({ length: 20 }, (_, index) => [index * 1800, 10] as const);

  expect(largest({ at: 40_000, spent })).toBe(20);
});

test("transactions of two polls add up within an hour", () => {
  expect(largest({ at: 10, spent: [[0, 5]] }, { at: 1900, spent: [[1800, 6]] })).toBe(11);
});

test("a transaction that is counted late belongs to its own hour", () => {
  expect(
    largest(
      {
        at: 10,
        spent: [
          [0, 5],
          [1800, 6],
        ],
      },
      { at: 2000, spent: [[900, 7]] },
    ),
  ).toBe(18);
});

test("polls that catch up count the newest transactions first: an hour across two of them is found", () => {
  const catchingUp = [
    {
      at: 40_000,
      spent: [
        [39_000, 1],
        [20_000, 5],
      ],
    },
    // A new transaction arrives between the polls.
    { at: 40_010, spent: [[40_005, 1]] },
    {
      at: 40_020,
      spent: [
        [18_000, 6],
        [10_000, 2],
      ],
    },
    {
      at: 40_030,
      spent: [
        [9000, 20],
        [8000, 20],
      ],
    },
  ] as const;

  expect(largest(...catchingUp.slice(0, 3))).toBe(11);
  expect(largest(...catchingUp)).toBe(42);
  expect(after(...catchingUp).recent.map(({ time }) => time - START)).toEqual([8000, 9000, 10_000, 39_000, 40_005]);
});

test("a peak stays for an hour after it was counted, however old its transactions are", () => {
  const late = { at: 50_000, spent: [[0, 9]] } as const;

  expect(largest(late, { at: 50_000 + HOUR - 1, spent: [] })).toBe(9);
  expect(largest(late, { at: 50_000 + HOUR, spent: [] })).toBe(0);
  expect(largest(late, { at: 50_000 + HOUR, spent: [[50_000 + HOUR, 2]] })).toBe(2);
});

test("of an hour and a smaller one after it, the smaller one stays longer", () => {
  const polls = [
    { at: 0, spent: [[0, 9]] },
    { at: 3000, spent: [[HOUR, 4]] },
  ] as const;

  expect(largest(...polls)).toBe(9);
  expect(largest(...polls, { at: HOUR, spent: [] })).toBe(4);
});

test("two hours at most are kept: the last one, and one from where a poll began", () => {
  const spent = Array.from({ length: 1000 }, (_, index) => [index * 60, 1] as const);
  const polls = spent.map((one) => ({ at: one[0], spent: [one] }));

  expect(after(...polls).recent).toHaveLength(60);
  expect(after({ at: 60_000, spent }).recent).toHaveLength(120);
  expect(
    after({ at: 60_000, spent }, ...polls.map(({ at, spent }) => ({ at: at + 60_000, spent }))).recent.length,
  ).toBeLessThanOrEqual(120);
  expect(
    after({
      at: 1,
      spent: [
        [0, 1],
        [0, 2],
      ],
    }).recent,
  ).toEqual([{ time: START, amount: 3n }]);
});

test("a poll that counts nothing changes nothing while all peaks are fresh", () => {
  const outflow = after({ at: 0, spent: [[0, 5]] });

  expect(withOutflow(outflow, [], (START + 60) * 1000)).toEqual(outflow);
});

/** The definition, literally: every hour that ends with a block and has one that was counted in the last hour. */
function expected(polls: readonly { readonly at: number; readonly spent: readonly Spent[] }[], now: number): bigint {
  const known = polls.flatMap(({ at, spent }) => spent.map((one) => ({ ...one, at })));
  const sums = known
    .map(({ time: end }) => known.filter(({ time }) => time > end - HOUR && time <= end))
    .filter((hour) => hour.some(({ at }) => at > now - HOUR))
    .map((hour) => hour.reduce((sum, { amount }) => sum + amount, 0n));
  return sums.reduce((max, sum) => (sum > max ? sum : max), 0n);
}

test("follows its definition if polls count in the order of the chain", () => {
  const step = fc.record({
    pause: fc.integer({ min: 1, max: 3 * HOUR }),
    blocks: fc.array(fc.tuple(fc.integer({ min: 0, max: 2400 }), fc.bigInt({ min: 1n, max: 2n ** 70n })), {
      maxLength: 6,
    }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const polls: { at: number; spent: Spent[] }[] = [];
      let outflow = NO_OUTFLOW;
      let time = START;
      let now = START;
      for (const { pause, blocks } of steps) {
        const spent = blocks.map(([gap, amount]) => {
          time += gap;
          return { time, amount };
        });
        now = Math.max(now + pause, time);
        polls.push({ at: now, spent });
        outflow = withOutflow(outflow, spent, now * 1000);
        expect(largestOutflow(outflow)).toBe(expected(polls, now));
      }
    }),
  );
});
