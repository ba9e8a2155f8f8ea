import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { Exposition } from "../../src/exposition/exposition.ts";
import { counter, type Family, gauge, histogram, type Sample } from "../../src/exposition/family.ts";
import { formatBound, formatValue } from "../../src/exposition/numbers.ts";
import type { Page } from "../../src/exposition/page.ts";
import { parseExposition } from "../support/parser.ts";

const waiting = gauge({
  name: "stacks_waiting_bytes",
  help: 'A \\ and a "quote"\nand a line.',
  unit: "bytes",
  labels: { a: "one", b: "two" },
});
const plain = gauge({ name: "stacks_plain", help: "No label." });
const seen = counter({ name: "stacks_seen_microstx_total", help: "Seen.", unit: "microstx", labels: { a: "one" } });
const sizes = histogram({
  name: "stacks_size_seconds",
  help: "Sizes.",
  unit: "seconds",
  bounds: [1, 2.5, 10],
  labels: { a: "one" },
});
const FORMATS: ("classic" | "openmetrics")[] = ["classic", "openmetrics"];
const families = [waiting, plain, seen, sizes];

const text = async (exposition: Exposition, format: "classic" | "openmetrics" = "classic") => {
  const page = await exposition.page(format);
  const shown = page.body.toString();
  page.release();
  return shown;
};

