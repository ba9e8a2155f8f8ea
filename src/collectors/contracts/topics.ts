// Events of a contract by type and topic. Pairs that are not valid or have no slot count as `other`. Pure.
import { isClarityName } from "../clarity-names.ts";
import { add, type Counters, type Draft, keyOf, move } from "../counters.ts";
import { isEnumValue, OTHER } from "../labels.ts";
import { assignSlot, type SlotLimits, type Slots, trim } from "../slots.ts";

/** Counted events. */
export interface TopicTotals {
  /** By event type, topic. */
  readonly events: Counters<number>;
  /** Events that count as `other`. */
  readonly overflow: number;
  /** The slots of the pairs with their own series, by number of events. */
  readonly topics: Slots;
}

// The only event type today, with the topic of `print`. It always has a series.
const PRINT = keyOf("smart_contract_log", "print");
const OTHER_PAIR = keyOf(OTHER, OTHER);

/** Totals before the first event. */
export const NO_TOPICS: TopicTotals = {
  events: { [PRINT]: 0 },
  overflow: 0,
  topics: { own: { [PRINT]: 0 }, waiting: {} },
};

/** The type of an event, or `other` if it is not valid. */
export const eventTypeOf = (text: string): string => (isEnumValue(text) ? text : OTHER);

/** The topic of an event, or `other` if it is not a Clarity name. */
export const topicOf = (text: string): string => (isClarityName(text) ? text : OTHER);

/** Adds events. `max` pairs can have their own series, `spareSeries` of them new ones; others count as `other`. */
export function addEvents(
  before: TopicTotals,
  counted: readonly { readonly type: string; readonly topic: string }[],
  { max, spareSeries }: { readonly max: number; readonly spareSeries: number },
): TopicTotals {
  if (counted.length === 0) return before;
  const totals = structuredClone(before) as Draft<TopicTotals>;
  const limits: SlotLimits = { max, named: new Set([PRINT]), spare: Math.floor(spareSeries) };
  for (const pair of trim(totals.topics, limits)) moveToOther(totals, pair);
  for (const { type, topic } of counted) {
    const pair = pairOf(type, topic);
    const { isOwn, evicted } = assignSlot(totals.topics, pair === OTHER_PAIR ? undefined : pair, limits);
    if (evicted !== undefined) moveToOther(totals, evicted);
    if (!isOwn) totals.overflow += 1;
    add(totals.events, isOwn ? pair : OTHER_PAIR);
  }
  return totals;
}

function pairOf(type: string, topic: string): string {
  const pair = [eventTypeOf(type), topicOf(topic)];
  return pair.includes(OTHER) ? OTHER_PAIR : keyOf(...pair);
}

// The series of the pair ends. Its events move to `other`, so that the sum does not decrease.
function moveToOther(totals: Draft<TopicTotals>, pair: string): void {
  totals.overflow += move(totals.events, pair, OTHER_PAIR) ?? 0;
}
