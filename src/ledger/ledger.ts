// The ledger of a list: which of its rows are counted. Pure.
//
// A list shows rows newest first, and one response of one server is not the chain. So a row counts when its block has
// its confirmations, in chain order, once by its id. The ledger is a cursor, the position of the newest counted row,
// and the counted rows of the last blocks, because a fork can replace them.

/** A place in the chain. Higher is newer. */
export interface Position {
  readonly height: number;
  /** Index in the block. No two rows of a list share one: where a transaction has several, it is made of both. */
  readonly index: number;
}

/** A row of a list: something that a block contains. */
export interface Row extends Position {
  /** Unique in the list. A fork can move it to another block. */
  readonly id: string;
  /** Hash of its block. */
  readonly hash: string;
  /** It never counts: it was listed before counting began, or is not of the kind that the collector counts. */
  readonly isOld?: boolean | undefined;
}

/** The ledger of a list. Plain data. */
export interface Ledger {
  /** Nothing at or below counts. */
  readonly floor: Position;
  /** The read rows of the last blocks, oldest first. The last one is the cursor. */
  readonly recent: readonly Row[];
  /** Rows whose block was replaced, or that are audited, until a read shows where they are now. */
  readonly doubtful: readonly Row[];
  /** Rows that are on no block any more. If one returns, it does not count again. */
  readonly reverted: readonly Row[];
  /** Whether rows between the cursor and the newest page are unread. */
  readonly isFar: boolean;
  /** Number of rows of the list up to the cursor, and of all rows at that time. An estimate: totals can be wrong. */
  readonly place?: Place | undefined;
  /** The page to read next in a list with cursors. */
  readonly next?: string | Position | undefined;
  /** Validator of the list, if nothing has to be read before the list changes. */
  readonly etag?: string | undefined;
  /** Name of the operation that returned the list. Another one has other validators and pages. */
  readonly operation?: string | undefined;
}

/** Where the cursor is in a list with offsets. */
export interface Place {
  /** Rows at or below the cursor. */
  readonly below: number;
  readonly total: number;
  /** Rows above the cursor from which a page of this server reaches down to it. */
  readonly step?: number | undefined;
}

/** One page of a list. */
export interface Page<Of extends Row> {
  /** Newest first. */
  readonly rows: readonly Of[];
  /** Position of the first row below the page; undefined where the list has no cursors. */
  readonly next?: Position | undefined;
  /** Cursor of the page above; undefined if there is none. */
  readonly newer?: string | undefined;
  /** Rows above the page; undefined where the list has no offsets. */
  readonly offset?: number | undefined;
  /** Rows of the whole list. A hint: it can be wrong. */
  readonly total?: number | undefined;
  /** Whether it has the newest row of the list. */
  readonly isTop: boolean;
  /** Whether it has the oldest row of the list. */
  readonly isLast: boolean;
  readonly etag?: string | undefined;
}

/** One branch of the chain: the view of a poll. */
export interface View {
  readonly tip: number;
  /** The greatest height that has its confirmations; below every block while that is not known. */
  readonly depth: number;
  /** The greatest height that does not count in a list that is read for the first time; undefined without a chain. */
  readonly start: number | undefined;
  /** Number of blocks below the tip that a fork can replace. */
  readonly window: number;
  /** Whether the block of a row is replaced; undefined if the block at its height is not known. */
  isReplaced(row: Pick<Row, "height" | "hash">): boolean | undefined;
}

/** What a page, or all pages of a poll change. */
export interface Taken<Of extends Row> {
  readonly ledger: Ledger;
  /** Rows to count, oldest first. */
  readonly counted: readonly Of[];
  /** Counted rows that are on no block any more. */
  readonly reverted: readonly Row[];
  /** Reverted rows that are on a block again. They do not count again. */
  readonly restored: readonly Of[];
}

/** Below every row. */
export const BOTTOM: Position = { height: -1, index: -1 };

/** Above every row up to a height. */
export const endOf = (height: number): Position => ({ height, index: Number.MAX_SAFE_INTEGER });

/** The position of a row. */
export const positionOf = ({ height, index }: Position): Position => ({ height, index });

/** A ledger that counts what is above a position. */
export const ledgerFrom = (floor: Position): Ledger => ({
  floor,
  recent: [],
  doubtful: [],
  reverted: [],
  isFar: false,
});

/**
 * The greatest height that does not count in a list that is read for the first time. Without a chain, nothing that is
 * listed counts. @param rows newest first
 */
export const startOf = ({ start }: Pick<View, "start">, rows: readonly Row[]): number => start ?? rows[0]?.height ?? -1;