// Whenever the making of a page looks at the clock, its portion is over: as many turns of the event loop as there can be.
beforeEach(() => {
  let now = 0;
  jest.spyOn(performance, "now").mockImplementation(() => {
    now += 1000;
    return now;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("the text", () => {
  test("is exactly this in the classic format", async () => {
    const exposition = new Exposition(families);
    exposition.set("x", [
      sizes.at({ a: "z" }, { counts: [1, 0, 2, 1], sum: 40.5 }),
      waiting.at({ a: 'q"', b: "l\n\\" }, 1.5),
      seen.at({ a: "z" }, 340282366920938463463374607431768211455n),
    ]);

    expect(await text(exposition)).toBe(`# HELP stacks_waiting_bytes A \\\\ and a "quote"\\nand a line.
# TYPE stacks_waiting_bytes gauge
stacks_waiting_bytes{a="q\\"",b="l\\n\\\\"} 1.5
# HELP stacks_seen_microstx_total Seen.
# TYPE stacks_seen_microstx_total counter
stacks_seen_microstx_total{a="z"} 340282366920938463463374607431768211455
# HELP stacks_size_seconds Sizes.
# TYPE stacks_size_seconds histogram
stacks_size_seconds_bucket{a="z",le="1.0"} 1
stacks_size_seconds_bucket{a="z",le="2.5"} 1
stacks_size_seconds_bucket{a="z",le="10.0"} 3
stacks_size_seconds_bucket{a="z",le="+Inf"} 4
stacks_size_seconds_sum{a="z"} 40.5
stacks_size_seconds_count{a="z"} 4
`);
  });

  test("names counters right in both formats, in any order of requests", async () => {
    const exposition = new Exposition(families);
    exposition.set("x", [seen.at({ a: "z" }, 3)]);

    for (const format of ["openmetrics", "classic", "openmetrics", "classic"] as const) {
      const page = await text(exposition, format);
      const expected =
        format === "classic"
          ? '# HELP stacks_seen_microstx_total Seen.\n# TYPE stacks_seen_microstx_total counter\nstacks_seen_microstx_total{a="z"} 3\n'
          : '# TYPE stacks_seen_microstx counter\n# UNIT stacks_seen_microstx microstx\n# HELP stacks_seen_microstx Seen.\nstacks_seen_microstx_total{a="z"} 3\n# EOF\n';
      expect(page).toBe(expected);
    }
  });

  test("of an empty exposition is empty, or only the end mark", async () => {
    expect(await text(new Exposition(families))).toBe("");
    expect(await text(new Exposition(families), "openmetrics")).toBe("# EOF\n");
  });
});

describe("an owner", () => {
  test("keeps its counters and histograms when it expires, and gets its gauges back", async () => {
    const exposition = new Exposition(families);
    const samples = [plain.at({}, 1), seen.at({ a: "z" }, 2), sizes.at({ a: "z" }, { counts: [0, 0, 0, 0], sum: 0 })];
    exposition.set("x", samples);
    exposition.set("y", [waiting.at({ a: "", b: "" }, 7)]);
    const before = await text(exposition);

    exposition.expire("x");
    const expired = parseExposition(await text(exposition), "classic");
    exposition.set("x", samples);

    expect(expired.map(({ name }) => name)).toEqual([waiting.name, seen.name, sizes.name]);
    expect(exposition.seriesPerFamily().get(sizes)).toBe(6);
    expect(await text(exposition)).toBe(before);
  });

  test.each<[string, () => Sample[]]>([
    ["two samples with the labels", () => [plain.at({}, 1), plain.at({}, 2)]],
    ["NaN is not a value", () => [plain.at({}, Number.NaN)]],
    ["a counter cannot be -1", () => [seen.at({ a: "" }, -1)]],
    ["label b has no value", () => [waiting.at({ a: "" } as never, 1)]],
    ["is not declared", () => [gauge({ name: "stacks_other", help: "." }).at({}, 1)]],
    ["a histogram needs a distribution", () => [sizes.at({ a: "" }, 1)]],
    ["the distribution does not fit", () => [sizes.at({ a: "" }, { counts: [1], sum: 1 })]],
  ])("with an invalid sample (%s) changes nothing", async (message, samples) => {
    const exposition = new Exposition(families);
    exposition.set("x", [plain.at({}, 5), seen.at({ a: "k" }, 6)]);
    const before = await text(exposition);

    expect(() => exposition.set("x", samples())).toThrow(message);
    expect(await text(exposition)).toBe(before);
  });

  test("hands out the same bytes while nothing changes", async () => {
    const exposition = new Exposition(families);
    exposition.set("x", [plain.at({}, 5)]);

    const first = await exposition.page("classic");
    expect((await exposition.page("classic")).body).toBe(first.body);
    exposition.set("x", [plain.at({}, 6)]);
    expect((await exposition.page("classic")).version).toBeGreaterThan(first.version);
  });
});

test("two families of one name are refused", () => {
  expect(() => new Exposition([plain, plain])).toThrow("two families are called stacks_plain");
});

test("numbers are written as both formats want them", () => {
  expect([0, 1, 9, 10, 1e9, 2 ** 53, 1.5, -3, 1e21, 1e-7, Infinity, -Infinity].map(formatValue)).toEqual([
    "0",
    "1",
    "9",
    "10",
    "1000000000",
    "9007199254740992",
    "1.5",
    "-3",
    "1e+21",
    "1e-7",
    "+Inf",
    "-Inf",
  ]);
  expect([0, 1, 2.5, 1e21, Infinity].map(formatBound)).toEqual(["0.0", "1.0", "2.5", "1e+21", "+Inf"]);
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
const positive = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.bigInt({ min: 0n, max: 2n ** 128n }));
const sample = fc.oneof(
  fc.tuple(label, label, number).map(([a, b, value]) => waiting.at({ a, b }, value)),
  fc.tuple(label, positive).map(([a, value]) => seen.at({ a }, value)),
  number.map((value) => plain.at({}, value)),
  fc
    .tuple(label, fc.array(fc.nat(1e6), { minLength: 4, maxLength: 4 }), fc.double({ noNaN: true }))
    .map(([a, counts, sum]) => sizes.at({ a }, { counts, sum })),
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
    const pairs = Object.entries(labels);
    if (typeof value !== "object") {
      values.set(keyOf(family.name, pairs), Number(value) + 0);
      continue;
    }
    let total = 0;
    for (const [index, count] of value.counts.entries()) {
      total += count;
      const le = index < family.bounds.length ? formatBound(family.bounds[index] as number) : "+Inf";
      values.set(keyOf(`${family.name}_bucket`, [...pairs, ["le", le]]), total);
    }
    values.set(keyOf(`${family.name}_sum`, pairs), Number(value.sum) + 0);
    values.set(keyOf(`${family.name}_count`, pairs), total);
  }
  return values;
}

const change = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), owner: fc.constantFrom("x", "y"), samples: distinct }),
  // The same label sets with other values, of the same width and not: what a poll does as a rule.
  fc.record({ kind: fc.constant("renew" as const), owner: fc.constantFrom("x", "y"), by: fc.nat(20) }),
  fc.record({ kind: fc.constant("expire" as const), owner: fc.constantFrom("x", "y") }),
  fc.record({ kind: fc.constant("remove" as const), owner: fc.constantFrom("x", "y") }),
);

