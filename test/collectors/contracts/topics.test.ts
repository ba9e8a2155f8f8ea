import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { addEvents, cleanTopics, eventTypeOf, NO_TOPICS, topicOf } from "../../../src/collectors/contracts/topics.ts";
import { valuesOf } from "../../../src/collectors/counters.ts";
import { restarted } from "../../support/plain-data.ts";

const PRINT = { type: "smart_contract_log", topic: "print" };
const KEY = "smart_contract_log\tprint";
const OTHER = "other\tother";
const PLENTY = { max: 50, spareSeries: 1000 };

const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

test("print events always have a series", () => {
  expect(NO_TOPICS.events).toEqual({ [KEY]: 0 });

  const totals = addEvents(NO_TOPICS, [PRINT, PRINT], PLENTY);

  expect(totals.events).toEqual({ [KEY]: 2 });
  expect(totals.overflow).toBe(0);
  expect(addEvents(totals, [], PLENTY)).toBe(totals);
});

test.each([
  { type: "smart_contract_log", topic: "a\tb" },
  { type: "smart_contract_log", topic: "\u001b[2J" },
  { type: "smart_contract_log", topic: "pr\u202eint" },
  { type: "smart_contract_log", topic: "x".repeat(1_000_000) },
  { type: "smart_contract_log", topic: "" },
  { type: "smart\0contract", topic: "print" },
  { type: "Type", topic: "print" },
  { type: "other", topic: "print" },
])("a type or topic that is not valid counts as other: case %#", (event) => {
  const totals = addEvents(NO_TOPICS, [PRINT, event], PLENTY);

  expect(totals).toEqual({
    ...NO_TOPICS,
    events: { [KEY]: 1, [OTHER]: 1 },
    overflow: 1,
    topics: { own: { [KEY]: 1 }, waiting: {} },
  });
});

test("types and topics are unchanged if they are valid", () => {
  expect(["smart_contract_log", "a\tb", "", "A"].map(eventTypeOf)).toEqual([
    "smart_contract_log",
    "other",
    "other",
    "other",
  ]);
  expect(["print", "set!", "a b", "\0"].map(topicOf)).toEqual(["print", "set!", "other", "other"]);
});

test("beyond the limit a topic is other until it is more than twice as frequent as the least frequent one", () => {
  const limits = { max: 2, spareSeries: 1000 };
  const event = (topic: string) => ({ type: "smart_contract_log", topic });
  const full = addEvents(NO_TOPICS, [event("a"), event("b"), event("b")], limits);
  const swapped = addEvents(full, [event("b")], limits);

  expect(full.events).toEqual({ [KEY]: 0, "smart_contract_log\ta": 1, [OTHER]: 2 });
  expect(swapped.events).toEqual({ [KEY]: 0, "smart_contract_log\tb": 1, [OTHER]: 3 });
  expect(swapped.overflow).toBe(3);
});

test("for any events the sum is complete, other never decreases, series are bounded, and print has its own", () => {
  const names = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.integer({ min: 0, max: 30 }).map((n) => `t${n}`),
    fc.constant("print"),
  );
  const types = fc.oneof(fc.constant("smart_contract_log"), fc.string({ unit: "binary" }));
  const polls = fc.array(
    fc.tuple(
      fc.array(fc.record({ type: types, topic: names }), { maxLength: 60 }),
      fc.record({ max: fc.integer({ min: 1, max: 6 }), spareSeries: fc.integer({ min: 0, max: 5 }) }),
    ),
  );
  fc.assert(
    fc.property(polls, (steps) => {
      let totals = NO_TOPICS;
      let count = 0;
      for (const [events, limits] of steps) {
        const before = totals.events[OTHER] ?? 0;
        totals = restarted(addEvents(totals, events, limits)) as typeof totals;
        count += events.length;

        expect(sumOf(totals.events)).toBe(count);
        expect(totals.events[OTHER] ?? 0).toBeGreaterThanOrEqual(before);
        expect(totals.overflow).toBe(totals.events[OTHER] ?? 0);
        expect(totals.events).toHaveProperty([KEY]);
        if (events.length > 0) expect(Object.keys(totals.events).length).toBeLessThanOrEqual(limits.max + 1);
        for (const key of Object.keys(totals.events)) {
          expect(key === OTHER || /^[a-z][a-z0-9_]{0,63}\t[a-zA-Z][a-zA-Z0-9!?+<>=/*_-]{0,127}$/.test(key)).toBe(true);
          expect(valuesOf(key)).toHaveLength(2);
        }
      }
    }),
    { numRuns: 100, seed: 8 },
  );
});

describe("totals of version 1", () => {
  test("keep the number of events", () => {
    const events = { [KEY]: 4, "smart_contract_log\tset": 3, 'smart_contract_log\t"x"': 2, "a\tb\tc": 1, [OTHER]: 5 };

    expect(cleanTopics({ events, overflow: 5 })).toEqual({
      events: { [KEY]: 4, "smart_contract_log\tset": 3, [OTHER]: 8 },
      overflow: 8,
      topics: { own: { [KEY]: 4, "smart_contract_log\tset": 3 }, waiting: {} },
    });
  });
});
