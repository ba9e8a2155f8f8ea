import { describe, expect, test } from "@jest/globals";
import type { Places } from "../../src/collectors/counted.ts";
import { counter, gauge } from "../../src/exposition/family.ts";
import { Totals } from "../../src/store/totals.ts";

const identity = { network: "n" };
const tokens = counter({ name: "tokens", help: "Tokens.", labels: { ...identity, token: "t", direction: "d" } });
const status = { about: "s", values: ["success", "other"] };
const calls = counter({ name: "calls", help: "Calls.", labels: { ...identity, status } });
const level = gauge({ name: "level", help: "Level.", labels: { ...identity } });
const paid = counter({ name: "paid", help: "Paid.", labels: { ...identity, token: "t" } });
const families = [tokens, calls, level, paid];
const DAY = 86_400_000;

/** The totals of one owner over several polls. */
class Owner {
  readonly #places: Places;

  constructor(limits: Partial<Places> = {}) {
    this.#places = { name: "token", families: [tokens], labels: ["token"], max: 2, ...limits };
  }

  #totals: Totals | undefined;

  /** One poll. */
  poll(work: (totals: Totals) => void, day = 0, spare = 100): Record<string, unknown> {
    const policy = {
      families: new Map(families.map((family) => [family.name, family])),
      places: [this.#places, { ...this.#places, name: "paid", families: [paid] }],
      identity: { network: "mainnet" },
    };
    const before = this.#totals;
    const known = before === undefined ? { counters: [], places: [] } : this.#kept;
    const totals = new Totals(policy, known, day * DAY, spare);
    work(totals);
    this.#totals = totals;
    const { counters, places } = totals.changes();
    this.changed = places.length;
    this.#kept = {
      counters: merged(known.counters, counters, ({ family, labels }) => `${family} ${labels}`),
      places: merged(known.places, places, ({ name, value }) => `${name} ${value}`),
    };
    return Object.fromEntries(
      [...totals.samples()].map(({ family, labels: { network: _, ...own }, value }) => [
        [family.name, ...Object.values(own)].join(" "),
        value,
      ]),
    );
  }

  /** Places that the last poll has changed. */
  changed = 0;
  #kept: { counters: never[]; places: never[] } = { counters: [], places: [] };

  /** Adds one transfer of each token. */
  take(names: readonly string[], day = 0, isPreferred = false, spare = 100): Record<string, unknown> {
    return this.poll(
      (totals) => {
        for (const token of names) {
          totals.add({ family: tokens, labels: { token, direction: "in" }, value: 1, isPreferred });
        }
      },
      day,
      spare,
    );
  }
}

function merged(known: readonly object[], changed: readonly object[], keyOf: (row: never) => string): never[] {
  const rows = new Map(known.map((row) => [keyOf(row as never), row]));
  for (const row of changed as readonly Record<string, unknown>[]) {
    if (("day" in row ? row.day : row.value) === undefined) rows.delete(keyOf(row as never));
    else rows.set(keyOf(row as never), row);
  }
  return [...rows.values()] as never[];
}

describe("label values from the API", () => {
  test("get places in the order in which they occur; the others count as other", () => {
    const owner = new Owner();
    owner.take(["a", "b", "c"]);
    expect(owner.take(["c", "b"])).toEqual({
      "tokens a in": 1n,
      "tokens b in": 2n,
      "tokens other in": 2n,
    });
    // Its day is known.
    expect(owner.changed).toBe(0);
  });

  test("that are named have a place always, besides the limit", () => {
    const owner = new Owner({ named: ["x"] });
    expect(owner.take(["a", "b", "x"], 0, false, 2)).toMatchObject({ "tokens x in": 1n, "tokens b in": 1n });
  });

  test("get a place again that was unused for 30 days, and not earlier", () => {
    const owner = new Owner();
    owner.take(["a", "b"]);
    owner.take(["b"], 29);
    expect(owner.take(["c"], 29)).toMatchObject({ "tokens a in": 1n, "tokens other in": 1n });
    const later = owner.take(["c"], 30);
    expect(later).toMatchObject({ "tokens b in": 2n, "tokens c in": 1n, "tokens other in": 1n });
    expect(later).not.toHaveProperty("tokens a in");
    expect(owner.take(["a"], 30)).toMatchObject({ "tokens other in": 2n });
  });

  test("get the place that was unused longest", () => {
    const owner = new Owner();
    owner.take(["a", "b"]);
    owner.take(["a"], 1);
    expect(owner.take(["c"], 40)).toEqual({ "tokens a in": 2n, "tokens c in": 1n });
  });

  test("of another limit have their own places, and keep them while there is room", () => {
    const owner = new Owner();
    const pay = (token: string, day: number) =>
      owner.poll((totals) => totals.add({ family: paid, labels: { token }, value: 1 }), day);
    pay("a", 0);
    owner.take(["a", "b"]);
    owner.take(["c"], 40);
    expect(pay("b", 40)).toEqual({ "tokens b in": 1n, "tokens c in": 1n, "paid a": 1n, "paid b": 1n });
  });

  test("of spam cannot take reserved places", () => {
    const owner = new Owner({ max: 3, reserved: 2 });
    owner.poll((totals) => {
      for (const token of ["spam-1", "spam-2", "spam-3"])
        totals.add({ family: tokens, labels: { token, direction: "in" }, value: 1 });
    });
    const shown = owner.take(["mine-1", "mine-2", "mine-3"], 0, true);
    expect(Object.keys(shown).filter((key) => key.startsWith("tokens"))).toEqual([
      "tokens mine-1 in",
      "tokens mine-2 in",
      "tokens other in",
      "tokens spam-1 in",
    ]);
  });

  test("get no place without series to spare", () => {
    expect(new Owner({ series: 4 }).take(["a", "b"], 0, false, 7)).toMatchObject({
      "tokens a in": 1n,
      "tokens other in": 1n,
    });
  });

  test("that are not valid count as other, and take no place", () => {
    const expected = { "tokens other in": 1n, "tokens a in": 1n, "tokens b in": 1n };
    expect(new Owner().take(["other", "a", "b"])).toEqual(expected);
    expect(new Owner({ labels: ["token", "direction"] }).take(["other"])).toEqual({ "tokens other other": 1n });
  });

  test("of an enumeration are known, or among the first eight unknown ones of its form", () => {
    const unknown = Array.from({ length: 9 }, (_, index) => `new_${index}`);
    const shown = new Owner().poll((totals) => {
      for (const value of ["success", "Bad Value", ...unknown])
        totals.add({ family: calls, labels: { status: value }, value: 1 });
    });
    expect(shown).toMatchObject({ "calls success": 1n, "calls new_7": 1n, "calls other": 2n });
    expect(Object.keys(shown)).toHaveLength(10);
  });
});