function renewed({ family, labels, value }: Sample, by: number): Sample {
  if (typeof value !== "object") return family.at(labels, typeof value === "bigint" ? value + BigInt(by) : value + by);
  return family.at(labels, { counts: value.counts.map((count) => count + by), sum: value.sum });
}

const valuesIn = (page: string, format: "classic" | "openmetrics") =>
  new Map(
    parseExposition(page, format)
      .flatMap(({ samples }) => samples)
      .map(({ name, labels, value }) => [keyOf(name, [...labels]), value]),
  );

test("whatever was set is read back, in both formats, after every change", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(change, fc.subarray(FORMATS), fc.boolean()), { minLength: 1, maxLength: 8 }),
      async (changes) => {
        const exposition = new Exposition(families);
        const unreleased: { page: Page; shown: string }[] = [];
        const owners = new Map<string, { samples: readonly Sample[]; isExpired: boolean }>();
        for (const [happens, formats, releases] of changes) {
          const { owner } = happens;
          const { samples: before } = owners.get(owner) ?? { samples: [] };
          if (happens.kind === "remove") {
            exposition.remove(owner);
            owners.delete(owner);
          } else if (happens.kind === "expire") {
            exposition.expire(owner);
            owners.set(owner, { samples: before, isExpired: true });
          } else {
            // Two owners never share a label set: each has its network or target in it.
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
          }

          const wanted = expected(
            [...owners.values()].flatMap(({ samples, isExpired }) =>
              samples.filter(({ family }) => !isExpired || family.isLasting),
            ),
          );
          for (const format of formats) {
            const page = await exposition.page(format);
            const shown = page.body.toString();
            expect(valuesIn(shown, format)).toEqual(wanted);
            if (releases) page.release();
            else unreleased.push({ page, shown });
          }
          const counted = [...exposition.seriesPerFamily().values()].reduce((sum, count) => sum + count, 0);
          expect(counted).toBe(wanted.size);
        }
        for (const { page, shown } of unreleased) expect(page.body.toString()).toBe(shown);
      },
    ),
    { numRuns: 400, seed: 20261121 },
  );
});

const step = fc.oneof(
  fc.record({
    kind: fc.constant("set" as const),
    owner: fc.constantFrom("a", "b", "c"),
    // Of the width before and not, and now and then with another family.
    value: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 99 })),
    counts: fc.constantFrom(0, 0, 0, 1),
  }),
  fc.record({ kind: fc.constantFrom("expire" as const, "remove" as const), owner: fc.constantFrom("a", "b", "c") }),
  fc.record({ kind: fc.constant("ask" as const), format: fc.constantFrom(...FORMATS), releases: fc.boolean() }),
  fc.record({ kind: fc.constant("turn" as const) }),
);

