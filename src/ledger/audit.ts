// The audit of a ledger: does a server list the rows that are counted? Reading notices neither a row that a server has
// invented in a real block, nor one that it has left out below its newest one. So the newest confirmed blocks are read
// again, later or from another upstream, and compared.
import { ApiError, isShortage } from "../api/errors.ts";
import {
  BOTTOM,
  below,
  byPosition,
  cursorOf,
  type Ledger,
  ledgerFrom,
  type Page,
  type Position,
  type Row,
  replacedRow,
  type Taken,
  taken,
  type View,
} from "./ledger.ts";
import type { List, Place } from "./read.ts";

/** Kinds of mismatch: a counted row that is not listed, and a listed row that was not counted. */
export const MISMATCHES = ["unlisted", "uncounted"] as const;

/** The time of an audit, Unix time in milliseconds, and the upstream that it reads. */
export interface AuditSource {
  readonly at: number;
  readonly by: string;
}

/** What the next audit of a ledger needs. Plain data. */
export interface Audit {
  /**
   * The last one, and the position up to which nothing has to be compared again. `isOpen`: it has found a mismatch, or
   * has not compared everything.
   */
  readonly last: AuditSource & Position & { readonly isOpen: boolean };
  /** Counted rows that an audit has not found. */
  readonly suspects: readonly (AuditSource & { readonly row: Row })[];
}

