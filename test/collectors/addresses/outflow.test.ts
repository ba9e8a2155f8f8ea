import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { largestOutflow, NO_OUTFLOW, type Spent, withOutflow } from "../../../src/collectors/addresses/outflow.ts";

const START = 1_795_000_000;
const HOUR = 3600;

/** A poll: its time, and what it counts by block time. In seconds since the start. */
interface CountingPoll {
  readonly at: number;
  readonly spent: readonly (readonly [time: number, amount: number])[];
}

const largest = (...polls: readonly CountingPoll[]) =>
  Number(
    largestOutflow(
      polls.reduce((outflow, { at, spent }) => {
        const amounts = spent.map(([time, amount]) => ({ time: START + time, amount: BigInt(amount) }));
        return withOutflow(outflow, amounts, (START + at) * 1000);
      }, NO_OUTFLOW),
    ),
  );
const poll = (at: number, ...spent: CountingPoll["spent"]): CountingPoll => ({ at, spent });

const LATE = poll(50_000, [0, 9]);

test.each<[string, number, ...CountingPoll[]]>([
  ["an hour is less than sixty minutes of block time", 7, poll(9000, [0, 5], [HOUR, 7])],
  ["just below an hour", 12, poll(9000, [0, 5], [HOUR - 1, 7])],
  ["a transaction that is counted late belongs to its own hour", 18, poll(10, [0, 5], [1800, 6]), poll(2000, [900, 7])],
  ["an hour across two polls is found", 11, poll(40_000, [18_000, 6]), poll(40_010, [20_000, 5], [39_000, 1])],
  ["a peak stays for an hour after it was counted, however old it is", 9, LATE, poll(50_000 + HOUR - 1)],
  ["and not longer", 0, LATE, poll(50_000 + HOUR)],
  ["before a new one", 2, LATE, poll(50_000 + HOUR, [50_000 + HOUR, 2])],
  ["of an hour and a smaller one after it, the larger one counts", 9, poll(0, [0, 9]), poll(3000, [HOUR, 4])],
  ["and the smaller one stays longer", 4, poll(0, [0, 9]), poll(3000, [HOUR, 4]), poll(HOUR)],
])("%s: %i", (...[, expected, ...polls]) => {
  expect(largest(...polls)).toBe(expected);
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

test("follows its definition if polls count in the order of the chain, in bounded memory", () => {
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
  // A block a minute for sixteen hours: two hours at most are kept.
  const spent = Array.from({ length: 1000 }, (_, index) => ({ time: START + index * 60, amount: 1n }));
  const kept = withOutflow(NO_OUTFLOW, spent, (START + 60_000) * 1000);
  expect(JSON.stringify(kept, (_, value) => (typeof value === "bigint" ? 1 : value)).length).toBeLessThan(10_000);
});