test("a page asked for at any moment shows all owners as they were at one moment since", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const exposition = new Exposition(families);
      const known = new Map<string, readonly [string, number][]>();
      const history = ["[]"];
      const answers: Promise<void>[] = [];
      const unreleased: { page: Page; shown: string }[] = [];
      for (const one of steps) {
        if (one.kind === "turn") await turns(1);
        else if (one.kind === "ask") {
          const { format, releases } = one;
          const since = history.length - 1;
          const answer = exposition.page(format).then((page) => {
            const shown = page.body.toString();
            const state = JSON.stringify([...valuesIn(shown, format)].sort());
            expect(history.slice(since)).toContain(state);
            if (releases) page.release();
            else unreleased.push({ page, shown });
          });
          answer.catch(() => undefined);
          answers.push(answer);
        } else {
          const { kind, owner } = one;
          if (kind === "set") {
            const samples = [waiting.at({ a: owner, b: "" }, one.value)];
            if (one.counts > 0) samples.push(seen.at({ a: owner }, one.counts));
            exposition.set(owner, samples);
            known.set(owner, [...expected(samples)]);
          } else if (kind === "remove") {
            exposition.remove(owner);
            known.delete(owner);
          } else {
            exposition.expire(owner);
            known.set(
              owner,
              (known.get(owner) ?? []).filter(([name]) => name.startsWith(seen.name)),
            );
          }
          history.push(JSON.stringify([...known.values()].flat().sort()));
        }
      }
      await Promise.all(answers);
      for (const { page, shown } of unreleased) expect(page.body.toString()).toBe(shown);
    }),
    { numRuns: 1000, seed: 20261121 },
  );
});

describe("the memory of a page", () => {
  const wide = Array.from({ length: 20_000 }, (_, index) => ({ a: String(index), b: "x".repeat(60) }));
  const fill = (exposition: Exposition, value: number) =>
    exposition.set(
      "x",
      wide.map((labels) => waiting.at(labels, value)),
    );
  const valuesOf = (body: Buffer) => [
    ...new Set(
      body
        .toString()
        .split("\n")
        .filter((line) => line.startsWith("stacks_"))
        .map((line) => line.split(" ").at(-1)),
    ),
  ];

  test("is used again once everybody has released the page, and a newer one is there", async () => {
    const exposition = new Exposition(families);
    const memories = new Set<unknown>();
    for (let value = 1; value <= 20; value += 1) {
      fill(exposition, value % 10);
      const page = await exposition.page("classic");
      expect(valuesOf(page.body)).toEqual([String(value % 10)]);
      memories.add(page.body.buffer);
      page.release();
    }

    expect(memories.size).toBeLessThanOrEqual(3);
  });

  test("is left alone while one reader is left", async () => {
    const exposition = new Exposition(families);
    fill(exposition, 1);
    const [slow, fast] = [await exposition.page("classic"), await exposition.page("classic")];
    fast.release();
    for (let value = 2; value <= 9; value += 1) {
      fill(exposition, value);
      const pages = await Promise.all([
        exposition.page("classic"),
        exposition.page("classic"),
        exposition.page("openmetrics"),
      ]);
      for (const page of pages) {
        expect(valuesOf(page.body)).toEqual([String(value)]);
        page.release();
      }
    }

    expect(valuesOf(slow.body)).toEqual(["1"]);
    slow.release();
  });

  test("is left alone for those who waited for the page while it was made", async () => {
    const exposition = new Exposition(families);
    fill(exposition, 1);
    (await exposition.page("classic")).release();
    for (let value = 2; value <= 9; value += 1) {
      fill(exposition, value);
      const waiters = [exposition.page("classic"), exposition.page("classic")];
      fill(exposition, value + 1);
      const later = exposition.page("classic");
      const [one, two] = await Promise.all(waiters);
      one?.release();
      const three = await later;
      expect(valuesOf(three.body)).toEqual([String(value + 1)]);
      expect(valuesOf(two?.body ?? Buffer.alloc(0))).toHaveLength(1);
      two?.release();
      three.release();
    }
  });
});

