import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Exposition, type Format, formatValue } from "../../src/exposition/exposition.ts";
import { counter, gauge, type Sample } from "../../src/exposition/family.ts";
import { parseExposition } from "../support/parser.ts";

const waiting = gauge({
  name: "stacks_waiting_bytes",
  help: 'A \\ and a "quote"\nand a line.',
  labels: { a: "one", b: "two" },
});
const plain = gauge({ name: "stacks_plain", help: "No label." });
const seen = counter({ name: "stacks_seen_microstx_total", help: "Seen.", labels: { a: "one" } });
const FORMATS: Format[] = ["classic", "openmetrics"];
const families = [waiting, plain, seen];

const text = (exposition: Exposition, format: Format = "classic") => exposition.page(format).toString();

describe("the text", () => {
  test("matches the expected page in the classic format", () => {
    const exposition = new Exposition(families);
    exposition.set("x", [
      waiting.at({ a: 'q"', b: "l\n\\" }, 1.5),
      seen.at({ a: "z" }, 340282366920938463463374607431768211455n),
    ]);

    expect(text(exposition)).toBe(`# HELP stacks_waiting_bytes A \\\\ and a "quote"\\nand a line.
# TYPE stacks_waiting_bytes gauge
stacks_waiting_bytes{a="q\\"",b="l\\n\\\\"} 1.5
# HELP stacks_seen_microstx_total Seen.
# TYPE stacks_seen_microstx_total counter
stacks_seen_microstx_total{a="z"} 340282366920938463463374607431768211455
`);
  });

  test("has the counter names of each format, in any order of requests", () => {
    const exposition = new Exposition(families);
    exposition.set("x", [seen.at({ a: "z" }, 3)]);

    for (const format of ["openmetrics", "classic", "openmetrics", "classic"] as const) {
      const page = text(exposition, format);
      const expected =
        format === "classic"
          ? '# HELP stacks_seen_microstx_total Seen.\n# TYPE stacks_seen_microstx_total counter\nstacks_seen_microstx_total{a="z"} 3\n'
          : '# TYPE stacks_seen_microstx counter\n# UNIT stacks_seen_microstx microstx\n# HELP stacks_seen_microstx Seen.\nstacks_seen_microstx_total{a="z"} 3\n# EOF\n';
      expect(page).toBe(expected);
    }
  });
});

test("values are written as both formats require", () => {
  const values = [0, -0, 1, 9, 10, 1e9, 2 ** 53, 2n ** 64n + 1n, 1.5, -3, 1e21, 1e-7, Infinity, -Infinity];
  expect(values.map(formatValue)).toEqual([
    ...["0", "0", "1", "9", "10", "1000000000", "9007199254740992", "18446744073709551617"],
    ...["1.5", "-3", "1e+21", "1e-7", "+Inf", "-Inf"],
  ]);
  expect(() => formatValue(Number.NaN)).toThrow("leave the sample out");
});

test.each<[string, () => Sample[]]>([
  ["two samples with the labels", () => [plain.at({}, 1), plain.at({}, 2)]],
  ["NaN is not a value", () => [plain.at({}, Number.NaN)]],
  ["a counter cannot be -1", () => [seen.at({ a: "" }, -1)]],
  ["label b has no value", () => [waiting.at({ a: "" } as never, 1)]],
  ["is not declared", () => [gauge({ name: "stacks_other", help: "." }).at({}, 1)]],
])("an owner with an invalid sample (%s) changes nothing", (message, samples) => {
  const exposition = new Exposition(families);
  exposition.set("x", [plain.at({}, 5), seen.at({ a: "k" }, 6)]);
  const before = text(exposition);

  expect(() => exposition.set("x", samples())).toThrow(message);
  expect(text(exposition)).toBe(before);
});

test("families can be added, and replaced by others of the same name", () => {
  const before = gauge({ name: "stacks_one", help: "Before." });
  const after = counter({ name: "stacks_one", help: "After." });
  const added = gauge({ name: "stacks_two", help: "Two." });
  const exposition = new Exposition([before]);
  exposition.set("x", [before.at({}, 1)]);
  exposition.declare([after, added]);
  exposition.set("y", [added.at({}, 2)]);

  expect(exposition.page("classic").toString()).toBe(`# HELP stacks_one After.
# TYPE stacks_one counter
stacks_one 1
# HELP stacks_two Two.
# TYPE stacks_two gauge
stacks_two 2
`);
  exposition.set("x", [after.at({}, 3)]);
  expect(exposition.page("classic").toString()).toContain("\nstacks_one 3\n");
});

