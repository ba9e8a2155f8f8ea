// The series of tokens, which anyone can create and send to a watched address.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { addresses } from "../../../src/collectors/addresses/addresses.ts";
import { CollectorRun, type Samples, targetOf } from "../../support/collect.ts";
import { PrincipalList } from "../../support/principal-list.ts";

const ME = "SP000000000000000000002Q6VF78";
const SOMEBODY = "SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE";
const ASSET = /^S[0-9A-Z]{28,40}\.[a-zA-Z][a-zA-Z0-9_-]{0,127}::[a-zA-Z][a-zA-Z0-9!?+<>=/*_-]{0,127}$/;
const DIRECTIONS = ["in", "out", "self", "mint", "burn"] as const;
const SIDES: Readonly<Record<(typeof DIRECTIONS)[number], object>> = {
  in: { sender: SOMEBODY, recipient: ME },
  out: { sender: ME, recipient: SOMEBODY },
  self: { sender: ME, recipient: ME },
  mint: { sender: "", recipient: ME },
  burn: { sender: ME, recipient: "" },
};
const token = (name: string | number) => `${ME}.token::token-${name}`;

interface Transfer {
  readonly kind?: "ft" | "nft";
  readonly asset: string;
  readonly direction?: (typeof DIRECTIONS)[number];
  /** Undefined: not a number. */
  readonly amount?: bigint | undefined;
}
interface Limits {
  readonly max: number;
  readonly spareSeries: number;
  readonly named?: readonly string[];
}

/** An address after its first poll. */
async function polled() {
  const list = new PrincipalList();
  const run = new CollectorRun(addresses, list.api, () => ({ chain: list.view, now: list.now * 1000 }));
  const limited = ({ max, spareSeries, named = [] }: Limits) => {
    const options = { max_assets: max };
    return { target: { ...targetOf(ME, 1), named }, options, spareSeries };
  };
  await run.poll(limited({ max: 0, spareSeries: 0 }));
  return {
    run,
    /** Polls after a block with one transaction with these transfers. */
    transfer: (transfers: readonly Transfer[], limits: Limits, tx: object = {}) => {
      const of = (wanted: Transfer["kind"]) =>
        transfers
          .filter(({ kind = "ft" }) => kind === wanted)
          .map(({ asset, direction = "in", ...others }) => {
            const amount = "amount" in others ? String(others.amount ?? "many") : "1";
            return { asset_identifier: asset, amount, ...SIDES[direction] };
          });
      list.mine([{ tx: { sender_address: SOMEBODY, ...tx }, ft: of("ft"), nft: of("nft") }]);
      return run.poll(limited(limits));
    },
  };
}

describe("after an address received sixty junk tokens", () => {
  const limits = { max: 50, spareSeries: 100_000 };
  const REAL = `address_ft_transfers_total ${token("real")} in`;
  async function flooded() {
    const address = await polled();
    const junk = Array.from({ length: 60 }, (_, number) => ({ asset: token(number) }));
    const samples = await address.transfer(junk, limits);
    // Half of the places are left, for tokens that the address moves.
    expect(samples.keys(/^address_ft_transfers_total .*token-/)).toHaveLength(25);
    expect(samples.of(/overflow/)).toEqual({ "address_label_overflow_total ft": 35 });
    return address;
  }

  test("a configured token has its series with its first transfer", async () => {
    const { transfer } = await flooded();
    const samples = await transfer([{ asset: token("real"), amount: 7n }], { ...limits, named: [token("real")] });

    expect(samples.get(`address_ft_transfer_units_total ${token("real")} in`)).toBe(7);
    expect(samples.of(/overflow/)).toEqual({ "address_label_overflow_total ft": 35 });
  });

  test.each<[string, Transfer["direction"], object, number | undefined]>([
    ["moves out of it", "out", {}, 1],
    ["it burns", "burn", {}, 1],
    ["arrives in its own transaction", "in", { sender_address: ME }, 2],
    ["arrives in a transaction that it sponsors", "in", { sponsor_address: ME }, 2],
    ["somebody sends to it", "in", {}, undefined],
  ])("a token that %s has series from then on", async (_, direction, tx, count) => {
    const { run, transfer } = await flooded();
    await transfer([{ asset: token("real"), direction: direction ?? "in" }], limits, tx);
    run.restart();

    expect((await transfer([{ asset: token("real") }], limits)).get(REAL)).toBe(count);
  });
});

