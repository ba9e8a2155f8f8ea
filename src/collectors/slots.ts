// Selects the label values from the API that have their own series, within a maximum number of series. Pure.
//
// A configured label has a slot from its first occurrence. Other labels take free slots. Without a free slot, a label
// replaces the least frequent one when it has occurred more than twice as often. The factor limits how often series
// change: before two labels swap again, their counts have doubled.
import { type Draft, ownValue } from "./counters.ts";

type Counts = Readonly<Record<string, number>>;

/** The labels with slots, and their numbers of occurrences. Plain data of bounded size. */
export interface Slots {
  /** The labels with a slot. */
  readonly own: Counts;
  /** The most frequent labels without a slot, and a lower bound of their occurrences. */
  readonly waiting: Counts;
}

/** No labels. Returns a new object: `structuredClone` does not separate two references to the same object. */
export const noSlots = (): Slots => ({ own: {}, waiting: {} });

/** The slots that one poll can use. */
export interface SlotLimits {
  /** Maximum number of slots. Configured labels can exceed it. */
  readonly max: number;
  /** Configured labels, which always have a slot. */
  readonly named: ReadonlySet<string>;
  /** Number of slots that can still be added. */
  spare: number;
}

/** Whether a label has a slot. */
export interface Assignment {
  readonly isOwn: boolean;
  /** The label that it replaced. */
  readonly evicted: string | undefined;
}

const SWAP_FACTOR = 2;

// Frequent items of a stream in bounded memory (Misra and Gries): counts are lower bounds, and a label that is more
// than one in 65 of the labels without a slot is always included.
const MAX_WAITING = 64;

const NO_SLOT: Assignment = { isOwn: false, evicted: undefined };

/**
 * Counts an occurrence of a label, and assigns it a slot if possible. Changes `slots` and `limits`.
 * @param label undefined for one that is not valid, which has no slot.
 */
export function assignSlot(slots: Draft<Slots>, label: string | undefined, limits: SlotLimits): Assignment {
  if (label === undefined) return NO_SLOT;
  const { own, waiting } = slots;
  const before = ownValue(own, label);
  if (before !== undefined) {
    own[label] = before + 1;
    return { isOwn: true, evicted: undefined };
  }
  const hasFreeSlot = limits.spare > 0 && Object.keys(own).length < limits.max;
  const rarest = hasFreeSlot ? undefined : leastFrequent(own, limits.named);
  const count = countWaiting(waiting, label);
  const isMoreFrequent = rarest !== undefined && count > SWAP_FACTOR * (own[rarest] ?? 0);
  if (!hasFreeSlot && !limits.named.has(label) && !isMoreFrequent) return NO_SLOT;
  delete waiting[label];
  if (rarest === undefined) limits.spare -= 1;
  else demote(slots, rarest);
  own[label] = Math.max(1, count);
  return { isOwn: true, evicted: rarest };
}

/** Removes and returns the labels beyond a lowered limit. Changes `slots`. */
export function trim(slots: Draft<Slots>, { max, named }: SlotLimits): readonly string[] {
  const evicted: string[] = [];
  while (Object.keys(slots.own).length > max) {
    const rarest = leastFrequent(slots.own, named);
    if (rarest === undefined) break;
    demote(slots, rarest);
    evicted.push(rarest);
  }
  return evicted;
}

function leastFrequent(own: Counts, named: ReadonlySet<string>): string | undefined {
  let rarest: string | undefined;
  for (const [label, count] of Object.entries(own)) {
    if (!named.has(label) && (rarest === undefined || count < (own[rarest] ?? 0))) rarest = label;
  }
  return rarest;
}

/** Counts a label without a slot; 0 if it is not one of the most frequent ones. */
function countWaiting(waiting: Record<string, number>, label: string): number {
  const count = ownValue(waiting, label) ?? 0;
  if (count > 0 || Object.keys(waiting).length < MAX_WAITING) {
    waiting[label] = count + 1;
    return count + 1;
  }
  for (const [other, left] of Object.entries(waiting)) {
    if (left > 1) waiting[other] = left - 1;
    else delete waiting[other];
  }
  return 0;
}

// Its count is kept if possible: the label can be frequent again.
function demote({ own, waiting }: Draft<Slots>, label: string): void {
  const count = own[label] ?? 0;
  delete own[label];
  if (count > 0 && Object.keys(waiting).length < MAX_WAITING) waiting[label] = count;
}
