// The list of a contract's events (operation 4.4), to which tests add events.
import type { ClarityValue } from "@stacks/transactions";
import { contracts } from "../../src/collectors/contracts/contracts.ts";
import { type CannedApi, cannedApi, logsPage } from "./canned-api.ts";
import { CollectorRun, targetOf } from "./collect.ts";
import { hexOf, rulesOf } from "./event-rules.ts";
import { chainOf } from "./known-chain.ts";

/** The contract of the list. */
export const CONTRACT = "SP000000000000000000002Q6VF78.amm";

export interface ListedEvent {
  readonly type?: string;
  readonly topic?: string;
  readonly value?: ClarityValue;
}

export class EventList {
  /** Newest first. */
  rows: readonly { readonly tx_id: string; readonly event_index: number }[] = [];
  /** Whether the server has the present operation. */
  hasLogs = true;
  /** Maximum number of events on a page of the older operation. */
  limit = 50;
  /** More events on a page of the present one are too large. */
  largest = 50;
  /** Heights of transactions that a fork has moved. */
  readonly moved = new Map<string, number>();
  readonly #eventsPerTransaction: number;
  #added = 0;
  readonly api: CannedApi = cannedApi((url, operation) => {
    const query = new URL(url, "http://list").searchParams;
    const offset = Number(query.get("offset") ?? 0);
    if (operation === "contract_events")
      return { json: { limit: this.limit, offset, results: this.rows.slice(offset, offset + this.limit) } };
    if (operation === "transaction") {
      const id = url.split("/").at(-1) ?? "";
      const height = this.moved.get(id) ?? Number(id);
      return { json: { tx_id: "", block: { height, hash: `0x${height}`, tx_index: 0 } } };
    }
    if (operation !== "contract_logs") throw new Error(`unexpected ${operation}`);
    if (!this.hasLogs) return { status: 410 };
    if (Number(query.get("limit")) > this.largest) return { status: 413 };
    const events = this.rows.map((json) => ({ place: [Number(json.tx_id), 0, json.event_index] as const, json }));
    return logsPage(events, query);
  });

  constructor(eventsPerTransaction = 1) {
    this.#eventsPerTransaction = eventsPerTransaction;
  }

  /** The chain when every event has its confirmations. Transaction `n` is in block `n`. */
  chain(confirmations: number) {
    return this.forked(Number(this.rows[0]?.tx_id ?? 0), undefined, confirmations);
  }

  /** A chain to a height, on which the block of a transaction is replaced. */
  forked(height: number, replaced?: string, confirmations = 3) {
    const hashOf = (at: number) => (at === Number(replaced) ? "0xfork" : `0x${at}`);
    const blocks = Array.from({ length: height }, (_, n) => [n + 1, { hash: hashOf(n + 1) }] as const);
    return chainOf(height + confirmations - 1, blocks);
  }

  /** Adds events, oldest first. */
  add(events: readonly ListedEvent[]): void {
    const rows = events.map(({ type = "smart_contract_log", topic = "print", value }) => {
      const number = this.#added++;
      return {
        tx_id: `0x${Math.floor(number / this.#eventsPerTransaction) + 1}`,
        event_index: number % this.#eventsPerTransaction,
        event_type: type,
        contract_log: { topic, ...(value && { value: { hex: hexOf(value), repr: "" } }) },
      };
    });
    this.rows = [...rows.reverse(), ...this.rows];
  }

  /** Removes the newest event, as a fork does. */
  drop(): void {
    this.rows = this.rows.slice(1);
  }
}

/** A contract with event rules (YAML) after its first poll. */
export async function ruledContract(events: string) {
  const list = new EventList(500);
  const rules = await rulesOf(events);
  const target = targetOf(CONTRACT, 1, { rules });
  const run = new CollectorRun(contracts, list.api, () => ({ target, chain: list.chain(1) }));
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
