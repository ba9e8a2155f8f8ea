// The state of a list between polls, so that each row is counted exactly once. Pure.
//
// Row: an entry of the list, such as a transaction.
// Proof: the block of a row, or a later block of the same chain. A row is canonical if its proof is.
// Counted: added to the totals, when the proof has the configured confirmations. A counted row is reverted when its
//   proof is replaced, never only because a response lacks it.
// Waiting: read and not counted yet, because there is no proof or too few confirmations.
// Open end: the row at which reading stopped before it reached processed rows. Rows below it may be unread.
import { type BlockStatus, blockStatus, type ChainView, type Proof } from "../chain/chain-view.ts";
import type { OpenEnd, ReadResult, Row } from "./read.ts";

/** A counted row. */
export interface Counted extends Proof {
  readonly id: string;
  /** Position in the block, or rank in the list. */
  readonly index?: number | undefined;
  /** Rows below may be unread: it is above an open end, or a fork moved it. */
  readonly isAbove?: boolean | undefined;
  /** Not in the totals: listed at the first poll, or not of the kind that the collector counts. */
  readonly isOld?: boolean | undefined;
  /** Validator of a response that lacked the row after its proof was replaced. */
  readonly lackedIn?: string | undefined;
}

/** A waiting row. */
export interface Waiting<Item extends Row> {
  readonly item: Item;
  /** Rows below may be unread: it is above an open end. */
  readonly isAbove?: boolean | undefined;
  /** Its proof was replaced: it has to be read again. */
  readonly isDoubtful?: boolean | undefined;
  /** It was doubtful, and a read did not find it again. */
  readonly isLost?: boolean | undefined;
}

/** The state of a list. Plain data. */
export interface FeedState<Item extends Row> {
  /** Newest first. */
  readonly counted: readonly Counted[];
  /** Newest first. */
  readonly waiting: readonly Waiting<Item>[];
  /** Rows that were reverted, with the height of the tip. If they return, they are not counted again. */
  readonly reverted: readonly { readonly id: string; readonly at: number; readonly isOld?: boolean | undefined }[];
  /** The open end. */
  readonly open: OpenEnd | undefined;
  /** Ranges above an open end in which every row was counted and then pruned. */
  readonly forgotten?: readonly { readonly newest: Position; readonly oldest: Position }[];
}

/** Returns the proof of a row; undefined when there is none. */
type ProofOf<Item> = (item: Item) => (Proof & { readonly index?: number }) | undefined;

interface Position {
  readonly height: number;
  readonly index?: number | undefined;
}

/** Chain order, newest first, of rows whose proof is their own block. */
export function newestFirst(a: Position, b: Position): number {
  return b.height - a.height || (b.index ?? 0) - (a.index ?? 0);
}

/** The state of a list that was not read yet. */
export const EMPTY_FEED = { counted: [], waiting: [], reverted: [], open: undefined } as const;

/**
 * Returns whether a row and everything below it are processed, so that reading can stop. Rows without a proof do not
 * qualify, nor do rows above one whose proof was replaced: they were read while reading stopped at that one.
 * @param order the order of the list, newest first.
 */
export function stopCondition<Item extends Row>(
  { counted, waiting }: FeedState<Item>,
  chain: ChainView | undefined,
  proofOf: ProofOf<Item>,
  order: typeof newestFirst,
): (row: Item) => boolean {
  const rows: ProcessedRow[] = [];
  for (const { item, isAbove, isDoubtful, isLost } of waiting) {
    const proof = proofOf(item);
    const status = proof && blockStatus(chain, proof);
    const isUncertain = isLost ? false : isDoubtful === true || status === "replaced";
    const position = proof ?? { height: 0, index: item.rank };
    rows.push({ ...position, id: item.id, rowHash: item.hash, isAbove, isUncertain, status });
  }
  for (const entry of counted) {
    const status = blockStatus(chain, entry);
    const isUncertain = status === "replaced" && entry.lackedIn === undefined;
    rows.push({ ...entry, rowHash: entry.hash, isUncertain, status });
  }
  rows.sort(order);
  const hashes = new Map<string, string>();
  for (const { id, rowHash, isAbove, status } of rows.slice(rows.findLastIndex((row) => row.isUncertain) + 1)) {
    if (!isAbove && status !== undefined && status !== "replaced") hashes.set(id, rowHash);
  }
  return ({ id, hash }) => hashes.has(id) && (hash === "" || hashes.get(id) === hash);
}

