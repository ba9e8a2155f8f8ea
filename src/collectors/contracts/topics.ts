// Events of a contract by type and topic. Both come from an API: only those of the right form have series, and only as
// many as there are slots; all others are `other`. Pure.
import { isClarityName } from "../clarity-names.ts";
import { add, type Counters, type Draft, keyOf, move, valuesOf } from "../counters.ts";
import { isEnumValue, OTHER } from "../labels.ts";
import { meet, type Room, type Slots, trim } from "../slots.ts";

/** Counted events; `other` holds what has no slot. */
export interface TopicTotals {
  /** By event type, topic. */
  readonly events: Counters<number>;
  /** Events in `other`. */
  readonly overflow: number;
  /** Pairs of event type and topic that have series of their own, by events. */
  readonly topics: Slots;
}

/** How many pairs of event type and topic may have series of their own. */
export interface TopicLimits {
  readonly most: number;
  /** Series that new pairs may have. */
  readonly spareSeries: number;
}

// The only type there is today, and the topic of `print`. It has a series from the start, and cannot lose it.
const USUAL = keyOf("smart_contract_log", "print");
const FOLDED = keyOf(OTHER, OTHER);

/** Totals of nothing. */
export const NO_TOPICS: TopicTotals = {
  events: { [USUAL]: 0 },
  overflow: 0,
  topics: { own: { [USUAL]: 0 }, waiting: {} },
};

/** The type of an event, or `other` when it does not have the form of one. */
export const eventTypeOf = (text: string): string => (isEnumValue(text) ? text : OTHER);

/** The topic of an event, or `other` when it is not a name in Clarity. */
export const topicOf = (text: string): string => (isClarityName(text) ? text : OTHER);

/** The totals after events; those beyond the limits, and those of another form, become `other`. */
export function addEvents(
  before: TopicTotals,
  counted: readonly { readonly type: string; readonly topic: string }[],
  { most, spareSeries }: TopicLimits,
): TopicTotals {
  if (counted.length === 0) return before;
  const totals = structuredClone(before) as Draft<TopicTotals>;
  const room: Room = { most, named: new Set([USUAL]), spare: Math.floor(spareSeries) };
  for (const pair of trim(totals.topics, room)) moveToOther(totals, pair);
  for (const { type, topic } of counted) {
    const pair = pairOf(type, topic);
    const { isOwn, evicted } = pair === FOLDED ? { isOwn: false, evicted: undefined } : meet(totals.topics, pair, room);
    if (evicted !== undefined) moveToOther(totals, evicted);
    if (!isOwn) totals.overflow += 1;
    add(totals.events, isOwn ? pair : FOLDED);
  }
  return totals;
}

/** Events of version 1 of the state in today's form, with the same sum: pairs without the right form become `other`. */
export function cleanedTopics({ events, overflow }: Omit<TopicTotals, "topics">): TopicTotals {
  const totals = { ...structuredClone(NO_TOPICS), overflow } as Draft<TopicTotals>;
  for (const [key, count] of Object.entries(events)) {
    const [type = "", topic = "", ...rest] = valuesOf(key);
    const pair = rest.length > 0 ? FOLDED : pairOf(type, topic);
    add(totals.events, pair, count);
    if (pair !== FOLDED) add(totals.topics.own, pair, count);
    else if (key !== FOLDED) totals.overflow += count;
  }
  return totals;
}

function pairOf(type: string, topic: string): string {
  const pair = [eventTypeOf(type), topicOf(topic)];
  return pair.includes(OTHER) ? FOLDED : keyOf(...pair);
}

// Counters never fall: what a pair had is in `other` from now on, and its series ends.
function moveToOther(totals: Draft<TopicTotals>, pair: string): void {
  totals.overflow += move(totals.events, pair, FOLDED) ?? 0;
}