test("a page that is being made is not disturbed by what changes meanwhile, and the next one has it", async () => {
  const many = Array.from({ length: 60_000 }, (_, index) => ({ a: String(index), b: "x".repeat(60) }));
  const exposition = new Exposition(families);
  const set = (value: number) =>
    exposition.set(
      "x",
      many.map((labels) => waiting.at(labels, value)),
    );
  const seen = async (format: "classic" | "openmetrics") => {
    const lines = (await text(exposition, format)).split("\n").filter((line) => line.startsWith("stacks_"));
    expect(lines).toHaveLength(many.length);
    return [...new Set(lines.map((line) => line.split(" ").at(-1)))];
  };

  set(1);
  expect(await seen("classic")).toEqual(["1"]);
  for (const value of [2, 3, 44, 55]) {
    set(value);
    const [early, otherFormat] = [seen("classic"), seen("openmetrics")];
    set(value + 1);
    const late = seen("classic");
    await Promise.all([early, otherFormat]).then(([one, two]) => expect([one.length, two.length]).toEqual([1, 1]));
    expect(await late).toEqual([String(value + 1)]);
    expect(await seen("classic")).toEqual([String(value + 1)]);
    expect(await seen("openmetrics")).toEqual([String(value + 1)]);
  }
});

test("a page that is being made still has who was taken away meanwhile, and the next one has not", async () => {
  const wide = Array.from({ length: 60_000 }, (_, index) => ({ a: String(index), b: "x".repeat(60) }));
  const exposition = new Exposition(families);
  exposition.set("first", [plain.at({}, 1)]);
  const set = (value: number) =>
    exposition.set(
      "wide",
      wide.map((labels) => waiting.at(labels, value)),
    );
  const lines = async (page: Promise<string>) => (await page).split("\n").filter((line) => line.startsWith("stacks_"));
  set(1);
  await text(exposition);
  set(2);
  const early = text(exposition);
  await turns(2);
  exposition.remove("first");
  const late = text(exposition);

  expect(await lines(early)).toContain("stacks_plain 1");
  expect(new Set((await lines(late)).map((line) => line.split(" ").at(-1)))).toEqual(new Set(["2"]));
  set(3);
  expect(new Set((await lines(text(exposition))).map((line) => line.split(" ").at(-1)))).toEqual(new Set(["3"]));
});

test("a page that is made from the one before shows what was known when it was begun, whatever comes meanwhile", async () => {
  // Large enough that copying the page before takes several turns of the event loop.
  const many = Array.from({ length: 60_000 }, (_, index) => ({ a: String(index), b: "x".repeat(60) }));
  const exposition = new Exposition(families);
  exposition.set(
    "large",
    many.map((labels) => waiting.at(labels, 1)),
  );
  const small = (owned: readonly Sample[]) => exposition.set("small", owned);
  const lineOf = (page: string) => page.split("\n").filter((line) => line.startsWith(seen.name));
  small([seen.at({ a: "z" }, 1)]);
  await exposition.page("classic");

  for (const later of [[seen.at({ a: "z" }, 123_456)], [plain.at({}, 8), seen.at({ a: "zz" }, 1)]]) {
    small([seen.at({ a: "z" }, 2)]);
    await exposition.page("classic");
    small([seen.at({ a: "z" }, 3)]);
    const page = exposition.page("classic");
    await turns(2);
    small(later);

    expect(lineOf((await page).body.toString())).toEqual([`${seen.name}{a="z"} 3`]);
    const last = later.at(-1);
    expect(lineOf(await text(exposition))).toEqual([`${seen.name}{a="${last?.labels.a}"} ${last?.value}`]);
  }
});

test("an expired owner keeps its totals and what the configuration says", async () => {
  const info = gauge({ name: "t_info", help: "Always 1.", isOpen: true, isLasting: true, labels: { name: "name" } });
  const age = gauge({ name: "t_age", help: "Grows old.", labels: { name: "name" } });
  const seen = counter({ name: "t_seen_total", help: "Grows.", labels: { name: "name" } });
  const exposition = new Exposition([info, age, seen] as readonly Family[]);
  const labels = { name: "a" };
  exposition.set("a", [info.at(labels, 1), age.at(labels, 2), seen.at(labels, 3)]);

  exposition.expire("a");

  const page = (await exposition.page("classic")).body.toString();
  expect(page).toContain('t_info{name="a"} 1');
  expect(page).toContain('t_seen_total{name="a"} 3');
  expect(page).not.toContain("t_age");
  expect([...exposition.seriesPerFamily().values()]).toEqual([1, 1]);
});
