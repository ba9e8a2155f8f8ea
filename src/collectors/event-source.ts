// The operations that list what a contract printed, and how the list is read back to something known.
import { z } from "zod";
import { ApiError } from "../api/errors.ts";
import { type Operation, operation, type StacksApi, type Validated } from "../api/operation.ts";
import { type ContractEvent, type Feed, idOf, meets } from "./event-feed.ts";

const PRINCIPAL = /'(S[A-Z0-9]{28,41}(?:\.[a-zA-Z][a-zA-Z0-9_-]{0,127})?)/g;

/** The principals that a printed value mentions: a hint for others, so nothing may fail for it. */
function principalsOf(value: unknown): readonly string[] {
  const repr = typeof value === "object" && value !== null && "repr" in value ? value.repr : undefined;
  return typeof repr === "string" ? [...repr.matchAll(PRINCIPAL)].map(([, principal = ""]) => principal) : [];
}

const body = z.object({
  results: z.array(
    z.object({
      event_index: z.int().nonnegative(),
      event_type: z.string(),
      tx_id: z.string().min(1),
      contract_log: z.object({ topic: z.string(), value: z.unknown().optional().transform(principalsOf) }).optional(),
    }),
  ),
});

/** Operation 4.4; no total is told. */
export const contractEvents = operation({
  name: "contract_events",
  path: "/extended/v1/contract/{contract_id}/events",
  body,
});

/** Replacement of 4.4, with the same items. */
export const contractLogs = operation({
  name: "contract_logs",
  path: "/extended/v2/smart-contracts/{contract_id}/logs",
  body,
});

const PAGE = 50;
const OVERLAP = 2;
const MOST_REREADS = 2;

/** An event with the principals that its value mentions. */
export interface ListedEvent extends ContractEvent {
  readonly mentions: readonly string[];
}

/** The newest events, newest first, each once. */
export interface EventReading {
  readonly events: readonly ListedEvent[];
  /** Neither something known nor the end of the list was reached. */
  readonly isGap: boolean;
  /** Validator of the newest page. */
  readonly etag: string | undefined;
  /** When the last page arrived. Unix time, milliseconds. */
  readonly at: number;
}

/**
 * Reads from the newest back to an event that is done with, at most so many pages; undefined when the list is still the one with
 * that validator.
 */
export async function readEvents(
  api: StacksApi,
  contract: string,
  isNew: boolean,
  feed: Feed | undefined,
  mostPages: number,
  etag: string | undefined,
): Promise<EventReading | undefined> {
  const from: Source = isNew ? contractLogs : contractEvents;
  const parameters = { path: { contract_id: contract }, query: { limit: PAGE } };
  const newest = await (etag === undefined ? api.getWhole(from, parameters) : api.getIfChanged(from, parameters, etag));
  if (newest === undefined) return undefined;
  for (let rereads = 0; rereads <= MOST_REREADS; rereads += 1) {
    const first = rereads === 0 ? newest : await api.getWhole(from, parameters);
    const reading = await tryEvents(api, contract, from, first, feed, mostPages);
    if (reading !== undefined) return reading;
  }
  throw new ApiError("bad_body", from.name, "the list changed faster than it could be read");
}

type Source = Operation<typeof contractEvents.path | typeof contractLogs.path, z.infer<typeof body>>;

async function tryEvents(
  api: StacksApi,
  contract: string,
  from: Source,
  first: Validated<z.infer<typeof body>>,
  feed: Feed | undefined,
  mostPages: number,
): Promise<EventReading | undefined> {
  const events = new Map<string, ListedEvent>();
  let last: string | undefined;
  for (let pages = 1, offset = 0; ; pages += 1) {
    const query = { limit: PAGE, offset };
    const answer = offset === 0 ? first : await api.getWhole(from, { path: { contract_id: contract }, query });
    const rows = answer.body.results.map((item) => ({
      txId: item.tx_id,
      index: item.event_index,
      type: item.event_type,
      topic: item.contract_log?.topic ?? "",
      mentions: item.contract_log?.value ?? [],
    }));
    if (last !== undefined && !rows.some((row) => idOf(row) === last)) return undefined;
    const known = events.size;
    for (const row of rows) if (!events.has(idOf(row))) events.set(idOf(row), row);
    const all = [...events.values()];
    const lastRow = all.at(-1);
    const isEnd = rows.length < PAGE;
    // At first sight the newest page is enough: there is nothing to meet.
    if (isEnd || feed === undefined || meets(feed, all))
      return { events: all, isGap: false, etag: first.etag, at: answer.receivedAt };
    if (events.size === known) throw new ApiError("bad_body", from.name, "a page repeats the one before");
    if (pages >= mostPages) return { events: all, isGap: true, etag: first.etag, at: answer.receivedAt };
    last = lastRow && idOf(lastRow);
    offset += rows.length - OVERLAP;
  }
}