const label = fc.oneof(
  fc.constantFrom("", "a", '"', "\\", "\n", "\\n", "é", "漢字", "😀", "{}", ",b="),
  fc.string({ unit: "binary" }),
);
const number = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.maxSafeNat(),
  fc.double({ noNaN: true }),
  fc.bigInt({ min: 0n, max: 2n ** 128n }),
);
const exemplar = fc.option(
  fc.record({
    labels: label.map((text) => ({ tx_id: text.slice(0, 60) })),
    value: number,
    time: fc.option(fc.nat(), { nil: undefined }),
  }),
  { nil: undefined },
);
const positive = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.bigInt({ min: 0n, max: 2n ** 128n }));
const sample = fc.oneof(
  fc.tuple(label, label, number).map(([a, b, value]) => waiting.at({ a, b }, value)),
  fc.tuple(label, positive, exemplar).map(([a, value, by]) => ({ ...seen.at({ a }, value), exemplar: by })),
  number.map((value) => plain.at({}, value)),
);
const distinct = fc.uniqueArray(sample, {
  selector: ({ family, labels }) => `${family}${JSON.stringify(labels)}`,
  maxLength: 30,
});

const keyOf = (name: string, labels: readonly (readonly [string, string])[]) =>
  `${name} ${JSON.stringify([...labels].sort())}`;

function expected(samples: readonly Sample[]): Map<string, number> {
  const values = new Map<string, number>();
  for (const { family, labels, value } of samples) {
    values.set(keyOf(family.name, Object.entries(labels)), Number(value) + 0);
  }
  return values;
}

const change = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), owner: fc.constantFrom("x", "y"), samples: distinct }),
  // Most polls change the values of the same label sets.
  fc.record({ kind: fc.constant("renew" as const), owner: fc.constantFrom("x", "y"), by: fc.nat(20) }),
  fc.record({ kind: fc.constant("expire" as const), owner: fc.constantFrom("x", "y") }),
  fc.record({ kind: fc.constant("remove" as const), owner: fc.constantFrom("x", "y") }),
);

// Without an exemplar: the one before stays.
const renewed = ({ family, labels, value }: Sample, by: number): Sample =>
  family.at(labels, typeof value === "bigint" ? value + BigInt(by) : value + by);

const valuesIn = (page: string, format: Format) => {
  const samples = parseExposition(page, format).flatMap((family) => family.samples);
  const exemplars = samples.filter(({ exemplar: by }) => by !== undefined);
  return {
    values: new Map(samples.map(({ name, labels, value }) => [keyOf(name, [...labels]), value])),
    exemplars: new Map(exemplars.map(({ name, labels, exemplar: by }) => [keyOf(name, [...labels]), by])),
  };
};

test("the page has exactly the samples that were set, in both formats, after every change", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(change, fc.subarray(FORMATS)), { minLength: 1, maxLength: 8 }), (changes) => {
      const exposition = new Exposition(families);
      const pages: { page: Buffer; shown: string }[] = [];
      const owners = new Map<string, { samples: readonly Sample[]; isExpired: boolean }>();
      const exemplars = new Map<string, ReturnType<typeof valuesIn>["exemplars"]>();
      for (const [happens, formats] of changes) {
        const { owner } = happens;
        const { samples: before } = owners.get(owner) ?? { samples: [] };
        if (happens.kind === "remove") {
          exposition.remove(owner);
          owners.delete(owner);
          exemplars.delete(owner);
        } else if (happens.kind === "expire") {
          exposition.expire(owner);
          owners.set(owner, { samples: before, isExpired: true });
        } else {
          // Two owners never share a label set: each label set contains the network or target.
          const samples =
            happens.kind === "renew"
              ? before.map((sample) => renewed(sample, happens.by))
              : happens.samples
                  .filter(({ family }) => family !== plain || owner === "x")
                  .map((item) =>
                    item.family === plain
                      ? item
                      : { ...item, labels: { ...item.labels, a: `${owner}${item.labels.a}` } },
                  );
          exposition.set(owner, samples);
          owners.set(owner, { samples, isExpired: false });
          const known = exemplars.get(owner);
          const after = samples.flatMap(({ family, labels, exemplar: by }) => {
            const key = keyOf(family.name, Object.entries(labels));
            const now = by && {
              labels: new Map(Object.entries(by.labels)),
              value: Number(by.value) + 0,
              time: by.time,
            };
            const kept = now ?? known?.get(key);
            return kept === undefined ? [] : [[key, kept] as const];
          });
          exemplars.set(owner, new Map(after));
        }

        const wanted = expected(
          [...owners.values()].flatMap(({ samples, isExpired }) =>
            samples.filter(({ family }) => !isExpired || family === seen),
          ),
        );
        for (const format of formats) {
          const page = exposition.page(format);
          const shown = page.toString();
          const all = [...exemplars.values()].flatMap((of) => [...of]);
          expect(valuesIn(shown, format)).toEqual({
            values: wanted,
            exemplars: new Map(format === "classic" ? [] : all),
          });
          pages.push({ page, shown });
        }
        expect(exposition.size).toBe(wanted.size);
      }
      // Later changes do not alter a page that is being sent.
      for (const { page, shown } of pages) expect(page.toString()).toBe(shown);
    }),
    { numRuns: 400, seed: 20261121 },
  );
});
