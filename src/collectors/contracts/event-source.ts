// The operations that list the events of a contract, and the list that the ledger reads. Neither operation returns the
// block of an event: it is that of its transaction.
import { z } from "zod";
import { ApiError, isShortage } from "../../api/errors.ts";
import { operation, orReplacement, type StacksApi } from "../../api/operation.ts";
import { hash } from "../../chain/block-source.ts";
import type { ChainView } from "../../chain/branch.ts";
import { byPosition, endOf, type Page, type Position, type Row } from "../../ledger/ledger.ts";
import type { List, Placer } from "../../ledger/read.ts";
import type { RawEvent } from "../event-rules/evaluate.ts";
import { cursorAt, MAX_INDEX, shrinking } from "../list.ts";
import { type PlaceInChain, readPlaceOf } from "../transaction.ts";
import { isClarityName, isEnumValue, OTHER } from "../values.ts";

/** An event of the list. Its place is that of a newer one until `eventPlacer` has found its own. */
export interface ContractEvent extends Row {
  readonly txId: string;
  readonly eventIndex: number;
  /** `other` if it is not valid. */
  readonly type: string;
  /** `other` if it is not a Clarity name. */
  readonly topic: string;
  /** The parts that rules read. */
  readonly raw: RawEvent;
}

// A value of another form is not a reason to fail: rules count that it cannot be decoded.
const value = z.object({ hex: z.string().catch("") }).catch({ hex: "" });

const item = z.object({
  event_index: z.int().nonnegative(),
  event_type: z.string(),
  tx_id: hash,
  contract_log: z.object({ topic: z.string(), value }).optional(),
});

/** The events of a contract, newest first, as servers without the operation below return them. */
export const contractEvents = operation({
  name: "contract_events",
  replacement: "contract_logs",
  path: "/extended/v1/contract/{contract_id}/events",
  body: z.object({ limit: z.int().positive().optional(), results: z.array(item) }),
});

const cursor = z.string().nullish();

/** The events of a contract, newest first, from the position of a cursor down. */
export const contractLogs = operation({
  name: "contract_logs",
  // A 404 is remembered, too, because a poll may have one request.
  isOptional: true,
  path: "/extended/v2/smart-contracts/{contract_id}/logs",
  body: z.object({
    results: z.array(item),
    total: z.int().nonnegative().optional(),
    /** Position of the first event. */
    cursor,
    prev_cursor: cursor,
    next_cursor: cursor,
  }),
});

/** Maximum number of events of one request. */
export const EVENTS_PER_REQUEST = 50;

// The greatest index of an event that the server accepts.
const MAX_EVENT = 2_147_483_647;
// Events of a transaction. Its index and that of the event are one index in the block.
const EVENTS_OF_TX = 2 ** 31;

const indexOf = (tx: number, event: number): number => tx * EVENTS_OF_TX + event;

/** The position that a cursor names; undefined if there is none, or it has another form. */
function positionOf(text: string | null | undefined): Position | undefined {
  const [, height, tx, event] = /^(\d+):\d+:(\d+):(\d+)$/.exec(text ?? "") ?? [];
  return height === undefined ? undefined : { height: Number(height), index: indexOf(Number(tx), Number(event)) };
}

function cursorAtEvent({ height, index }: Position): string {
  const event = index > indexOf(MAX_INDEX, MAX_EVENT) ? MAX_EVENT : Math.max(0, index % EVENTS_OF_TX);
  return `${cursorAt({ height, index: Math.floor(index / EVENTS_OF_TX) })}:${event}`;
}

function toEvent(
  { tx_id: txId, event_index: eventIndex, event_type, contract_log: log }: z.infer<typeof item>,
  place: Position,
): ContractEvent {
  const topic = log?.topic ?? "";
  return {
    ...place,
    id: `${txId}:${eventIndex}`,
    hash: "",
    txId,
    eventIndex,
    type: isEnumValue(event_type) ? event_type : OTHER,
    topic: isClarityName(topic) ? topic : OTHER,
    raw: { topic, hex: log?.value.hex },
  };
}

/**
 * The events of a contract up to a height (`contract_logs`).
 * @param height the greatest one whose events have their confirmations, or have been counted; undefined: all events
 */
