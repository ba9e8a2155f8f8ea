// The list of a contract's events (operation 4.4), to which tests add events.
import type { ClarityValue } from "@stacks/transactions";
import { contracts } from "../../src/collectors/contracts/contracts.ts";
import { type CannedApi, cannedApi } from "./canned-api.ts";
import { CollectorRun, targetOf } from "./collect.ts";
import { hexOf, rulesOf } from "./event-rules.ts";

/** The contract of the list. */
export const CONTRACT = "SP000000000000000000002Q6VF78.amm";

export interface ListedEvent {
  readonly type?: string;
  readonly topic?: string;
  readonly value?: ClarityValue;
}

export class EventList {
  /** Newest first. */
  rows: readonly object[] = [];
  /** Index hash of the tip that responses name; undefined: they name none. */
  tip: string | undefined;
  readonly #eventsPerTransaction: number;
  #added = 0;
  readonly api: CannedApi = cannedApi((url) => {
    const offset = Number(new URL(url, "http://list").searchParams.get("offset") ?? 0);
    const etag = `"${this.tip ?? this.#added}"`;
    return { json: { limit: 50, offset, results: this.rows.slice(offset, offset + 50) }, etag };
  });

  constructor(eventsPerTransaction = 1) {
    this.#eventsPerTransaction = eventsPerTransaction;
  }

  /** Adds events, oldest first. */
  add(events: readonly ListedEvent[]): void {
    const rows = events.map(({ type = "smart_contract_log", topic = "print", value }) => {
      const number = this.#added++;
      return {
        tx_id: `0x${Math.floor(number / this.#eventsPerTransaction)}`,
        event_index: number % this.#eventsPerTransaction,
        event_type: type,
        contract_log: { topic, ...(value && { value: { hex: hexOf(value), repr: "" } }) },
      };
    });
    this.rows = [...rows.reverse(), ...this.rows];
  }
}

/** A contract with event rules (YAML) after its first poll, on a network whose chain is not followed. */
export async function ruledContract(events: string) {
  const list = new EventList();
  const rules = await rulesOf(events);
  const run = new CollectorRun(contracts, list.api, { target: targetOf(CONTRACT, 1, { rules }) });
  await run.poll();
  return {
    list,
    run,
    rules,
    /** Polls after events with these values: an event counts a poll after the one that has read it. */
    print: (values: readonly ClarityValue[], spareSeries = Number.POSITIVE_INFINITY) => {
      list.add(values.map((value) => ({ value })));
      return run.polls(2, { spareSeries });
    },
  };
}