/**
 * A ledger that counts what gets its confirmations from now on.
 * @param rows the newest rows, newest first. Those that are settled never count.
 */
export function ledgerFromNow(rows: readonly Row[], view: Pick<View, "start">): Ledger {
  const start = startOf(view, rows);
  const old = rows.filter(({ height }) => height <= start).toReversed();
  return {
    ...ledgerFrom(endOf(start)),
    recent: old.map((row) => entryOf(row, true)),
  };
}

/** What the ledger keeps of a row. */
const entryOf = ({ id, hash, height, index }: Row, isOld = false): Row => ({
  id,
  hash,
  height,
  index,
  ...(isOld ? { isOld } : {}),
});

/** The ledger for a list of an operation. Without validators and pages if another one returned the list before. */
export const ledgerOf = (ledger: Ledger, operation: string): Ledger =>
  ledger.operation === operation
    ? ledger
    : { ...ledger, operation, etag: undefined, next: undefined, place: undefined };

/** Chain order, oldest first. */
export const byPosition = (a: Position, b: Position): number => a.height - b.height || a.index - b.index;

/** Whether one is newer than another. */
export const isAbove = (a: Position, b: Position): boolean => byPosition(a, b) > 0;

/** Everything at or below it is read, or never counts. */
export function cursorOf({ recent, floor }: Ledger): Position {
  const newest = recent.at(-1);
  return newest !== undefined && isAbove(newest, floor) ? newest : floor;
}

/**
 * The ledger without the rows that a fork has replaced. The cursor falls to the newest row below them, not to the
 * fork: the new branch can have rows where the old one had none. A floor further above the tip than a fork can bring
 * it, which a wrong tip has left, falls to the newest known row.
 */
export function rewound(ledger: Ledger, view: View): Ledger {
  const { recent } = ledger;
  let first = recent.findIndex((entry) => entry.height > view.tip || view.isReplaced(entry) === true);
  // The fork may begin below the blocks that the view knows. A row that is still on the chain is read again.
  for (let below = recent[first - 1]; below && view.isReplaced(below) === undefined; below = recent[first - 1])
    first -= 1;
  const left = first < 0 ? ledger : withoutFrom(ledger, first);
  if (left.floor.height <= view.tip + view.window) return left;
  return { ...left, floor: positionOf(left.recent.at(-1) ?? endOf(view.start ?? -1)) };
}

/** The ledger in which every row above the floor whose block is known has to be read again. */
export function doubted(ledger: Ledger, view: View): Ledger {
  const first = ledger.recent.findIndex((row) => isAbove(row, ledger.floor) && view.isReplaced(row) === false);
  return { ...(first < 0 ? ledger : withoutFrom(ledger, first)), etag: undefined };
}

/** The ledger in which the rows from this one on are doubtful. */
function withoutFrom(ledger: Ledger, first: number): Ledger {
  const gone = ledger.recent.slice(first);
  return {
    ...ledger,
    recent: ledger.recent.slice(0, first),
    doubtful: [...ledger.doubtful, ...gone],
    etag: undefined,
    next: undefined,
    place: ledger.place && { ...ledger.place, below: ledger.place.below - gone.length },
  };
}

/** Whether a page shows every row between the cursor and its own newest row. */
export function reaches(page: Page<Row>, ledger: Ledger): boolean {
  const cursor = cursorOf(ledger);
  const below = page.next ?? page.rows.at(-1);
  return page.isLast || (below !== undefined && !isAbove(below, cursor));
}

/** Whether a newest page ends below the cursor: the server is behind, and what the page lacks proves nothing. */
export function isBehind({ rows }: Page<Row>, { recent }: Ledger): boolean {
  const [newest, cursor] = [rows[0], recent.at(-1)];
  return cursor !== undefined && (newest === undefined || isAbove(cursor, newest));
}

/** A row of a page that has the id or the position of another one: only one of them would count. */
export const repeatedRow = (rows: readonly Row[]): Row | undefined =>
  rows.find((row, at) => rows.findIndex((one) => one.id === row.id || byPosition(one, row) === 0) < at);

/** The settled row of a page whose block another one has replaced: the server is behind, or on another chain. */
export const replacedRow = <Of extends Row>({ rows }: Page<Of>, ledger: Ledger, view: View): Of | undefined =>
  rows.find((row) => row.height <= view.depth && isAbove(row, ledger.floor) && view.isReplaced(row) === true);