const FAMILIES: readonly [string, (transfer: Transfer) => bigint][] = [
  ["address_ft_transfers_total", ({ kind }) => (kind === "ft" ? 1n : 0n)],
  ["address_ft_transfer_units_total", ({ kind, amount }) => (kind === "ft" ? (amount ?? 0n) : 0n)],
  ["address_nft_transfers_total", ({ kind }) => (kind === "nft" ? 1n : 0n)],
];
const sum = (values: readonly bigint[]) => values.reduce((all, value) => all + value, 0n);

interface Series {
  readonly family: string;
  readonly asset: string;
  readonly direction: string;
  readonly value: bigint;
}

const shownIn = (samples: Samples): readonly Series[] =>
  samples.keys(/_n?ft_/).map((key) => {
    const [family = "", asset = "", direction = ""] = key.split(" ");
    return { family, asset, direction, value: BigInt(samples.text(key) ?? "0") };
  });

const anyAsset = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 300 }).map(token) },
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "c", "d").map(token) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }).map(token) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("other", "", "__proto__", "a\tb", `${token(1)}\tin`, token("x".repeat(200))),
  },
);
const anyTransfers = fc.array(
  fc.record({
    kind: fc.constantFrom("ft" as const, "nft" as const),
    asset: anyAsset,
    direction: fc.constantFrom(...DIRECTIONS),
    amount: fc.option(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), { nil: undefined }),
  }),
  { maxLength: 80 },
);
const anyLimits = fc.record({
  max: fc.integer({ min: 0, max: 6 }),
  spareSeries: fc.integer({ min: 0, max: 100 }),
  named: fc.subarray(["a", "b", "c", "d"].map(token)),
});

test("for any transfers, sums are complete, counters do not fall, series are limited, label values are valid", async () => {
  const polls = fc.array(fc.tuple(anyTransfers, anyLimits), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(polls, async (steps) => {
      const { run, transfer } = await polled();
      const all: Transfer[] = [];
      let before = shownIn(run.samples);
      let max = 0;
      const everNamed = new Set<string>();
      for (const [moved, limits] of steps) {
        const samples = await transfer(moved, limits);
        all.push(...moved);
        max = Math.max(max, limits.max);
        for (const asset of limits.named) everNamed.add(asset);
        const shown = shownIn(samples);
        const valueIn = (of: readonly Series[], wanted: Omit<Series, "value">) =>
          of.find((one) => (["family", "asset", "direction"] as const).every((key) => one[key] === wanted[key]))
            ?.value ?? 0n;

        for (const [family, amountOf] of FAMILIES) {
          const series = shown.filter((one) => one.family === family);
          for (const direction of DIRECTIONS) {
            const meant = all.filter((one) => one.direction === direction);
            const found = series.filter((one) => one.direction === direction).map(({ value }) => value);
            expect(sum(found)).toBe(sum(meant.map(amountOf)));
          }
          for (const one of before.filter((old) => old.family === family))
            expect(valueIn(shown, one)).toBeGreaterThanOrEqual(one.value);
          expect(series.filter(({ asset }) => asset !== "other" && !ASSET.test(asset))).toEqual([]);
        }
        for (const kind of ["ft", "nft"] as const) {
          const series = shown.filter(({ family }) => family === `address_${kind}_transfers_total`);
          const own = new Set(series.map(({ asset }) => asset).filter((asset) => asset !== "other"));
          expect([...own].filter((asset) => !everNamed.has(asset)).length).toBeLessThanOrEqual(max);
          const met = moved.filter((one) => one.kind === kind && limits.named.includes(one.asset));
          expect(met.filter(({ asset }) => !own.has(asset))).toEqual([]);
          const others = series.filter(({ asset }) => asset === "other").map(({ value }) => value);
          expect(BigInt(samples.get(`address_label_overflow_total ${kind}`) ?? 0)).toBe(sum(others));
        }
        before = shown;
        expect(run.restart().of(/_total/)).toEqual(samples.of(/_total/));
      }
    }),
    { numRuns: 40, seed: 8 },
  );
});