/** The result of an audit: rows to count late, and rows that two audits have not found. */
export interface Audited<Of extends Row> extends Taken<Of> {
  readonly audit: Audit;
  readonly mismatches: Readonly<Record<(typeof MISMATCHES)[number], number>>;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const isAbove = (a: Position, b: Position): boolean => byPosition(a, b) > 0;
const positionOf = ({ height, index }: Position): Position => ({ height, index });
const rowOf = ({ id, hash, height, index }: Row): Row => ({ id, hash, height, index });
const idsOf = (rows: readonly Row[]): ReadonlySet<string> => new Set(rows.map(({ id }) => id));

/** The audits of a ledger that is new: the first one is due later. */
export const auditFrom = (ledger: Ledger, source: AuditSource): Audit => ({
  last: { ...source, ...positionOf(cursorOf(ledger)), isOpen: false },
  suspects: [],
});

// As many blocks as the follower knows at most.
const MAX_WINDOW = 1000;

/** The view in which nothing is forgotten before an audit has compared it, unless none succeeds for 1,000 blocks. */
export const untilAudited = (view: View, audit: Audit | undefined): View =>
  audit === undefined
    ? view
    : { ...view, window: Math.max(view.window, Math.min(view.tip - audit.last.height + 1, MAX_WINDOW)) };

/**
 * Whether an audit is due: after a change of the upstream, an hour after a mismatch, a day after the last one, and when
 * half of the blocks that a fork can replace have passed since a row was counted. Nothing is due without rows, or while
 * nothing has its confirmations.
 */
export function isAuditDue({ last }: Audit, { recent }: Ledger, view: View, { at, by }: AuditSource): boolean {
  const isTime = at - last.at >= (last.isOpen ? HOUR : DAY);
  const oldest = recent.find((row) => isAbove(row, last));
  const isHalf = oldest !== undefined && oldest.height <= view.tip - view.window / 2;
  return recent.length > 0 && view.depth >= 0 && (last.by !== by || isTime || isHalf);
}

/** What is compared. */
export interface AuditInput {
  readonly ledger: Ledger;
  readonly audit: Audit;
  readonly view: View;
  readonly source: AuditSource;
  /** The cursor before this poll. What it has counted has to be compared again: the same server has listed it. */
  readonly before: Position;
}

/**
 * Reads the newest confirmed blocks of a list and compares them with its ledger.
 * @param requests their maximum number; with fewer than needed, only newer blocks are compared
 * @throws ApiError of the first request; `behind` if the server lists a block that the chain has replaced
 */
export async function auditList<Of extends Row>(
  list: List<Of>,
  requests: number,
  { place, ...input }: AuditInput & { readonly place?: Place<Of> | undefined },
): Promise<Audited<Of>> {
  const { ledger, audit, view } = input;
  const rows = new Map<string, Of>();
  const { window } = untilAudited(view, audit);
  const lowest = Math.min(view.tip - window + 1, ...audit.suspects.map(({ row }) => row.height));
  let end: Position = { height: view.depth, index: Number.MAX_SAFE_INTEGER };
  let page: Page<Of> | undefined;
  for (let left = requests; left > 0 && end.height >= lowest; left -= 1) {
    const above = page?.rows.at(-1);
    try {
      page = await nextPage(list, page, end);
    } catch (error) {
      if (above === undefined || !isShortage(error)) throw error;
      break;
    }
    // The pages of a list with offsets overlap by a row, unless the list has changed.
    if (page === undefined || (above !== undefined && list.atOffset && page.rows[0]?.id !== above.id)) break;
    if (place !== undefined) page = { ...page, rows: await placed(page.rows, input, place) };
    const replaced = replacedRow(page, ledger, view);
    if (replaced !== undefined)
      throw new ApiError("behind", list.operation, `block ${replaced.height} of the list is not canonical`);
    for (const row of page.rows) rows.set(row.id, row);
    const { height, index } = page.rows.at(-1) ?? BOTTOM;
    end = page.isLast ? BOTTOM : (page.next ?? { height, index: index - 1 });
  }
  return audited([...rows.values()], end, input);
}

/** The rows of a list without places: those of known rows are kept, the others are found. */
async function placed<Of extends Row>(rows: readonly Of[], { ledger, audit }: AuditInput, place: Place<Of>) {
  const all = [...audit.suspects.map(({ row }) => row), ...ledger.recent];
  const known = new Map(all.map((row) => [row.id, row]));
  const unknown = rows.filter(({ id }) => !known.has(id));
  const found = unknown.length === 0 ? unknown : (await place(unknown, ledgerFrom(BOTTOM))).rows;
  const places = new Map(found.map((row) => [row.id, row]));
  return rows.flatMap((row) => {
    const at = known.get(row.id);
    return at === undefined ? (places.get(row.id) ?? []) : { ...row, ...rowOf(at) };
  });
}

function nextPage<Of extends Row>({ atCursor, atOffset, newest }: List<Of>, page: Page<Of> | undefined, end: Position) {
  if (atCursor !== undefined) return atCursor(end);
  return page === undefined ? newest() : atOffset?.((page.offset ?? 0) + page.rows.length - 1);
}

/**
 * Compares the listed rows, newest first, with a ledger. Pure.
 * @param end every listed row above this position is among the rows
 */
export function audited<Of extends Row>(rows: readonly Of[], end: Position, input: AuditInput): Audited<Of> {
  const { ledger, audit, view, source } = input;
  const cursor = cursorOf(ledger);
  const [ids, replaced] = [idsOf(rows), idsOf([...ledger.doubtful, ...ledger.reverted])];
  const suspects = new Map(audit.suspects.flatMap((one) => (replaced.has(one.row.id) ? [] : [[one.row.id, one]])));
  const all = [...[...suspects.values()].map(({ row }) => row), ...ledger.recent];
  const known = [...new Map(all.map((row) => [row.id, row])).values()].toSorted(byPosition);
  const compared = known.filter((row) => isAbove(row, end));
  const listed = rows.filter((row) => row.height <= view.depth);
  // As after a fork that has replaced the compared blocks: what is listed again has moved, the rest is new.
  const { ledger: after, ...result } = taken<Of>(
    { rows: listed.filter((row) => !isAbove(row, cursor)), isTop: false, isLast: false },
    {
      ...ledger,
      recent: known.filter((row) => !isAbove(row, end)),
      doubtful: [...ledger.doubtful, ...compared],
      place: ledger.place && { ...ledger.place, below: ledger.place.below - compared.length },
    },
    view,
  );

  // What is above its newest row proves only that a server is behind, unless no fork can replace it any more.
  const top = listed[0] ?? BOTTOM;
  const isProven = (row: Row) => isAbove(top, row) || row.height <= view.tip - view.window;
  const isConfirmed = ({ id }: Row) => {
    const suspect = suspects.get(id);
    return suspect !== undefined && (suspect.by !== source.by || source.at - suspect.at >= HOUR);
  };
  const absent = compared.filter(({ id }) => !ids.has(id));
  const unlisted = absent.filter(isProven);
  const gone = unlisted.filter(isConfirmed);
  const kept = absent.filter((row) => !gone.includes(row));
  const found = unlisted.filter(({ id }) => !suspects.has(id));
  const [absentIds, closed] = [idsOf(absent), idsOf([...gone, ...compared.filter(({ id }) => ids.has(id))])];
  const open = [...suspects.values()].filter(({ row }) => !closed.has(row.id));
  const isChanged = result.counted.length + result.restored.length + gone.length > 0;
  // What it has not listed, or has reverted, can be listed again.
  const [upTo = cursor] = [cursor, input.before, ...absent.slice(0, 1).map(below)].toSorted(byPosition);
  const isClean = !isChanged && absent.length === 0 && compared.length === known.length;
  return {
    ledger: isChanged
      ? {
          ...after,
          recent: [...after.recent, ...kept].toSorted(byPosition),
          doubtful: after.doubtful.filter(({ id }) => !absentIds.has(id)),
          reverted: [...after.reverted, ...gone],
          place: after.place && { ...after.place, below: after.place.below + kept.length },
        }
      : ledger,
    counted: result.counted,
    reverted: gone.filter(({ isOld }) => isOld !== true),
    restored: result.restored,
    audit: {
      last: { ...source, ...positionOf(upTo), isOpen: !isClean },
      suspects: [...open, ...found.map((row) => ({ row, ...source }))],
    },
    mismatches: { unlisted: found.length, uncounted: result.counted.length },
  };
}
