// The fee market: what each scenario does to fees, numbers and blocks.
import { describe, expect, test } from "@jest/globals";
import type { Chain } from "../../simulator/chain/chain.ts";
import { fullness } from "../../simulator/chain/cost.ts";
import { mempoolStatistics } from "../../simulator/chain/mempool-statistics.ts";
import { percentile, percentiles, roundHalfEven } from "../../simulator/chain/percentile.ts";
import { tenureCost } from "../../simulator/chain/tenure.ts";
import { livingChain } from "./living-chain.ts";

interface Sample {
  readonly p50: number;
  readonly count: number;
  readonly fullness: number;
}

// The median of each figure over ten minutes, and the fullest the tenure became.
function watch(chain: Chain, seconds = 600): Sample {
  const samples: Sample[] = [];
  for (let left = seconds; left > 0; left -= 30) {
    chain.advanceTo(chain.now + 30);
    const p50 = mempoolStatistics(chain).fees.all.low_priority;
    samples.push({ p50, count: chain.mempool.size, fullness: fullness(tenureCost(chain.ledger)) });
  }
  const median = (values: number[]) =>
    percentile(
      values.sort((one, other) => one - other),
      0.5,
    );
  return {
    p50: median(samples.map(({ p50 }) => p50)),
    count: median(samples.map(({ count }) => count)),
    fullness: Math.max(...samples.map((sample) => sample.fullness)),
  };
}

describe.each(["one", "two", "three"])("seed %s", (seed) => {
  test("a spike raises fees, numbers and the fullness of blocks, and passes", () => {
    const chain = livingChain({ seed });
    const before = watch(chain);

    chain.begin("spike");
    const during = watch(chain, 1200);
    chain.advanceTo(chain.now + 2 * 3600);
    const after = watch(chain);

    expect(during.p50).toBeGreaterThan(3 * before.p50);
    expect(during.count).toBeGreaterThan(3 * before.count);
    expect(during.fullness).toBeGreaterThan(0.5);
    expect(before.fullness).toBeLessThan(0.5);
    expect(after.p50).toBeLessThan(3 * before.p50);
    expect(after.count).toBeLessThan(2 * before.count);
  });

  test("a stuck cluster raises fees and leaves the blocks as they are, until the market is calm", () => {
    const chain = livingChain({ seed });
    const twin = livingChain({ seed });
    const before = watch(chain);
    watch(twin);

    chain.begin("stuck");
    const during = watch(chain);
    const undisturbed = watch(twin);
    chain.calm();
    const after = watch(chain);

    expect(during.p50).toBeGreaterThan(10 * before.p50);
    expect(during.fullness).toBe(undisturbed.fullness);
    expect(after.p50).toBeLessThan(3 * before.p50);
  });

  test("a flood raises the number alone among the statistics of the mempool", () => {
    const chain = livingChain({ seed });
    const before = watch(chain);

    chain.begin("flood");
    const during = watch(chain);

    expect(during.count).toBeGreaterThan(6 * before.count);
    expect(during.p50).toBeLessThan(1.5 * before.p50);
    expect(during.fullness).toBeGreaterThan(0.5);
  });
});

test("an emptied mempool stays empty while blocks keep coming", () => {
  const chain = livingChain();
  chain.empty();
  const { height } = chain;

  for (let step = 0; step < 20; step += 1) {
    chain.advanceTo(chain.now + 7);
    expect(chain.mempool.size).toBe(0);
  }
  expect(chain.height).toBeGreaterThan(height + 8);
  expect(chain.ledger.blocks.slice(-8).some(({ txs }) => txs.length > 0)).toBe(true);
  expect(chain.activeScenarios).toEqual(["empty"]);

  chain.calm();
  expect(chain.mempool.size).toBeGreaterThan(0);
});

test("ages are Stacks blocks since receipt, the youngest 1", () => {
  const chain = livingChain();
  const ages = () => [...chain.mempool.values()].map(({ receivedHeight }) => chain.height + 1 - receivedHeight);

  expect(Math.min(...ages())).toBeGreaterThanOrEqual(1);
  expect(Math.max(...ages())).toBe(61);

  const { height } = chain;
  const oldest = Math.max(...ages());
  while (chain.height === height) chain.advanceTo(chain.now + 1);
  expect(Math.max(...ages())).toBe(oldest + 1);
});

test("random events come by themselves when asked for", () => {
  const chain = livingChain({ randomEvents: true });
  const moods = new Set<string>();
  for (let hour = 0; hour < 12; hour += 0.25) {
    chain.advanceTo(chain.now + 900);
    for (const activeScenarios of chain.activeScenarios) moods.add(activeScenarios);
  }

  expect(moods.size).toBeGreaterThan(1);
});

describe("percentiles", () => {
  test("lie between neighbours", () => {
    expect(percentiles([4, 1, 3, 2])).toEqual({ p25: 1.75, p50: 2.5, p75: 3.25, p95: 3.8499999999999996 });
    expect(percentiles([7])).toEqual({ p25: 7, p50: 7, p75: 7, p95: 7 });
    expect(percentiles([])).toEqual({ p25: null, p50: null, p75: null, p95: null });
  });

  test.each([
    [0.5, 0],
    [1.5, 2],
    [2.5, 2],
    [2.4, 2],
    [2.6, 3],
  ])("%d becomes %d", (value, rounded) => expect(roundHalfEven(value)).toBe(rounded));
});
