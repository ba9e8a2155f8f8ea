// The series of event types and topics, which anyone can choose.
import { expect, test } from "@jest/globals";
import { contracts } from "../../../src/collectors/contracts/contracts.ts";
import { CollectorRun, targetOf } from "../../support/collect.ts";
import { CONTRACT, EventList } from "../../support/event-list.ts";

const EVENTS = /^contract_events_total/;
const PRINT = "contract_events_total smart_contract_log print";

test("types and topics that are not valid count as other, and are not stored; print events always have a series", async () => {
  const list = new EventList();
  const run = new CollectorRun(contracts, list.api, () => ({ target: targetOf(CONTRACT, 1), chain: list.chain(1) }));
  expect((await run.poll()).of(EVENTS)).toEqual({ [PRINT]: 0 });
  const invalid = ["a\tb", "\u001b[2J", "pr\u202eint", "x".repeat(1_000_000), ""].map((topic) => ({ topic }));
  const types = ["smart\0contract", "Type", "other"].map((type) => ({ type }));
  list.add([{}, ...invalid, ...types]);
  const samples = await run.polls(2);

  expect(samples.of(EVENTS)).toEqual({ [PRINT]: 1, "contract_events_total other other": 8 });
  expect(run.saved).not.toMatch(/xxx|\[2J|\u202e|Type/);
  expect(run.saved.length).toBeLessThan(10_000);
});
