// What is known of a list between polls, and what is counted of it: each row once, when a block proves it and is deep enough.
// Pure. A row is reverted when the block that proved it is not canonical any more, never only because a list lacks it.
import { type BlockStatus, blockStatus, type ChainView, type Proof } from "../chain/chain-view.ts";
import type { Reading, Resume, Row } from "./read.ts";

/** A row that was counted. */
export interface Counted extends Proof {
  readonly id: string;
  /** Position in the block, or rank in the list. */
  readonly index?: number | undefined;
  /** What is below it is not known: it was read above an end that is still open, or moved by a fork. */
  readonly isAbove?: boolean | undefined;
  /** It was there at first sight, and does not count. */
  readonly isOld?: boolean | undefined;
  /** Validator of an answer that lacked the row after its proof was replaced. */
  readonly lackedIn?: string | undefined;
}

/** A row that was seen and is not counted yet. */
export interface Waiting<Item extends Row> {
  readonly item: Item;
  readonly isAbove?: boolean | undefined;
  /** What proved it was replaced: it has to be read again. */
  readonly isDoubtful?: boolean | undefined;
  /** It was doubtful, and a reading did not find it again. */
  readonly isLost?: boolean | undefined;
}

/** What is known between polls; plain data. */
export interface FeedState<Item extends Row> {
  /** Newest first. */
  readonly counted: readonly Counted[];
  /** Newest first. */
  readonly waiting: readonly Waiting<Item>[];
  /** Counted and reverted, with the tip of that time: found in a block again, they are not counted again. */
  readonly reverted: readonly { readonly id: string; readonly at: number; readonly isOld?: boolean | undefined }[];
  /** Where the last reading ended before it reached something known. */
  readonly open: Resume | undefined;
  /** Between which places all rows were counted and are not remembered, as long as they can be read again. */
  readonly forgotten?: readonly { readonly newest: Placed; readonly oldest: Placed }[];
}

/** How a row is proved; undefined while nothing proves it. */
export type ProofOf<Item> = (item: Item) => (Proof & { readonly index?: number }) | undefined;

interface Placed {
  readonly height: number;
  readonly index?: number | undefined;
}

/** Chain order, newest first, of rows that are proved by their own block. */
export function newestFirst(a: Placed, b: Placed): number {
  return b.height - a.height || (b.index ?? 0) - (a.index ?? 0);
}

/** A feed of which nothing is known. */
export const EMPTY_FEED = { counted: [], waiting: [], reverted: [], open: undefined } as const;

/**
 * Whether a row is known, so that everything below it is. A row without a proof says nothing about what is below it; nor
 * does one above a row whose proof was replaced, because it was read while that passed for known.
 */
export function knownRows<Item extends Row>(
  { counted, waiting }: FeedState<Item>,
  chain: ChainView | undefined,
  proofOf: ProofOf<Item>,
  order: typeof newestFirst,
): (row: Item) => boolean {
  const rows: KnownRow[] = [];
  for (const { item, isAbove, isDoubtful, isLost } of waiting) {
    const proof = proofOf(item);
    const standing = proof && blockStatus(chain, proof);
    const isUncertain = isLost ? false : isDoubtful === true || standing === "replaced";
    const place = proof ?? { height: 0, index: item.rank };
    rows.push({ ...place, id: item.id, rowHash: item.hash, isAbove, isUncertain, standing });
  }
  for (const entry of counted) {
    const standing = blockStatus(chain, entry);
    const isUncertain = standing === "replaced" && entry.lackedIn === undefined;
    rows.push({ ...entry, rowHash: entry.hash, isUncertain, standing });
  }
  rows.sort(order);
  const known = new Map<string, string>();
  for (const { id, rowHash, isAbove, standing } of rows.slice(rows.findLastIndex((row) => row.isUncertain) + 1)) {
    if (!isAbove && standing !== undefined && standing !== "replaced") known.set(id, rowHash);
  }
  return ({ id, hash }) => known.has(id) && (hash === "" || known.get(id) === hash);
}

interface KnownRow extends Placed {
  readonly id: string;
  readonly rowHash: string;
  readonly isAbove?: boolean | undefined;
  readonly isUncertain: boolean;
  readonly standing: BlockStatus | undefined;
}

/**
 * Rows that are proved and that the reading lacks although it went past them, newest first. Each of them proves that the
 * server is behind, when its proof is canonical.
 * @param order the order of the list, newest first.
 */