interface ProcessedRow extends Position {
  readonly id: string;
  readonly rowHash: string;
  readonly isAbove?: boolean | undefined;
  readonly isUncertain: boolean;
  readonly status: BlockStatus | undefined;
}

/**
 * Rows with a proof that a read should have returned and did not, newest first. If the proof of one of them is
 * canonical, the server is behind.
 * @param order the order of the list, newest first.
 */
export function missingRows<Item extends Row>(
  { counted, waiting }: FeedState<Item>,
  result: ReadResult<Item>,
  proofOf: ProofOf<Item>,
  order: typeof newestFirst,
): Counted[] {
  if (!result.isFromTop || result.resume !== undefined) return [];
  const read = new Set(result.rows.map(({ id }) => id));
  const proved: Counted[] = [
    ...waiting.flatMap(({ item }) => {
      const proof = proofOf(item);
      return proof === undefined ? [] : [{ id: item.id, ...proof }];
    }),
    ...counted,
  ];
  proved.sort(order);
  const positions = new Map(proved.map((entry) => [entry.id, entry]));
  const bottom = result.rows.findLast((row) => positions.has(row.id) || proofOf(row) !== undefined);
  const lowest = bottom && (proofOf(bottom) ?? positions.get(bottom.id));
  const isInRange = (entry: Counted) => result.isWhole || lowest === undefined || order(entry, lowest) < 0;
  return proved.filter((entry) => !read.has(entry.id) && isInRange(entry));
}

/** The state without its open end: unread rows below it are skipped. */
export function withoutOpenEnd<Item extends Row>(state: FeedState<Item>): FeedState<Item> {
  const withoutMark = <Entry extends { readonly isAbove?: boolean | undefined }>(entry: Entry): Entry =>
    entry.isAbove ? { ...entry, isAbove: undefined } : entry;
  return {
    ...state,
    counted: state.counted.map(withoutMark),
    waiting: state.waiting.map(withoutMark),
    open: undefined,
    forgotten: [],
  };
}

/** The state with the rows of a read, which replace waiting rows of the same id. */
export function withReadRows<Item extends Row>(
  before: FeedState<Item>,
  result: ReadResult<Item>,
  proofOf: ProofOf<Item>,
): FeedState<Item> {
  const isOpen = result.resume !== undefined;
  const state = isOpen ? before : withoutOpenEnd(before);
  const fresh = new Set(result.fresh.map(({ id }) => id));
  const old = new Set(state.waiting.filter(({ item }) => item.isOld).map(({ item }) => item.id));
  const proved = new Map(
    state.waiting
      .filter(({ isDoubtful, item }) => !isDoubtful && proofOf(item) !== undefined)
      .map(({ item }) => [item.id + item.hash, item]),
  );
  const added = result.fresh.map((row) => {
    const known = proved.get(row.id + row.hash);
    // The proof stays, and the rank follows the list.
    const newest = known === undefined || row.rank === undefined ? (known ?? row) : { ...known, rank: row.rank };
    const item = old.has(row.id) ? { ...newest, isOld: true } : newest;
    return isOpen ? { item, isAbove: true } : { item };
  });
  const kept = state.waiting.filter(({ item }) => !fresh.has(item.id));
  return {
    ...state,
    waiting: result.isFromTop ? [...added, ...kept] : [...kept, ...added],
    open: result.resume,
  };
}

