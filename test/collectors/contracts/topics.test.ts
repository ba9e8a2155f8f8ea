// The series of event types and topics, which anyone can choose.
import { expect, test } from "@jest/globals";
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