export function lackedBy<Item extends Row>(
  { counted, waiting }: FeedState<Item>,
  reading: Reading<Item>,
  proofOf: ProofOf<Item>,
  order: typeof newestFirst,
): Counted[] {
  if (!reading.isFromTop || reading.resume !== undefined) return [];
  const read = new Set(reading.rows.map(({ id }) => id));
  const known: Counted[] = [
    ...waiting.flatMap(({ item }) => {
      const proof = proofOf(item);
      return proof === undefined ? [] : [{ id: item.id, ...proof }];
    }),
    ...counted,
  ];
  known.sort(order);
  const placed = new Map(known.map((entry) => [entry.id, entry]));
  const bottom = reading.rows.findLast((row) => placed.has(row.id) || proofOf(row) !== undefined);
  const place = bottom && (proofOf(bottom) ?? placed.get(bottom.id));
  const isPassed = (entry: Counted) => reading.isWhole || place === undefined || order(entry, place) < 0;
  return known.filter((entry) => !read.has(entry.id) && isPassed(entry));
}

/** The feed without its open end: what is below that is given up. */
export function closed<Item extends Row>(state: FeedState<Item>): FeedState<Item> {
  const known = <Known extends { readonly isAbove?: boolean | undefined }>(entry: Known): Known =>
    entry.isAbove ? { ...entry, isAbove: undefined } : entry;
  return {
    ...state,
    counted: state.counted.map(known),
    waiting: state.waiting.map(known),
    open: undefined,
    forgotten: [],
  };
}

/** The feed with what was read. Rows that were seen before are as the reading shows them. */
export function withReading<Item extends Row>(
  before: FeedState<Item>,
  reading: Reading<Item>,
  proofOf: ProofOf<Item>,
): FeedState<Item> {
  const isOpen = reading.resume !== undefined;
  const state = isOpen ? before : closed(before);
  const fresh = new Set(reading.fresh.map(({ id }) => id));
  const old = new Set(state.waiting.filter(({ item }) => item.isOld).map(({ item }) => item.id));
  const proved = new Map(
    state.waiting.filter(({ isDoubtful }) => !isDoubtful).map(({ item }) => [item.id + item.hash, item]),
  );
  const added = reading.fresh.map((row) => {
    const before = proved.get(row.id + row.hash);
    const seen = before !== undefined && proofOf(before) !== undefined ? before : row;
    const item = old.has(row.id) ? { ...seen, isOld: true } : seen;
    return isOpen ? { item, isAbove: true } : { item };
  });
  const kept = state.waiting.filter(({ item }) => !fresh.has(item.id));
  return {
    ...state,
    waiting: reading.isFromTop ? [...added, ...kept] : [...kept, ...added],
    open: reading.resume,
  };
}

/** What is to be done with the rows that wait. */
export interface Decision<Item extends Row> {
  /** Deep enough, and in a canonical block; oldest first. */
  readonly ready: readonly Item[];
  /** Rows of blocks that were replaced. They are read again should they come back. */
  readonly dropped: ReadonlySet<string>;
  /** Counted rows whose proof was replaced by another block, deep enough. */
  readonly suspects: readonly Counted[];
}

/** Decides about every row up to the height `depth`. */
export function decide<Item extends Row>(
  { counted, waiting }: FeedState<Item>,
  chain: ChainView | undefined,
  depth: number,
  proofOf: ProofOf<Item>,
): Decision<Item> {
  const ready: Item[] = [];
  const dropped = new Set<string>();
  const standings = new Map<string, BlockStatus>();
  for (const { item } of waiting) {
    const proof = proofOf(item);
    if (proof === undefined) {
      standings.set(item.id, "unknown");
      continue;
    }
    // Without a chain to compare with, the list itself is all there is.
    const standing = chain === undefined ? "canonical" : blockStatus(chain, proof);
    standings.set(item.id, standing);
    if (proof.height > depth) continue;
    if (standing === "replaced") dropped.add(item.id);
    else if (standing !== "unknown") ready.push(item);
  }
  // A row above a dropped one would hide it from the next reading, should it come back. A row that the chain does not know
  // yet may be such a row.
  if ([...standings.values()].includes("unknown")) dropped.clear();
  const returning = new Set([...standings].filter(([, standing]) => standing !== "replaced").map(([id]) => id));
  const suspects = counted.filter(
    (entry) => entry.height <= depth && !returning.has(entry.id) && blockStatus(chain, entry) === "replaced",
  );
  return { ready: ready.reverse(), dropped, suspects };
}

/** What became of a feed. */
export interface Settled<Item extends Row> {
  readonly state: FeedState<Item>;
  /** Rows that count now, oldest first. */
  readonly counted: readonly Item[];
  /** Counted rows that do not count any more. */
  readonly reverted: number;
  /** Reverted before, and in a canonical block again. */
  readonly restored: number;
}

/** What was decided, and how much of it can be done now. */
export interface Settlement<Item extends Row> {
  /** Rows of `ready` to count now, oldest first. */
  readonly ready: readonly Item[];
  readonly dropped: ReadonlySet<string>;
  /** Identities of counted rows that are proved to be reverted. */
  readonly reverted: ReadonlySet<string>;
  /** Counted rows that another block proves now. */
  readonly proved?: ReadonlyMap<string, Proof> | undefined;
  readonly tipHeight: number;
}

