import { expect, test } from "@jest/globals";
import { planNetwork } from "../../src/commands/estimate.ts";
import { networkOf, type Watched } from "./fixture.ts";

/** Numbers from 0 to 1 of a linear congruential generator. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    yield state / 2 ** 32;
  }
}

interface Case {
  readonly watched: Watched;
  readonly budget: { readonly per_minute: number; readonly per_month: number | "unlimited" };
  readonly collectors: Readonly<Record<string, { readonly every?: string }>>;
}

function* cases(seed: number, shards: number): Generator<Case, never> {
  const random = numbers(seed);
  const below = (limit: number) => Math.floor(random.next().value * limit);
  const every = () => (below(2) === 0 ? {} : { every: `${1 + Math.floor(2 ** (random.next().value * 13))}s` });
  for (;;) {
    const names = ["fees", "mempool", "blocks", "addresses", "contracts"];
    yield {
      watched: { addresses: below(3) * below(100), contracts: below(2) * below(100) },
      budget: { per_minute: shards + below(100), per_month: below(2) === 0 ? "unlimited" : 1000 + below(1_000_000) },
      collectors: Object.fromEntries(names.map((name) => [name, every()])),
    };
  }
}

test.each([1, 4])("the suggested budget makes it fit, and a smaller one does not, with %i shards", async (shards) => {
  const fitOfCase = async ({ watched, budget, collectors }: Case) => {
    const network = await networkOf(watched, { budget }, collectors, shards);
    return planNetwork(network, shards).cure;
  };
  const tried = { fits: 0, per_minute: 0, per_month: 0 };
  const all = cases(1, shards);
  for (let count = 0; count < 80; count += 1) {
    const one = all.next().value;
    const cure = await fitOfCase(one);
    if (cure === undefined) {
      tried.fits += 1;
      continue;
    }
    const limits = [...cure.matchAll(/(per_\w+) >= (\d+)/g)].map(([, name = "", min]) => [name, Number(min)] as const);
    const budget = { ...one.budget, ...Object.fromEntries(limits) };
    if (limits.length > 0) expect([cure, await fitOfCase({ ...one, budget })]).toEqual([cure, undefined]);
    for (const [name, min] of limits) {
      tried[name as "per_minute" | "per_month"] += 1;
      // Limits are whole numbers, and an interval that is longer by less than a thousandth is kept.
      const smaller = Math.max(shards, Math.floor(0.98 * min) - 1);
      const less = await fitOfCase({ ...one, budget: { ...budget, [name]: smaller } });
      expect([cure, less]).toEqual([cure, expect.any(String)]);
    }
  }

  expect(Object.entries(tried).filter(([, count]) => count === 0)).toEqual([]);
});