/** The rows whose status has changed. */
export interface Changes<Item extends Row> {
  /** Waiting rows with a canonical proof and enough confirmations, oldest first. */
  readonly ready: readonly Item[];
  /** Ids of waiting rows whose block was replaced. If they return, they are read again. */
  readonly dropped: ReadonlySet<string>;
  /** Counted rows whose proof was replaced by a block with enough confirmations. */
  readonly replaced: readonly Counted[];
}

/** Returns the rows whose status has changed, up to the height with enough confirmations. */
export function changesOf<Item extends Row>(
  { counted, waiting }: FeedState<Item>,
  chain: ChainView | undefined,
  countableHeight: number,
  proofOf: ProofOf<Item>,
): Changes<Item> {
  const ready: Item[] = [];
  const dropped = new Set<string>();
  const returning = new Set<string>();
  let hasUncertain = false;
  for (const { item } of waiting) {
    const proof = proofOf(item);
    // Without a chain to compare with, the list is the only source.
    const status = proof === undefined ? "unknown" : chain === undefined ? "canonical" : blockStatus(chain, proof);
    const isCountable = proof !== undefined && proof.height <= countableHeight;
    hasUncertain ||= status === "unknown" || (status === "replaced" && !isCountable);
    if (status !== "replaced") returning.add(item.id);
    if (!isCountable) continue;
    if (status === "replaced") dropped.add(item.id);
    else if (status !== "unknown") ready.push(item);
  }
  // Reading would stop at a row above a dropped one and not find it if it returns. A row that stays can be such a row
  // later: its block is not known yet, or the server that has replaced it follows another chain.
  if (hasUncertain) dropped.clear();
  const replaced = counted.filter(
    (entry) => entry.height <= countableHeight && !returning.has(entry.id) && blockStatus(chain, entry) === "replaced",
  );
  return { ready: ready.reverse(), dropped, replaced };
}

/** The changes to apply. */
interface ConfirmedChanges<Item extends Row> extends Omit<Changes<Item>, "replaced"> {
  /** Ids of counted rows that are reverted. */
  readonly reverted: ReadonlySet<string>;
  /** New proofs of counted rows, by id. */
  readonly proved?: ReadonlyMap<string, Proof> | undefined;
  readonly tipHeight: number;
}

/** The state after changes, and what they add to the totals. */
interface Applied<Item extends Row> {
  readonly state: FeedState<Item>;
  /** Rows to add to the totals, oldest first. */
  readonly counted: readonly Item[];
  /** Number of rows that were reverted. */
  readonly reverted: number;
  /** Number of reverted rows that returned. */
  readonly restored: number;
}

/** Applies changes. */
export function applyChanges<Item extends Row>(
  state: FeedState<Item>,
  { ready, dropped, reverted, proved, tipHeight }: ConfirmedChanges<Item>,
  proofOf: ProofOf<Item>,
  order: typeof newestFirst,
): Applied<Item> {
  const countedBefore = new Map(state.counted.map((entry) => [entry.id, entry]));
  const revertedBefore = new Map(state.reverted.map((entry) => [entry.id, entry]));
  const readyIds = new Set(ready.map(({ id }) => id));
  const above = new Set(state.waiting.filter(({ isAbove }) => isAbove).map(({ item }) => item.id));
  const counted: Item[] = [];
  const entries: Counted[] = [];
  let restored = 0;
  for (const item of ready) {
    const { id } = item;
    const before = countedBefore.get(id);
    const isOld = item.isOld || before?.isOld || revertedBefore.get(id)?.isOld;
    entries.push({
      id,
      ...(proofOf(item) as Proof),
      ...(above.has(id) ? { isAbove: true } : {}),
      ...(isOld ? { isOld } : {}),
    });
    if (before !== undefined) continue;
    if (revertedBefore.delete(id)) restored += isOld ? 0 : 1;
    else if (!isOld) counted.push(item);
  }
  const others = state.counted.filter(({ id }) => !readyIds.has(id));
  const gone = others.filter(({ id }) => reverted.has(id));
  const kept = others
    .filter(({ id }) => !reverted.has(id))
    .map((entry) => {
      const proof = proved?.get(entry.id);
      // The fork can have put unread rows below it.
      return proof === undefined ? entry : { ...entry, ...proof, isAbove: true };
    });
  return {
    state: {
      ...state,
      counted: [...kept, ...entries].sort(order),
      waiting: state.waiting.filter(({ item }) => !readyIds.has(item.id) && !dropped.has(item.id)),
      reverted: [
        ...state.reverted.filter(({ id }) => revertedBefore.has(id)),
        ...gone.map(({ id, isOld }) => ({ id, at: tipHeight, ...(isOld ? { isOld } : {}) })),
      ],
    },
    counted,
    reverted: gone.filter(({ isOld }) => !isOld).length,
    restored,
  };
}

