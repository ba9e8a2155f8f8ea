// The operations that list what a contract printed, and how each answer becomes events.
import { z } from "zod";
import { type Operation, operation, type StacksApi, type Validated } from "../../api/operation.ts";
import { hash } from "../chain/block-source.ts";
import type { Proof } from "../chain/chain-view.ts";
import type { List, Page, Row } from "../feed/read.ts";
import { eventTypeOf, topicOf } from "./topics.ts";

/** An event as a list shows it. The list tells neither its block nor its time. */
export interface ContractEvent extends Row {
  readonly txId: string;
  readonly type: string;
  readonly topic: string;
  /** When it was seen first. Unix time, milliseconds. */
  readonly seenAt: number;
  /** Index hash of the tip of the answer that listed it; undefined when the answer did not tell. */
  readonly tip: string | undefined;
  /** A block that is at or above its own, once that is known. */
  readonly proof?: Proof | undefined;
  readonly rank: number;
  /** Principals that its value mentions: a hint for other collectors, kept for one poll. */
  readonly mentions: readonly string[];
}

const PRINCIPAL = /'(S[A-Z0-9]{28,41}(?:\.[a-zA-Z][a-zA-Z0-9_-]{0,127})?)/g;

// Nothing may fail for a hint.
function principalsOf(value: unknown): readonly string[] {
  const repr = typeof value === "object" && value !== null && "repr" in value ? value.repr : undefined;
  return typeof repr === "string" ? [...repr.matchAll(PRINCIPAL)].map(([, principal = ""]) => principal) : [];
}

const item = z.object({
  event_index: z.int().nonnegative(),
  event_type: z.string(),
  tx_id: hash,
  contract_log: z.object({ topic: z.string(), value: z.unknown().optional().transform(principalsOf) }).optional(),
});

/** Operation 4.4. It does not count the events. */
export const contractEvents = operation({
  name: "contract_events",
  replacement: { name: "contract_logs" },
  path: "/extended/v1/contract/{contract_id}/events",
  body: z.object({ results: z.array(item) }),
});

/** Replacement of 4.4, with the same items. */
export const contractLogs = operation({
  name: "contract_logs",
  path: "/extended/v2/smart-contracts/{contract_id}/logs",
  body: z.object({ results: z.array(item), total: z.int().nonnegative().optional() }),
});

const PAGE = 50;

type Body = z.infer<typeof contractLogs.body>;

function pageOf({ body, etag, receivedAt }: Validated<Body>): Page<ContractEvent> {
  const tip = tipOf(etag);
  const rows = body.results.map(({ tx_id, event_index, event_type, contract_log }) => ({
    id: `${tx_id}:${event_index}`,
    hash: "",
    txId: tx_id,
    type: eventTypeOf(event_type),
    topic: topicOf(contract_log?.topic ?? ""),
    seenAt: receivedAt,
    tip,
    rank: 0,
    mentions: contract_log?.value ?? [],
  }));
  return { rows, total: body.total, older: undefined, isLast: rows.length < PAGE, etag };
}

/** The transaction in the identity of an event. */
export const txIdOf = (id: string): string => id.slice(0, id.lastIndexOf(":"));

/** The index hash in the validator of a list, which is that of the tip; a proxy may have made the validator weak. */
export function tipOf(etag: string | undefined): string | undefined {
  return /^(?:W\/)?"(0x[0-9a-f]{64})"$/i.exec(etag ?? "")?.[1];
}

/** The list of a contract's events by one of the two operations. */
export function eventList(api: StacksApi, contract: string, isNew: boolean): List<ContractEvent> {
  const from: Operation<typeof contractEvents.path | typeof contractLogs.path, Body> = isNew
    ? contractLogs
    : contractEvents;
  const path = { contract_id: contract };
  return {
    operation: from.name,
    hasCursors: false,
    async page(offset) {
      const query = { limit: PAGE, ...(offset === 0 ? {} : { offset }) };
      return pageOf(await api.getWhole(from, { path, query }));
    },
    async changedSince(etag) {
      const answer = await api.getIfChanged(from, { path, query: { limit: PAGE } }, etag);
      return answer && pageOf(answer);
    },
  };
}
