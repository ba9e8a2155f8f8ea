import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { addressSamples } from "../../../src/collectors/addresses/families.ts";
import {
  type AddressTotals,
  type AddressTotalsV1,
  addUp,
  NO_TOTALS,
  type TransactionWithTransfers,
  upgradedTotals,
} from "../../../src/collectors/addresses/totals.ts";
import { TRANSFER_DIRECTIONS, type Transfer } from "../../../src/collectors/addresses/transfer-source.ts";
import { restarted } from "../../support/plain-data.ts";

const ME = "SP000000000000000000002Q6VF78";
const ASSET = /^S[0-9A-Z]{28,40}\.[a-zA-Z][a-zA-Z0-9_-]{0,127}::[a-zA-Z][a-zA-Z0-9!?+<>=/*_-]{0,127}$/;
const NO_COUNTS = {
  reverted: 0,
  restored: 0,
  gap: 0,
  irregularities: {},
};

const token = (name: string | number) => `${ME}.token::token-${name}`;

const transaction: TransactionWithTransfers["transaction"] = {
  id: "0x1",
  height: 1,
  index: 0,
  hash: "0x2",
  isUnanchored: false,
  type: "contract_call",
  status: "success",
  time: undefined,
  sender: "SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE",
  nonce: 0,
  sponsor: undefined,
  sponsorNonce: undefined,
  fee: 0n,
  sent: 0n,
  received: 0n,
  transfer: undefined,
  tokens: undefined,
  detail: undefined,
};

const transferOf = (asset: string, more: Partial<Transfer> = {}): Transfer => ({
  kind: "ft",
  asset,
  direction: "in",
  amount: 1n,
  ...more,
});

type Limits = Parameters<typeof addUp>[4];

function addAll(totals: AddressTotals, transfers: readonly Transfer[], limits: Limits): AddressTotals {
  return addUp(totals, ME, [{ transaction, transfers }], NO_COUNTS, limits);
}

interface Series {
  readonly family: string;
  readonly asset: string;
  readonly direction: string;
  readonly value: bigint;
}

const FACTS = { total: 0, lastTimes: {}, last: undefined, nonces: {}, backlog: 0 };

/** The series by asset, as exposed. */
function seriesOf(totals: AddressTotals): Series[] {
  const facts = { ...FACTS, pending: { unanchored: 0, below_depth: 0 } };
  const watched = { principal: ME, name: "me", group: "", labels: {} };
  const samples = addressSamples({ totals, facts, isNew: true, hasTransfers: true }, "mainnet", { watched });
  return [...samples]
    .filter(({ family }) => /_(ft|nft)_/.test(family.name))
    .map(({ family, labels: { asset = "", direction = "" }, value }) => ({
      family: family.name,
      asset,
      direction,
      value: BigInt(value as number | bigint),
    }));
}

/** The value of a series; 0 if there is none. */
const valueIn = (series: readonly Series[], wanted: Omit<Series, "value">): bigint =>
  series.find(
    ({ family, asset, direction }) =>
      family === wanted.family && asset === wanted.asset && direction === wanted.direction,
  )?.value ?? 0n;

const sum = (values: readonly bigint[]) => values.reduce((all, value) => all + value, 0n);
const assetsOf = (series: readonly Series[], family: string) =>
  new Set(series.filter((one) => one.family === family).map(({ asset }) => asset));

const FAMILIES: readonly [string, (transfer: Transfer) => bigint][] = [
  ["stacks_address_ft_transfers_total", ({ kind }) => (kind === "ft" ? 1n : 0n)],
  ["stacks_address_ft_transfer_units_total", ({ kind, amount }) => (kind === "ft" ? (amount ?? 0n) : 0n)],
  ["stacks_address_nft_transfers_total", ({ kind }) => (kind === "nft" ? 1n : 0n)],
];

const assets = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 300 }).map(token) },
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "c", "d").map(token) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }).map(token) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("other", "", "__proto__", "a\tb", `${token(1)}\tin`, token("x".repeat(200))),
  },
);
const transfers = fc.array(
  fc.record({
    kind: fc.constantFrom("ft" as const, "nft" as const),
    asset: assets,
    direction: fc.constantFrom(...TRANSFER_DIRECTIONS),
    amount: fc.option(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), { nil: undefined }),
  }),
  { maxLength: 80 },
);
const limits = fc.record({
  perClass: fc.integer({ min: 0, max: 6 }),
  spareSeries: fc.integer({ min: 0, max: 100 }),
  named: fc.subarray(["a", "b", "c", "d"].map(token)),
});
const polls = fc.array(fc.tuple(transfers, limits), { minLength: 1, maxLength: 8 });