export function logList(api: StacksApi, contract: string, height: number | undefined): List<ContractEvent> {
  const ofSize = shrinking(EVENTS_PER_REQUEST, 1);
  const read = (at?: string) => ofSize((limit) => readPage(limit, at));
  const readPage = async (limit: number, at: string | undefined): Promise<Page<ContractEvent>> => {
    const query = { limit, ...(at === undefined ? {} : { cursor: at }) };
    const parameters = { path: { contract_id: contract }, query };
    const response = await (at === undefined ? api.get(contractLogs, parameters) : api.find(contractLogs, parameters));
    // The server has no event at or below the cursor, so none that can count is unread.
    if (response === undefined) return { rows: [], total: 0, isTop: true, isLast: true };
    const { results, total, cursor: first, prev_cursor: older, next_cursor: newer } = response.body;
    const place = positionOf(first);
    if (results.length > 0 && place === undefined)
      throw new ApiError("bad_body", contractLogs.name, "a page does not name the place of its first event");
    return {
      rows: results.map((one) => toEvent(one, place ?? { height: 0, index: 0 })),
      next: positionOf(older),
      newer: newer ?? undefined,
      total,
      isTop: false,
      isLast: older === null || older === undefined,
    };
  };
  return {
    operation: contractLogs,
    async newest() {
      const page = await read(height === undefined ? undefined : cursorAtEvent(endOf(height)));
      const [first] = page.rows;
      if (height !== undefined && first !== undefined && first.height > height)
        throw new ApiError("bad_body", contractLogs.name, "a page begins above its cursor");
      return { ...page, isTop: true, offset: 0 };
    },
    atCursor: (at) => read(typeof at === "string" ? at : cursorAtEvent(at)),
  };
}

/** The newest events of a contract on a server without `contract_logs`, down to a known one. */
export function windowList(
  api: StacksApi,
  contract: string,
  known: (id: string) => boolean,
  { height = Number.MAX_SAFE_INTEGER, pages }: { readonly height?: number | undefined; readonly pages: number },
): List<ContractEvent> {
  const path = { contract_id: contract };
  const ofSize = shrinking(EVENTS_PER_REQUEST);
  return {
    operation: contractEvents,
    async newest() {
      const events: z.infer<typeof item>[] = [];
      for (let page = 0; page < pages; page += 1) {
        // The last event is read again: if another one is there, the list has changed.
        const offset = Math.max(0, events.length - 1);
        const last = events.at(-1);
        const response = await ofSize(async (limit) => {
          const { body } = await api.get(contractEvents, { path, query: { limit, offset } });
          const { length } = body.results;
          return { results: body.results, isLast: length < Math.min(body.limit ?? limit, limit) };
        }).catch((error: unknown) => {
          if (last === undefined || !isShortage(error)) throw error;
        });
        // The budget has no room for more: the newest events count, and the rest is a gap.
        if (response === undefined) break;
        const { results, isLast } = response;
        const [again] = results;
        if (last !== undefined && (last.tx_id !== again?.tx_id || last.event_index !== again.event_index))
          throw new ApiError("behind", contractEvents.name, "the list changed while it was read");
        events.push(...results.slice(last === undefined ? 0 : 1));
        if (isLast || results.some((one) => known(`${one.tx_id}:${one.event_index}`)))
          return pageOf(events, isLast, true);
      }
      return pageOf(events, false, false);
    },
  };
  function pageOf(events: readonly z.infer<typeof item>[], isLast: boolean, isKnown: boolean): Page<ContractEvent> {
    const rows = events.map((one, place) => toEvent(one, { height, index: Number.MAX_SAFE_INTEGER - place }));
    const end = { height: isKnown ? -1 : Number.MAX_SAFE_INTEGER, index: 0 };
    return { rows, next: end, isTop: true, isLast };
  }
}

// More would exceed the deadline of a poll.
const MAX_PLACED = 60;

/** The places that one poll has found for the next one, and the transactions that it could not request. */
export interface KeptPlaces {
  readonly found: Readonly<Record<string, PlaceInChain>>;
  readonly wanted: readonly string[];
}

/**
 * Finds the places of events: those of their transactions, from the mined transactions that are known, or by one
 * request for each transaction. With one request in each poll, it still makes progress.
 * @param mined places of known mined transactions, by id
 */
