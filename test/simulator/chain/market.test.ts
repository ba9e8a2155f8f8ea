// The fee market: the effect of each scenario on fees, mempool size and blocks.
import { describe, expect, test } from "@jest/globals";
import type { Chain } from "../../../simulator/chain/chain.ts";
import { fullness } from "../../../simulator/chain/cost.ts";
import { mempoolStatistics } from "../../../simulator/chain/mempool-statistics.ts";
import { percentile } from "../../../simulator/chain/percentile.ts";
import { tenureCost } from "../../../simulator/chain/tenure.ts";
import { testChain } from "../support.ts";

interface Sample {
  readonly p50: number;
  readonly count: number;
  readonly fullness: number;
}

// The medians over a period, and the largest fullness of the tenure.
function observe(chain: Chain, seconds = 600): Sample {
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

describe.each(["one", "two"])("seed %s", (seed) => {
  test("a spike raises fees, mempool size and fullness, and ends", () => {
    const chain = testChain({ seed });
    const before = observe(chain);

    chain.begin("spike");
    const during = observe(chain, 1200);
    chain.advanceTo(chain.now + 2 * 3600);
    const after = observe(chain);

    expect(during.p50).toBeGreaterThan(3 * before.p50);
    expect(during.count).toBeGreaterThan(3 * before.count);
    expect(during.fullness).toBeGreaterThan(0.5);
    expect(before.fullness).toBeLessThan(0.5);
    expect(after.p50).toBeLessThan(3 * before.p50);
    expect(after.count).toBeLessThan(2 * before.count);
  });

  test("a stuck cluster raises fees and does not change blocks, until calm", () => {
    const chain = testChain({ seed });
    const twin = testChain({ seed });
    const before = observe(chain);
    observe(twin);

    chain.begin("stuck");
    const during = observe(chain);
    const without = observe(twin);
    chain.calm();
    const after = observe(chain);

    expect(during.p50).toBeGreaterThan(10 * before.p50);
    expect(during.fullness).toBe(without.fullness);
    expect(after.p50).toBeLessThan(3 * before.p50);
  });

  test("a flood raises the mempool size, not the fees", () => {
    const chain = testChain({ seed });
    const before = observe(chain);

    chain.begin("flood");
    const during = observe(chain);

    expect(during.count).toBeGreaterThan(6 * before.count);
    expect(during.p50).toBeLessThan(1.5 * before.p50);
    expect(during.fullness).toBeGreaterThan(0.5);
  });
});

test("an emptied mempool stays empty while blocks are mined", () => {
  const chain = testChain();
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
  const chain = testChain();
  const ages = () => [...chain.mempool.values()].map(({ receivedHeight }) => chain.height + 1 - receivedHeight);

  expect(Math.min(...ages())).toBeGreaterThanOrEqual(1);
  expect(Math.max(...ages())).toBe(61);

  const { height } = chain;
  const oldest = Math.max(...ages());
  while (chain.height === height) chain.advanceTo(chain.now + 1);
  expect(Math.max(...ages())).toBe(oldest + 1);
});

test("random events start by themselves", () => {
  const chain = testChain({ randomEvents: true });
  for (let minutes = 0; minutes < 12 * 60 && chain.activeScenarios[0] === "calm"; minutes += 1) {
    chain.advanceTo(chain.now + 60);
  }

  expect(chain.activeScenarios).not.toEqual(["calm"]);
});