/** The rows of a page that would count, oldest first. */
export function newRows<Of extends Row>(page: Page<Of>, ledger: Ledger, { depth }: View): readonly Of[] {
  const { recent, doubtful, reverted } = ledger;
  const known = new Set([...recent, ...doubtful, ...reverted].map(({ id }) => id));
  return page.rows
    .filter((row) => isAbove(row, cursorOf(ledger)) && row.height <= depth && !row.isOld && !known.has(row.id))
    .toReversed();
}

/**
 * The ledger after a page that reaches the cursor and has no replaced row. Rows above the depth are not remembered:
 * they are on the page again next time.
 * @param held the oldest row that waits for its details: it and those above it are left for later
 */
export function taken<Of extends Row>(page: Page<Of>, ledger: Ledger, view: View, held?: Position): Taken<Of> {
  const fresh = page.rows.filter((row) => isAbove(row, cursorOf(ledger))).toReversed();
  const isFree = (row: Row) => held === undefined || isAbove(held, row);
  const settled = fresh.filter((row) => row.height <= view.depth && isFree(row));
  const known = new Map([...ledger.reverted, ...ledger.doubtful, ...ledger.recent].map((row) => [row.id, row]));
  const wasOld = (row: Row) => row.isOld || known.get(row.id)?.isOld;
  const moved = new Set(settled.map(({ id }) => id));
  const left = (rows: readonly Row[]) => rows.filter(({ id }) => !moved.has(id));
  const gone = page.isTop ? lost(left(ledger.doubtful), page, view) : [];
  const after = {
    ...ledger,
    recent: [...left(ledger.recent), ...settled.map((row) => entryOf(row, wasOld(row)))],
    doubtful: left(ledger.doubtful).filter((row) => !gone.includes(row)),
    reverted: [...left(ledger.reverted), ...gone],
    isFar: ledger.isFar && !page.isTop,
  };
  return {
    ledger: {
      ...pruned(after, view),
      place: placeOf(page, after, settled.length),
      etag: held === undefined ? validatorOf(page, after, view) : undefined,
    },
    counted: settled.filter(({ id, isOld }) => !isOld && !known.has(id)),
    reverted: gone.filter(({ isOld }) => isOld !== true),
    restored: settled.filter((row) => !wasOld(row) && ledger.reverted.some(({ id }) => id === row.id)),
  };
}

/** Doubtful rows that the newest page lacks, of blocks that the chain has replaced with confirmations. */
function lost(doubtful: readonly Row[], { rows }: Page<Row>, view: View): readonly Row[] {
  const listed = new Set(rows.map(({ id }) => id));
  return doubtful.filter((row) => row.height <= view.depth && !listed.has(row.id) && view.isReplaced(row) !== false);
}

/** Unread rows above the cursor, by the totals of the list; at least 1 if there are some. */
export const unreadOf = ({ isFar, place }: Ledger): number =>
  isFar ? Math.max(1, place ? place.total - place.below : 1) : 0;

/** The ledger without what no fork can replace any more. The floor takes the place of what is forgotten. */
function pruned(ledger: Ledger, { tip, window }: View): Ledger {
  const isForgotten = ({ height }: Row) => height <= tip - window;
  const floor = ledger.recent.findLast((row) => isForgotten(row) && isAbove(row, ledger.floor));
  const kept = ledger.recent.filter((row) => !isForgotten(row));
  const cursor = cursorOf(ledger);
  return {
    ...ledger,
    floor: positionOf(floor ?? ledger.floor),
    // The last one stays: its id and hash show whether the validator of a page is that of a read list.
    recent: kept.length === 0 ? ledger.recent.slice(-1) : kept,
    reverted: ledger.reverted.filter(({ height }) => height > cursor.height - window),
  };
}

function placeOf({ rows, offset, total }: Page<Row>, { recent, place }: Ledger, settled: number): Place | undefined {
  if (offset === undefined || total === undefined)
    return place && { ...place, below: place.below + settled, total: total ?? place.total };
  const cursor = recent.at(-1);
  const index = rows.findIndex(({ id }) => id === cursor?.id);
  return { below: index < 0 ? 0 : total - offset - index, total };
}

/**
 * The validator of a page, if a 304 later means that nothing has to be read: the newest row is the newest counted one,
 * in the same block, or older than every fork. A row above the depth can move in a fork and keep the validator.
 */
function validatorOf({ isTop, rows, etag }: Page<Row>, ledger: Ledger, { tip, window }: View): string | undefined {
  const [newest, counted] = [rows[0], ledger.recent.at(-1)];
  if (!isTop || newest === undefined || ledger.isFar || ledger.doubtful.length > 0) return undefined;
  const isCounted = newest.id === counted?.id && newest.hash === counted.hash;
  return isCounted || newest.height <= tip - window ? etag : undefined;
}
