// The operations that list the events of a contract, and the conversion of a response to events.
import { z } from "zod";
import { type Operation, operation, type StacksApi, type Validated } from "../../api/operation.ts";
import { orReplacement } from "../../api/replacement.ts";
import { hash } from "../chain/block-source.ts";
import type { Proof } from "../chain/chain-view.ts";
import type { RawEvent, Result } from "../event-rules/evaluate.ts";
import type { List, Page, Row } from "../feed/read.ts";
import { eventTypeOf, topicOf } from "./topics.ts";

/** An event of the list. The list returns neither its block nor its time. */
export interface ContractEvent extends Row {
  readonly txId: string;
  readonly type: string;
  readonly topic: string;
  /** Time when it was first listed. Unix time, milliseconds. */
  readonly seenAt: number;
  /** Index hash of the tip of the response that listed it; undefined if the response did not name one. */
  readonly tip: string | undefined;
  /** A block at or above its own; undefined while none is known. */
  readonly proof?: Proof | undefined;
  readonly rank: number;
  /** Its results for the event rules of the contract; absent if there are none. */
  readonly results?: readonly Result[] | undefined;
}

// A value of another form is not a reason to fail: rules count that it cannot be decoded.
const value = z.object({ hex: z.string().catch("") }).catch({ hex: "" });

const item = z.object({
  event_index: z.int().nonnegative(),
  event_type: z.string(),
  tx_id: hash,
  contract_log: z.object({ topic: z.string(), value }).optional(),
});

/** The events of a contract, newest first, without their number. */
export const contractEvents = operation({
  name: "contract_events",
  replacement: { name: "contract_logs" },
  path: "/extended/v1/contract/{contract_id}/events",
  body: z.object({ results: z.array(item) }),
});

/** Replacement of `contract_events`, with the same items. */
export const contractLogs = operation({
  name: "contract_logs",
  path: "/extended/v2/smart-contracts/{contract_id}/logs",
  body: z.object({ results: z.array(item), total: z.int().nonnegative().optional() }),
});

/** Events of one request. */
export const EVENTS_PER_REQUEST = 50;

type Body = z.infer<typeof contractLogs.body>;

/** The results of the rules for an event. */
export type Evaluate = (event: RawEvent) => readonly Result[];

function pageOf({ body, etag, receivedAt }: Validated<Body>, evaluate: Evaluate): Page<ContractEvent> {
  const tip = tipFromEtag(etag);
  const rows = body.results.map(
    ({ tx_id, event_index, event_type, contract_log }): ContractEvent => ({
      id: `${tx_id}:${event_index}`,
      hash: "",
      txId: tx_id,
      type: eventTypeOf(event_type),
      topic: topicOf(contract_log?.topic ?? ""),
      seenAt: receivedAt,
      tip,
      rank: 0,
      ...resultsOf(evaluate({ topic: contract_log?.topic ?? "", hex: contract_log?.value.hex })),
    }),
  );
  return { rows, total: body.total, older: undefined, isLast: rows.length < EVENTS_PER_REQUEST, etag };
}

// Most events make nothing, and waiting events are saved.
const resultsOf = (results: readonly Result[]) => (results.length === 0 ? {} : { results });

/** The transaction of an event, from the identity of the event. */
export const txIdOf = (id: string): string => id.slice(0, id.lastIndexOf(":"));

/** The index hash of the tip, which is the validator of a list. A proxy can make the validator weak. */
export function tipFromEtag(etag: string | undefined): string | undefined {
  return /^(?:W\/)?"(0x[0-9a-f]{64})"$/i.exec(etag ?? "")?.[1];
}

type EventOperation = Operation<typeof contractEvents.path | typeof contractLogs.path, Body>;

const operationOf = (isNew: boolean): EventOperation => (isNew ? contractLogs : contractEvents);

const queryOf = (offset: number) => ({ limit: EVENTS_PER_REQUEST, ...(offset === 0 ? {} : { offset }) });

/** An event with the parts that rules read. */
export interface ListedEvent extends RawEvent {
  /** Its transaction and its index there. */
  readonly id: string;
}

/** The newest events of a contract, newest first. Events that are listed while it reads can push others out. */
export async function newestEvents(api: StacksApi, contract: string, max: number): Promise<readonly ListedEvent[]> {
  const read = async (isNew: boolean) => {
    const events = new Map<string, ListedEvent>();
    for (let offset = 0; events.size < max; offset += EVENTS_PER_REQUEST) {
      const path = { contract_id: contract };
      const { results } = (await api.getWhole(operationOf(isNew), { path, query: queryOf(offset) })).body;
      for (const { tx_id, event_index, contract_log } of results) {
        const id = `${tx_id}:${event_index}`;
        events.set(id, { id, topic: contract_log?.topic ?? "", hex: contract_log?.value.hex });
      }
      if (results.length < EVENTS_PER_REQUEST) break;
    }
    return [...events.values()].slice(0, max);
  };
  return orReplacement(
    api,
    contractEvents,
    () => read(false),
    () => read(true),
  );
}

/** The list of a contract's events by one of the two operations. Events are evaluated when they are read. */
export function eventList(
  api: StacksApi,
  contract: string,
  isNew: boolean,
  evaluate: Evaluate = () => [],
): List<ContractEvent> {
  const from = operationOf(isNew);
  const path = { contract_id: contract };
  return {
    operation: from.name,
    hasCursors: false,
    async page(offset) {
      return pageOf(await api.getWhole(from, { path, query: queryOf(offset) }), evaluate);
    },
    async changedSince(etag) {
      const response = await api.getIfChanged(from, { path, query: queryOf(0) }, etag);
      return response && pageOf(response, evaluate);
    },
  };
}