export function eventPlacer(
  api: StacksApi,
  chain: ChainView | undefined,
  mined: ReadonlyMap<string, PlaceInChain>,
  before: KeptPlaces = { found: {}, wanted: [] },
): Placer<ContractEvent> & { readonly kept: KeptPlaces | undefined } {
  // A fork may have moved a transaction since then.
  const found = new Map(Object.entries(before.found).filter(([, place]) => chain?.isReplaced(place) !== true));
  let wanted: readonly string[] = [];
  let left = MAX_PLACED;
  let isAnswered = false;

  /** Requests the place of a transaction; undefined if it is in no block. */
  async function find(txId: string): Promise<PlaceInChain | undefined> {
    left -= 1;
    if (left < 0) throw new ApiError("budget", contractLogs.name, "too many transactions for one poll");
    const place = await readPlaceOf(api, txId);
    if (place !== undefined) found.set(txId, place);
    return place;
  }

  /** @throws ApiError `budget` if this poll can request no more, `behind` if the transaction is in no block */
  async function placed(event: ContractEvent): Promise<ContractEvent> {
    const place = found.get(event.txId) ?? mined.get(event.txId) ?? (await find(event.txId));
    if (place === undefined)
      throw new ApiError("behind", contractLogs.name, "the transaction of an event is in no block");
    const { height, hash, index } = place;
    return { ...event, height, hash, index: indexOf(index, event.eventIndex) };
  }

  return {
    /** What the next poll needs, because this one could not place all events. */
    get kept() {
      return wanted.length === 0 ? undefined : { found: Object.fromEntries(found), wanted };
    },

    async prepare() {
      const missing = before.wanted.filter((txId) => !found.has(txId));
      wanted = before.wanted;
      try {
        for (const txId of missing) {
          // A fork can have removed it: then the list no longer has its events.
          if ((await find(txId)) === undefined) wanted = wanted.filter((one) => one !== txId);
          isAnswered = true;
        }
      } catch (error) {
        if (!isShortage(error)) throw error;
      }
      return isAnswered;
    },

    async place(rows, { recent, doubtful, floor }) {
      const known = new Map(recent.map((row) => [row.id, row]));
      const audited = new Map(doubtful.filter((row) => chain?.isReplaced(row) === false).map((row) => [row.id, row]));
      const at = rows.findIndex(({ id }) => known.has(id));
      const rest = at < 0 ? [] : rows.slice(at, at + 1).map((row) => ({ ...row, ...known.get(row.id) }));
      const fresh = at < 0 ? rows : rows.slice(0, at);
      // Nothing is known: what is at or below the floor is old, and the newest rows alone cannot be counted.
      const isDown = recent.length === 0 && floor.height > 0;
      const order = isDown ? fresh : fresh.toReversed();
      wanted = [];
      const done: ContractEvent[] = [];
      try {
        for (const event of order) {
          const place = audited.get(event.id);
          const one = place === undefined ? await placed(event) : { ...event, ...place };
          // The server is behind, or the place is from before a fork: an event below it would be skipped.
          if (byPosition(one, done.at(-1) ?? one) * (isDown ? 1 : -1) > 0)
            throw new ApiError("behind", contractLogs.name, "the places of events are not in the order of the list");
          done.push(one);
          if (isDown && byPosition(one, floor) <= 0) return { rows: done, isWhole: true };
        }
      } catch (error) {
        if (!isShortage(error)) throw error;
        wanted = [...new Set(order.slice(done.length).map(({ txId }) => txId))].slice(0, isDown ? 1 : MAX_PLACED);
        if (isDown) throw error;
      }
      return { rows: [...(isDown ? done : done.toReversed()), ...rest], isWhole: done.length === fresh.length };
    },
  };
}

/** An event with the parts that rules read. */
export type ListedEvent = RawEvent & Pick<ContractEvent, "id">;

/** The newest events of a contract, newest first. */
export async function newestEvents(api: StacksApi, contract: string, max: number): Promise<readonly ListedEvent[]> {
  const logs = logList(api, contract, undefined);
  const byCursor = async () => {
    const events: ContractEvent[] = [];
    for (let page = await logs.newest(); page !== undefined; ) {
      events.push(...page.rows);
      if (page.next === undefined || events.length >= max) break;
      page = await logs.atCursor?.(page.next);
    }
    return events;
  };
  const pages = Math.ceil(max / EVENTS_PER_REQUEST);
  const byOffset = async () => (await windowList(api, contract, () => false, { pages }).newest())?.rows ?? [];
  const events = await orReplacement(api, contractLogs, byCursor, byOffset);
  return events.slice(0, max).map(({ id, raw }) => ({ id, ...raw }));
}
