// The series of event types and topics, which anyone can choose.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { contracts } from "../../../src/collectors/contracts/contracts.ts";
import { CollectorRun, type Surroundings, targetOf } from "../../support/collect.ts";
import { CONTRACT, EventList, type ListedEvent } from "../../support/event-list.ts";

const EVENTS = /^contract_events_total/;
const PRINT = "contract_events_total smart_contract_log print";
const OTHER = "contract_events_total other other";
const OVERFLOW = "contract_label_overflow_total";

/** A contract after its first poll. */
async function polled() {
  const list = new EventList();
  const run = new CollectorRun(contracts, list.api, { target: targetOf(CONTRACT, 1) });
  await run.poll();
  return {
    run,
    /** Polls until the events are counted. */
    print: async (events: readonly ListedEvent[], more: Surroundings = {}) => {
      list.add(events);
      return run.polls(2, more);
    },
  };
}

test("print events always have a series", async () => {
  const { run, print } = await polled();
  expect(run.samples.of(EVENTS)).toEqual({ [PRINT]: 0 });

  const samples = await print([{}, {}]);
  expect(samples.of(EVENTS)).toEqual({ [PRINT]: 2 });
  expect(samples.get(OVERFLOW)).toBe(0);
});

test("types and topics that are not valid count as other, and are not stored", async () => {
  const invalid = ["a\tb", "\u001b[2J", "pr\u202eint", "x".repeat(1_000_000), ""].map((topic) => ({ topic }));
  const types = ["smart\0contract", "Type", "other"].map((type) => ({ type }));
  const { run, print } = await polled();
  const samples = await print([{}, ...invalid, ...types]);

  expect(samples.of(EVENTS)).toEqual({ [PRINT]: 1, [OTHER]: 8 });
  expect(samples.get(OVERFLOW)).toBe(8);
  expect(run.saved).not.toMatch(/xxx|\[2J|\u202e|Type/);
  expect(run.saved.length).toBeLessThan(10_000);
});

test("for any events the sum is complete, other never decreases, series are bounded, and print has its own", async () => {
  const names = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.integer({ min: 0, max: 90 }).map((n) => `t${n}`),
    fc.constant("print"),
  );
  const types = fc.oneof(fc.constant("smart_contract_log"), fc.string({ unit: "binary" }));
  const polls = fc.array(
    fc.tuple(fc.array(fc.record({ type: types, topic: names }), { maxLength: 60 }), fc.integer({ min: 0, max: 60 })),
  );
  await fc.assert(
    fc.asyncProperty(polls, async (steps) => {
      const { run, print } = await polled();
      let [count, others] = [0, 0];
      for (const [events, spareSeries] of steps) {
        const samples = await print(events, { spareSeries });
        count += events.length;

        expect(samples.sum("contract_events_total")).toBe(count);
        const now = samples.get(OTHER) ?? 0;
        expect(now).toBeGreaterThanOrEqual(others);
        expect(samples.get(OVERFLOW)).toBe(now);
        others = now;
        const keys = samples.keys(EVENTS);
        expect(keys).toContain(PRINT);
        expect(keys.length).toBeLessThanOrEqual(51);
        const valid = /^contract_events_total (other other|[a-z][a-z0-9_]{0,63} [a-zA-Z][a-zA-Z0-9!?+<>=/*_-]{0,127})$/;
        expect(keys.filter((key) => !valid.test(key))).toEqual([]);
        run.restart();
      }
    }),
    { numRuns: 40, seed: 8 },
  );
});
