// Reads a list into its ledger. A page is used by itself or not at all, so a list that changes between two pages does
// no harm, and every request makes progress: with one request per poll, a backlog is still read.
import { ApiError, isShortage, type Reason } from "../api/errors.ts";
import type { Operation } from "../api/operation.ts";
import {
  BOTTOM,
  byPosition,
  cursorOf,
  endOf,
  isBehind,
  type Ledger,
  ledgerFrom,
  ledgerFromNow,
  ledgerOf,
  newRows,
  type Page,
  type Position,
  type Row,
  reaches,
  repeatedRow,
  replacedRow,
  rewound,
  startOf,
  type Taken,
  taken,
  type View,
} from "./ledger.ts";

/** A list that an operation returns. */
export interface List<Of extends Row> {
  readonly operation: Pick<Operation, "name" | "path">;
  /** Reads the newest page; undefined if the list has not changed since the response with this validator. */
  newest(etag?: string): Promise<Page<Of> | undefined>;
  /** Reads the page with this number of rows above it. Present if the list has offsets. */
  readonly atOffset?: (offset: number) => Promise<Page<Of>>;
  /** Reads the page that begins at a cursor, or at the first row at or below a position. */
  readonly atCursor?: (cursor: string | Position) => Promise<Page<Of>>;
}

/** The result of a poll of a list. */
export interface ReadResult<Of extends Row> extends Taken<Of> {
  /** False if the first poll of the list ended before it knew where to begin: the next one is the first again. */
  readonly isStarted: boolean;
  /** Every row with its confirmations is read, and has its details. */
  readonly isUpToDate: boolean;
  /** Rows are skipped: the list has neither offsets nor cursors, and ends above the known ones. */
  readonly isSkipped: boolean;
  /** The newest pages, from the newest one down; none if they have not changed, or were not read. */
  readonly pages: readonly Page<Of>[];
}

/** Finds the places of rows. */
export interface Placer<Of extends Row> {
  /**
   * The rows of a page down to the newest known one, with their places. Without the newest ones if those cannot be
   * placed now; `isWhole` is false then.
   */
  place(rows: readonly Of[], ledger: Ledger): Promise<{ readonly rows: readonly Of[]; readonly isWhole: boolean }>;
  /** What the placer of the next poll needs. */
  readonly kept?: unknown;
  /** Requests what an earlier poll could not, before the list is read; returns whether it got a response. */
  prepare(): Promise<boolean>;
}

/** What a poll reads. */
export interface ReadInput<Of extends Row> {
  /** Maximum number of requests. */
  readonly requests: number;
  readonly list: List<Of>;
  /** Undefined for a list that is read for the first time: what is settled now never counts. */
  readonly ledger: Ledger | undefined;
  readonly view: View;
  /** Whether rows from before the first poll count. @default false */
  readonly isBackfilled?: boolean | undefined;
  /** Finds the places of the rows of a list that does not have them. @default the list has them */
  readonly placer?: Placer<Of> | undefined;
  /** Reads what the list lacks of rows. Returns the first ones that are complete; the others wait. */
  readonly complete?: ((rows: readonly Of[]) => Promise<readonly Of[]>) | undefined;
  /** The newest pages are read first, down to such a row. @default one of them, if nothing older is unread */
  readonly newestDownTo?: ((row: Of) => boolean) | undefined;
}

type Pages<Of extends Row> = readonly [newest: Page<Of>, ...lower: Page<Of>[]];

// While older rows are unread. More than the transactions of a minute.
const NEWEST_PAGES = 4;

/**
 * Reads what is new in a list. What the budget leaves unread is read by later polls.
 * @throws ApiError `behind` if the server lists a block that the chain has replaced, or ends below the cursor
 */
export async function readList<Of extends Row>(input: ReadInput<Of>): Promise<ReadResult<Of>> {
  const reader = new Reader(input);
  await reader.read();
  return reader.result;
}

class Reader<Of extends Row> {
  readonly #input: ReadInput<Of>;
  readonly #view: View;
  #ledger: Ledger;
  #isFirst: boolean;
  #pages: readonly Page<Of>[] = [];
  /** Pages of this poll that do not reach the cursor yet, the newest one first. */
  #above: readonly Page<Of>[] = [];
  #taken: Omit<Taken<Of>, "ledger"> = { counted: [], reverted: [], restored: [] };
  #isSkipped = false;
  /** A page is used, so that a shortage of the budget is no failure. */
  #isUsed = false;
  /** A row waits for its details: nothing above it can be taken now. */
  #isHeld = false;
  /** Nothing is left to read now. */
  #isDone = false;
  /** A page that begins so many rows above the cursor contains the cursor, even if a row arrives meanwhile. */
  #step: number;