describe("values", () => {
  test("of a family that is not counted are refused", () => {
    const add = (totals: Totals) => totals.add({ family: { ...level, name: "lost" }, labels: {}, value: 1 });
    expect(() => new Owner().poll(add)).toThrow("lost is not counted by this collector");
  });

  test("start at 0 once, and are exact", () => {
    const owner = new Owner();
    const start = (totals: Totals) => totals.add({ family: calls, labels: { status: "success" }, value: undefined });
    expect(owner.poll(start)).toEqual({ "calls success": 0n });
    owner.poll((totals) => totals.add({ family: calls, labels: { status: "success" }, value: 2n ** 127n }));
    owner.poll((totals) => totals.add({ family: calls, labels: { status: "success" }, value: 2n ** 127n }));
    expect(owner.poll(start)).toEqual({ "calls success": 2n ** 128n });
  });

  test("have the last transaction and what it has added in all, but not in the state", () => {
    const owner = new Owner();
    const [first, second] = ["0x1", "0x2"].map((tx_id) => ({ labels: { tx_id }, time: 5 }));
    const shown = (...added: readonly (readonly [number, typeof first])[]) => {
      let samples: object[] = [];
      owner.poll((totals) => {
        for (const [value, exemplar] of added)
          totals.add({ family: calls, labels: { status: "success" }, value, exemplar });
        totals.add({ family: level, labels: {}, value: 7, exemplar: first });
        samples = [...totals.samples()].map(({ value, exemplar }) => ({ value, exemplar }));
      });
      return samples;
    };
    const gauge = { value: 7n, exemplar: undefined };
    expect(shown([3, first], [4, second], [5, second], [0, first], [1, undefined])).toEqual([
      { value: 13n, exemplar: { ...second, value: 9n } },
      gauge,
    ]);
    expect(shown([2, first])).toEqual([{ value: 15n, exemplar: { ...first, value: 2n } }, gauge]);
  });

  test("of a gauge are the last ones, which a start and a late row keep", () => {
    const owner = new Owner();
    const add = (value: number | undefined, isLate = false) =>
      owner.poll((totals) => totals.add({ family: level, labels: {}, value, isLate }));
    const shown = [add(undefined), add(7), add(5), add(undefined), add(4, true)];
    expect(shown).toEqual([0n, 7n, 5n, 5n, 5n].map((value) => ({ level: value })));
  });
});

test("the places of a rule that has changed are freed with its counters", () => {
  const known = new Map([tokens, calls].map((family) => [`${family.name} 2`, family]));
  const policy = { families: known, places: [], identity };
  const places = ["tokens token", "calls status", "direction"].map((name) => ({ name, value: "a", day: 0 }));
  const counters = ["tokens 1", "calls 2"].map((family) => ({ family, labels: "a", value: 1n }));
  const changed = new Totals(policy, { counters, places }, 0, 9);

  expect(changed.changes()).toEqual({
    counters: [{ family: "tokens 1", labels: "a", value: undefined }],
    places: [{ name: "tokens token", value: "a", day: undefined }],
  });
});