test("for any transfers, sums are complete, counters do not fall, series are limited, label values are valid", () => {
  fc.assert(
    fc.property(polls, (steps) => {
      let totals = NO_TOTALS;
      const all: Transfer[] = [];
      for (const [moved, bounds] of steps) {
        const before = seriesOf(totals);
        totals = restarted(addAll(totals, moved, bounds)) as AddressTotals;
        all.push(...moved);
        const series = seriesOf(totals);

        for (const [family, amountOf] of FAMILIES) {
          const shown = TRANSFER_DIRECTIONS.map((direction) =>
            sum(series.filter((one) => one.family === family && one.direction === direction).map(({ value }) => value)),
          );
          const meant = TRANSFER_DIRECTIONS.map((direction) =>
            sum(all.filter((one) => one.direction === direction).map(amountOf)),
          );
          expect(shown).toEqual(meant);
        }
        for (const { family, asset, direction, value } of before) {
          const grown = (name: string) =>
            valueIn(series, { family, asset: name, direction }) - valueIn(before, { family, asset: name, direction });
          // `other` never falls. An asset falls only if it lost its slot; its counts are then part of `other`.
          if (grown(asset) < 0n)
            expect([asset, grown("other") >= value]).toEqual([expect.not.stringMatching(/^other$/), true]);
        }
        expect(series.filter(({ asset }) => asset !== "other" && !ASSET.test(asset))).toEqual([]);
        for (const kind of ["ft", "nft"] as const) {
          const own = assetsOf(series, `stacks_address_${kind}_transfers_total`);
          own.delete("other");
          const namedOnes = [...own].filter((asset) => bounds.named.includes(asset)).length;
          expect(own.size).toBeLessThanOrEqual(Math.max(bounds.perClass, namedOnes));
          const met = moved.filter((one) => one.kind === kind && bounds.named.includes(one.asset));
          expect(met.filter(({ asset }) => !own.has(asset))).toEqual([]);
          const folded = series.filter(
            (one) => one.family === `stacks_address_${kind}_transfers_total` && one.asset === "other",
          );
          expect(BigInt(totals.overflow[kind] ?? 0)).toBe(sum(folded.map(({ value }) => value)));
        }
      }
    }),
    { numRuns: 100, seed: 8 },
  );
});

describe("after an address received sixty junk tokens, one of each", () => {
  const limits = { perClass: 50, spareSeries: 100_000 };
  const flooded = addAll(
    NO_TOTALS,
    Array.from({ length: 60 }, (_, junk) => transferOf(token(junk))),
    limits,
  );
  const ownOf = ({ assets: { ft } }: AddressTotals) => Object.keys(ft.own);

  test("a configured token has its series with its first transfer", () => {
    const totals = addAll(flooded, [transferOf(token("real"), { amount: 7n })], { ...limits, named: [token("real")] });

    expect(seriesOf(totals)).toContainEqual({
      family: "stacks_address_ft_transfer_units_total",
      asset: token("real"),
      direction: "in",
      value: 7n,
    });
    expect(ownOf(totals)).toHaveLength(50);
    expect(totals.overflow).toEqual({ ft: 11 });
  });

  test("another token replaces a junk token with its third transfer, whose counts become part of other", () => {
    const two = addAll(flooded, [transferOf(token("real")), transferOf(token("real"))], limits);
    const three = addAll(two, [transferOf(token("real"))], limits);

    expect(ownOf(two)).not.toContain(token("real"));
    expect(ownOf(three)).toContain(token("real"));
    expect(ownOf(flooded).filter((asset) => !ownOf(three).includes(asset))).toHaveLength(1);
    // Ten junk tokens, two transfers of the real token before it has a slot, and the replaced junk token.
    expect(three.ftTransfers["other\tin"]).toBe(13);
    expect(three.ftTransfers[`${token("real")}\tin`]).toBe(1);
  });
});

describe("totals of version 1", () => {
  const junk = { tab: "a\tb", long: "x".repeat(8_000_000), bidi: `${token(1)}\u202e`, plain: "asset-1" };
  const old: AddressTotalsV1 = {
    ...NO_TOTALS,
    sent: 5n,
    ftTransfers: {
      [`${token(1)}\tin`]: 3,
      [`${token(1)}\tout`]: 1,
      "other\tin": 10,
      [`${junk.tab}\tin`]: 20,
      [`${junk.long}\tout`]: 30,
      [`${junk.bidi}\tmint`]: 40,
    },
    ftAmounts: {
      [`${token(1)}\tin`]: 3n,
      "other\tin": 100n,
      [`${junk.tab}\tin`]: 2n ** 127n,
      [`${junk.long}\tout`]: 1n,
    },
    nftTransfers: { [`${junk.plain}\tself`]: 6, [`${token(2)}\tburn`]: 7 },
    overflow: { ft: 10 },
  };

  test("keep their sums: invalid identifiers become other", () => {
    const totals = upgradedTotals(old);

    expect(totals).toEqual({
      ...NO_TOTALS,
      sent: 5n,
      ftTransfers: {
        [`${token(1)}\tin`]: 3,
        [`${token(1)}\tout`]: 1,
        "other\tin": 30,
        "other\tout": 30,
        "other\tmint": 40,
      },
      ftAmounts: { [`${token(1)}\tin`]: 3n, "other\tin": 2n ** 127n + 100n, "other\tout": 1n },
      nftTransfers: { "other\tself": 6, [`${token(2)}\tburn`]: 7 },
      overflow: { ft: 100, nft: 6 },
      assets: {
        ft: { own: { [token(1)]: 4 }, waiting: {} },
        nft: { own: { [token(2)]: 7 }, waiting: {} },
      },
    });
    expect(old.ftTransfers[`${junk.tab}\tin`]).toBe(20);
  });

  test("continue after the upgrade", () => {
    const totals = addAll(upgradedTotals(old), [transferOf(token(1)), transferOf(token(3))], {
      perClass: 1,
      spareSeries: 1000,
    });

    expect(totals.ftTransfers[`${token(1)}\tin`]).toBe(4);
    expect(totals.ftTransfers["other\tin"]).toBe(31);
  });
});