  constructor(input: ReadInput<Of>) {
    this.#input = input;
    this.#view = input.view;
    this.#isFirst = input.ledger === undefined;
    const { list, ledger = ledgerFrom(BOTTOM) } = input;
    const known = rewound(ledgerOf(ledger, list.operation.name), this.#view);
    // The list of another server may have no pages between the cursor and the newest one.
    this.#ledger = { ...known, isFar: known.isFar && (list.atOffset ?? list.atCursor) !== undefined };
    this.#step = this.#ledger.place?.step ?? 48;
  }

  get result(): ReadResult<Of> {
    const { place } = this.#ledger;
    return {
      isStarted: !this.#isFirst,
      isUpToDate: this.#isDone && !this.#isHeld,
      ledger: { ...this.#ledger, place: place && { ...place, step: this.#step } },
      pages: this.#pages,
      isSkipped: this.#isSkipped,
      ...this.#taken,
    };
  }

  async read(): Promise<void> {
    const { newestDownTo, requests, placer } = this.#input;
    const { isFar } = this.#ledger;
    if (await placer?.prepare()) this.#isUsed = true;
    if (newestDownTo !== undefined) this.#isDone = await this.#readNewest(isFar ? NEWEST_PAGES : requests);
    let left = isFar ? requests : Math.max(1, requests - this.#pages.length);
    for (; left > 0 && !this.#isDone && !this.#isHeld; left -= 1) {
      try {
        this.#isDone = await (this.#ledger.isFar ? this.#climb() : this.#readNewest());
      } catch (error) {
        // The pages before are used. If the cause lasts, the next poll fails.
        const isPartial = isShortage(error) ? this.#isUsed : this.#taken.counted.length > 0;
        if (!isPartial || !(error instanceof ApiError)) throw error;
        return;
      }
    }
  }

  /** Reads the newest page, and those below it down to the wanted row; true if nothing is left to read. */
  async #readNewest(max = 1): Promise<boolean> {
    const { list, newestDownTo } = this.#input;
    const newest = await list.newest(this.#ledger.etag);
    this.#isUsed = true;
    if (newest === undefined) return true;
    const pages: [Page<Of>, ...Page<Of>[]] = [newest];
    try {
      for (let page = newest; page.next !== undefined && pages.length < max; pages.push(page)) {
        const lower = page.rows.some((row) => newestDownTo?.(row)) ? undefined : await list.atCursor?.(page.next);
        if (lower === undefined) break;
        page = lower;
      }
    } catch (error) {
      if (!isShortage(error)) throw error;
    }
    return this.#use(pages);
  }

  /** Uses the newest pages; true if nothing is left to read. */
  async #use(pages: Pages<Of>): Promise<boolean> {
    const [newest] = pages;
    this.#pages = pages;
    this.#fitStep(newest);
    const isFirst = this.#isFirst;
    // Such a list begins at the depth, which is not known yet.
    if (isFirst && this.#input.placer !== undefined && this.#view.start === undefined) return true;
    if (isFirst) this.#ledger = { ...(await this.#started(pages)), operation: this.#input.list.operation.name };
    this.#isFirst = false;
    if (isBehind(newest, this.#ledger)) throw this.#error("behind", "the list ends below what was counted");
    this.#above = pages;
    if (await this.#takeAbove()) return true;
    const { isFar, recent, next, place } = this.#ledger;
    const { atOffset, atCursor } = this.#input.list;
    if (!isFirst && !isFar && (atOffset ?? atCursor) === undefined)
      return this.#take({ ...newest, isLast: true }, true);
    // Without a known row, nothing may be at or below the cursor: the way to the lowest page is down.
    // A fork can make the list as it was at the time of its validator. A 304 would leave it unread.
    const start = recent.length === 0 ? pages.at(-1)?.next : undefined;
    const placed = place && { ...place, total: newest.total ?? place.total };
    this.#ledger = { ...this.#ledger, isFar: true, next: isFar ? next : start, etag: undefined, place: placed };
    return false;
  }

  /** The ledger of a list that is read for the first time. */
  async #started(pages: Pages<Of>): Promise<Ledger> {
    const rows = pages.flatMap((page) => page.rows);
    // The newest row with confirmations is enough to know where to begin.
    const placed = await this.#input.placer?.place(rows, ledgerFrom(endOf(startOf(this.#view, rows))));
    if (placed === undefined && this.#input.isBackfilled)
      return { ...ledgerFrom(BOTTOM), place: { below: 0, total: 0 } };
    return ledgerFromNow(placed?.rows ?? rows, this.#view);
  }

  /** Takes the pages of this poll that reach the cursor now, from the lowest one up; true if all of them do. */
  async #takeAbove(): Promise<boolean> {
    for (let page = this.#above.at(-1); page !== undefined && (await this.#take(page)); page = this.#above.at(-1)) {
      this.#above = this.#above.slice(0, -1);
    }
    return this.#above.length === 0;
  }

  #error(reason: Reason, message: string): ApiError {
    return new ApiError(reason, this.#input.list.operation.name, message);
  }

  /** Whether a row is above the cursor. */
  readonly #isFresh = (row: Row) => byPosition(row, cursorOf(this.#ledger)) > 0;

  /** Takes a page that reaches the cursor; false if it does not. @param isGap rows below it may be skipped */
  async #take(listed: Page<Of>, isGap = false): Promise<boolean> {
    if (!reaches(listed, this.#ledger)) return false;
    const placed = await this.#input.placer?.place(listed.rows, this.#ledger);
    const isWhole = placed?.isWhole !== false;
    const page = placed === undefined ? listed : { ...listed, rows: placed.rows, isTop: listed.isTop && isWhole };
    // Its places show whether it ends above the cursor.
    this.#isSkipped = isGap && page.rows.slice(-1).some(this.#isFresh);
    // Older rows can share a position: before Nakamoto, the index began again in each microblock of a block.
    const repeated = repeatedRow(page.rows.filter(this.#isFresh));
    if (repeated !== undefined)
      throw this.#error("bad_body", `the list has a row or an index of block ${repeated.height} twice`);
    const replaced = replacedRow(page, this.#ledger, this.#view);
    if (replaced !== undefined) throw this.#error("behind", `block ${replaced.height} of the list is not canonical`);
    const wanted = newRows(page, this.#ledger, this.#view);
    const complete = (await this.#input.complete?.(wanted)) ?? wanted;
    const held = wanted[complete.length];
    this.#isHeld = held !== undefined || !isWhole;
    const byId = new Map(complete.map((row) => [row.id, row]));
    const whole = { ...page, rows: page.rows.map((row) => byId.get(row.id) ?? row) };
    const { ledger, counted, reverted, restored } = taken(whole, this.#ledger, this.#view, held);
    const before = this.#taken;
    this.#ledger = ledger;
    this.#taken = {
      counted: [...before.counted, ...counted],
      reverted: [...before.reverted, ...reverted],
      restored: [...before.restored, ...restored],
    };
    return true;
  }

  /** Reads one page near the cursor; true if nothing is left to read now. */
  async #climb(): Promise<boolean> {
    const { atCursor, atOffset } = this.#input.list;
    const isDone = atCursor
      ? await this.#climbByCursor(atCursor)
      : atOffset === undefined || (await this.#climbByOffset(atOffset));
    return (this.#above.length > 0 && (await this.#takeAbove())) || isDone;
  }

  async #climbByCursor(atCursor: NonNullable<List<Of>["atCursor"]>): Promise<boolean> {
    const { next } = this.#ledger;
    const page = await atCursor(next ?? cursorOf(this.#ledger));
    this.#isUsed = true;
    if (next === undefined && page.rows.length === 0) {
      // The row at the cursor was invented, and none is below it: the lowest page is found from the newest one down.
      this.#ledger = { ...this.#ledger, next: endOf(this.#view.depth) };
      return false;
    }
    const isDone = next !== undefined && this.#isSettled(page);
    // Without a page above, the newest page reaches the cursor.
    if (next === undefined || (await this.#take(page))) {
      if (!this.#isHeld) this.#ledger = { ...this.#ledger, next: page.newer, isFar: page.newer !== undefined };
      return isDone;
    }
    this.#ledger = { ...this.#ledger, next: page.next };
    return false;
  }

  /** Whether a page has rows above the cursor, of which none has its confirmations. */
  #isSettled({ rows }: Page<Of>): boolean {
    const fresh = rows.filter(this.#isFresh);
    return fresh.length > 0 && fresh.every(({ height }) => height > this.#view.depth);
  }

  // A server can list fewer rows than requested.
  #fitStep({ rows, isLast }: Page<Of>): void {
    if (!isLast) this.#step = Math.max(1, rows.length - 2);
  }

  async #climbByOffset(atOffset: NonNullable<List<Of>["atOffset"]>): Promise<boolean> {
    const total = this.#pages[0]?.total ?? this.#ledger.place?.total ?? 0;
    const below = this.#ledger.place?.below ?? total - 2 * this.#step;
    const offset = Math.max(0, total - below - this.#step);
    if (offset === 0) {
      const isDone = await this.#readNewest();
      // It is more than a page above the cursor: the number of rows up to the cursor is wrong.
      const listed = this.#pages[0]?.total ?? total;
      if (!isDone) this.#ledger = { ...this.#ledger, place: { below: below - this.#step, total: listed } };
      return isDone;
    }
    const page = await atOffset(offset);
    this.#isUsed = true;
    this.#fitStep(page);
    const isFresh = page.rows.some(this.#isFresh);
    const isDone = this.#isSettled(page);
    const isReached = await this.#take(page);
    if (isReached && isFresh) return isDone;
    // Too low or too high: the number of rows up to the cursor is wrong, unless the list has just grown. A page past
    // the end has the total 0, and so has a list of which no page was read: its newest rows are the nearest guess.
    const totalNow = page.rows.length === 0 ? total : (page.total ?? total);
    const shift = total === 0 ? totalNow : totalNow !== total ? 0 : isReached ? this.#step : -this.#step;
    this.#ledger = { ...this.#ledger, place: { below: below + shift, total: totalNow } };
    return false;
  }
}