/** The feed after a settlement. */
export function settle<Item extends Row>(
  state: FeedState<Item>,
  settlement: Settlement<Item>,
  proofOf: ProofOf<Item>,
  order: typeof newestFirst,
): Settled<Item> {
  const { ready, dropped, proved, tipHeight } = settlement;
  const known = new Map(state.counted.map((entry) => [entry.id, entry]));
  const formerly = new Set(state.reverted.map(({ id }) => id));
  const oldOnes = new Set(state.reverted.filter(({ isOld }) => isOld).map(({ id }) => id));
  const done = new Set(ready.map(({ id }) => id));
  const above = new Set(state.waiting.filter(({ isAbove }) => isAbove).map(({ item }) => item.id));
  const counted: Item[] = [];
  const entries: Counted[] = [];
  let restored = 0;
  for (const item of ready) {
    const before = known.get(item.id);
    const isOld = item.isOld || before?.isOld || oldOnes.has(item.id);
    entries.push({
      id: item.id,
      ...(proofOf(item) as Proof),
      ...(above.has(item.id) ? { isAbove: true } : {}),
      ...(isOld ? { isOld } : {}),
    });
    if (before !== undefined) continue;
    if (formerly.delete(item.id)) restored += isOld ? 0 : 1;
    else if (!isOld) counted.push(item);
  }
  const gone = state.counted.filter(({ id }) => settlement.reverted.has(id) && !done.has(id));
  const kept = state.counted
    .filter(({ id }) => !done.has(id) && !settlement.reverted.has(id))
    .map((entry) => {
      const proof = proved?.get(entry.id);
      // The fork can have put rows below it that no reading has shown yet.
      return proof === undefined ? entry : { ...entry, ...proof, isAbove: true };
    });
  return {
    state: {
      ...state,
      counted: [...kept, ...entries].sort(order),
      waiting: state.waiting.filter(({ item }) => !done.has(item.id) && !dropped.has(item.id)),
      reverted: [
        ...state.reverted.filter(({ id }) => formerly.has(id)),
        ...gone.map(({ id, isOld }) => ({ id, at: tipHeight, ...(isOld ? { isOld } : {}) })),
      ],
    },
    counted,
    reverted: gone.filter(({ isOld }) => !isOld).length,
    restored,
  };
}

/** How much is remembered of what was counted and reverted. */
export interface Memory {
  /** Height below which nothing is remembered. */
  readonly oldest: number;
  /** Most counted rows, and the fewest, whatever their height. */
  readonly most: number;
  readonly least: number;
}

/** The feed with only so much of what was counted. */
export function remembered<Item extends Row>(state: FeedState<Item>, { oldest, most, least }: Memory): FeedState<Item> {
  const isKept = ({ height }: Counted, place: number) => place < least || (height >= oldest && place < most);
  // What is above an open end must not crowd out what is below it: without that, reading would not end there.
  const { true: above = [], false: below = [] } = Object.groupBy(state.counted, ({ isAbove = false }) => `${isAbove}`);
  const isPassed = (place: Placed) => state.open === undefined || isNewer(place, state.open.last);
  const dropped = new Set(above.filter((entry, place) => !isKept(entry, place) && isPassed(entry)));
  // Everything from the top to the open end was read, so that one span holds all that is forgotten of it.
  const { true: passed = [], false: others = [] } = Object.groupBy(
    state.forgotten ?? [],
    (span) => `${isPassed(span.oldest)}`,
  );
  const places = [...dropped, ...passed.flatMap(({ newest, oldest }) => [newest, oldest])].sort(newestFirst);
  const [first, last] = [places[0], places.at(-1)].map(
    (place) => place && { height: place.height, index: place.index },
  );
  return {
    ...state,
    counted: [...above.filter((entry) => !dropped.has(entry)), ...below.filter(isKept)],
    reverted: state.reverted.filter(({ at }) => at >= oldest),
    forgotten: first === undefined || last === undefined ? others : [{ newest: first, oldest: last }, ...others],
  };
}

/** Whether one row is newer than another in chain order. */
export function isNewer(row: Resume["last"] | Placed, than: Resume["last"] | Placed): boolean {
  const place = ({ height = 0, index }: Resume["last"] | Placed) => ({ height, index });
  return newestFirst(place(row), place(than)) < 0;
}

/** The reading without rows that were counted above an open end and are not remembered any more. */
export function withoutForgotten<Item extends Row & Placed>(
  reading: Reading<Item>,
  { forgotten = [] }: FeedState<Item>,
): Reading<Item> {
  const isForgotten = (row: Placed) =>
    forgotten.some(({ newest, oldest }) => newestFirst(newest, row) <= 0 && newestFirst(row, oldest) <= 0);
  return { ...reading, fresh: reading.fresh.filter((row) => !isForgotten(row)) };
}
