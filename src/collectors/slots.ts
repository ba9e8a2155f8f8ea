// Which labels from the chain have series of their own, when there are more labels than series may be. Pure.
//
// A named label has a slot from the first time it is met. The others take free slots as they come. Without a free slot,
// a label takes that of the least met one as soon as it was met more than twice as often. The factor limits how often
// series change: two labels that swap have doubled their counts in between.
import { type Draft, known } from "./counters.ts";

type Counts = Readonly<Record<string, number>>;

/** Which labels have series of their own, and how often labels were met. Plain data of bounded size. */
export interface Slots {
  /** The labels with a slot. */
  readonly own: Counts;
  /** Labels without a slot that were met most, and how often at least. */
  readonly waiting: Counts;
}

/** No label was met. A new object on each call: `structuredClone` keeps two references to one object shared. */
export const noSlots = (): Slots => ({ own: {}, waiting: {} });

/** How many slots there may be. Belongs to one poll. */
export interface Room {
  /** Slots; more only when more named labels are met. */
  readonly most: number;
  /** Labels that have a slot in any case. */
  readonly named: ReadonlySet<string>;
  /** Slots that this poll may add; goes down with each. */
  spare: number;
}

/** What became of a label that was met. */
export interface Met {
  readonly isOwn: boolean;
  /** The label whose slot it took. */
  readonly evicted: string | undefined;
}

const SWAP_FACTOR = 2;

// Frequent items of a stream in bounded memory (Misra and Gries): counts are never too high, and a label that makes up
// more than one in 65 of what is met without a slot is always among them.
const MOST_WAITING = 64;

/** Meets a label once. Changes `slots` and `room`. */
export function meet(slots: Draft<Slots>, label: string, room: Room): Met {
  const { own, waiting } = slots;
  const before = known(own, label);
  if (before !== undefined) {
    own[label] = before + 1;
    return { isOwn: true, evicted: undefined };
  }
  const hasRoom = room.spare > 0 && Object.keys(own).length < room.most;
  const least = hasRoom ? undefined : leastMet(own, room.named);
  const count = wait(waiting, label);
  const isMore = least !== undefined && count > SWAP_FACTOR * (own[least] ?? 0);
  if (!hasRoom && !room.named.has(label) && !isMore) return { isOwn: false, evicted: undefined };
  delete waiting[label];
  if (least === undefined) room.spare -= 1;
  else demote(slots, least);
  own[label] = Math.max(1, count);
  return { isOwn: true, evicted: least };
}

/** Evicts labels beyond a limit that was lowered; returns them. Changes `slots`. */
export function trim(slots: Draft<Slots>, { most, named }: Room): readonly string[] {
  const evicted: string[] = [];
  while (Object.keys(slots.own).length > most) {
    const least = leastMet(slots.own, named);
    if (least === undefined) break;
    demote(slots, least);
    evicted.push(least);
  }
  return evicted;
}

function leastMet(own: Counts, named: ReadonlySet<string>): string | undefined {
  let least: string | undefined;
  for (const [label, count] of Object.entries(own)) {
    if (!named.has(label) && (least === undefined || count < (own[least] ?? 0))) least = label;
  }
  return least;
}

/** Counts a label without a slot; 0 when it is not among those that are met most. */
function wait(waiting: Record<string, number>, label: string): number {
  const count = known(waiting, label) ?? 0;
  if (count > 0 || Object.keys(waiting).length < MOST_WAITING) {
    waiting[label] = count + 1;
    return count + 1;
  }
  for (const [other, left] of Object.entries(waiting)) {
    if (left > 1) waiting[other] = left - 1;
    else delete waiting[other];
  }
  return 0;
}

// Its count is kept where there is room: the label may be met often again.
function demote({ own, waiting }: Draft<Slots>, label: string): void {
  const count = own[label] ?? 0;
  delete own[label];
  if (count > 0 && Object.keys(waiting).length < MOST_WAITING) waiting[label] = count;
}