/** Limits of the counted and reverted rows that are kept. */
interface Retention {
  /** Rows below this height are pruned. */
  readonly oldest: number;
  /** Maximum and minimum number of counted rows, at any height. */
  readonly max: number;
  readonly min: number;
}

/** The state without counted and reverted rows beyond the limits. */
export function pruned<Item extends Row>(state: FeedState<Item>, { oldest, max, min }: Retention): FeedState<Item> {
  const isKept = ({ height }: Counted, place: number) => place < min || (height >= oldest && place < max);
  // Rows above an open end are limited separately: reading must be able to stop at the rows below it.
  const { true: above = [], false: below = [] } = Object.groupBy(state.counted, ({ isAbove = false }) => `${isAbove}`);
  const isAboveOpenEnd = (position: Position) => state.open === undefined || isNewer(position, state.open.last);
  const dropped = new Set(above.filter((entry, place) => !isKept(entry, place) && isAboveOpenEnd(entry)));
  // Everything from the top to the open end was read, so that one range covers all pruned rows there.
  const { true: ranges = [], false: others = [] } = Object.groupBy(
    state.forgotten ?? [],
    (range) => `${isAboveOpenEnd(range.oldest)}`,
  );
  const positions = [...dropped, ...ranges.flatMap(({ newest, oldest }) => [newest, oldest])]
    .sort(newestFirst)
    .map(({ height, index }) => ({ height, index }));
  const [first, last] = [positions[0], positions.at(-1)];
  return {
    ...state,
    counted: [...above.filter((entry) => !dropped.has(entry)), ...below.filter(isKept)],
    reverted: state.reverted.filter(({ at }) => at >= oldest),
    forgotten: first === undefined || last === undefined ? others : [{ newest: first, oldest: last }, ...others],
  };
}

/**
 * The feed without an open end above the tip, and without the rows that were read above it. They may be from a server
 * with a wrong chain, so that no list will contain them. If they are on the chain, they are read again.
 */
export function withoutUnknownEnd<Item extends Row & Position>(
  feed: FeedState<Item>,
  tipHeight = Number.POSITIVE_INFINITY,
): FeedState<Item> {
  const end = feed.open?.last;
  if (end?.height === undefined || end.height <= tipHeight) return feed;
  return { ...feed, open: undefined, waiting: feed.waiting.filter(({ item }) => isNewer(end, item)) };
}

/** Whether one row is newer than another in chain order. */
export function isNewer({ height = 0, index }: OpenEnd["last"] | Position, than: OpenEnd["last"] | Position): boolean {
  return newestFirst({ height, index }, { height: than.height ?? 0, index: than.index }) < 0;
}

/** The result without rows that were counted above an open end and then pruned. */
export function withoutForgotten<Item extends Row & Position>(
  result: ReadResult<Item>,
  { forgotten = [] }: FeedState<Item>,
): ReadResult<Item> {
  const isForgotten = (row: Position) =>
    forgotten.some(({ newest, oldest }) => newestFirst(newest, row) <= 0 && newestFirst(row, oldest) <= 0);
  return { ...result, fresh: result.fresh.filter((row) => !isForgotten(row)) };
}
