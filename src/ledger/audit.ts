// The audit of a ledger: does a server list the rows that are counted? Reading notices neither a row that a server has
// invented in a real block, nor one that it has left out below its newest one. So the list is read again later, or from
// another upstream, as after a fork that has replaced all blocks: what is listed again has moved, the rest is new.
import { ApiError } from "../api/errors.ts";
import {
  BOTTOM,
  byPosition,
  cursorOf,
  doubted,
  endOf,
  isAbove,
  type Ledger,
  type Position,
  positionOf,
  type Row,
  type View,
} from "./ledger.ts";
import { type ReadInput, type ReadResult, readList } from "./read.ts";

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
   * was not completed.
   */
  readonly last: AuditSource & Position & { readonly isOpen: boolean };
  /** Ids of counted rows that it has not found. */
  readonly suspects: readonly string[];
}

/** The result of an audit, for self-metrics. */
export interface AuditReport {
  readonly mismatches: Readonly<Record<(typeof MISMATCHES)[number], number>>;
  /** Everything that is counted is listed, and the other way round. */
  readonly isClean: boolean;
}

/** What decides on audits. */
export interface AuditOptions {
  /** Undefined before the first poll. */
  readonly audit: Audit | undefined;
  readonly source: AuditSource;
  /** Requests that the poll can still send. */
  readonly room: () => number;
  readonly onAudit?: ((report: AuditReport) => void) | undefined;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
// The rest of the budget is for polls.
const SHARE = 4;
const MAX_REQUESTS = 50;
// As many blocks as the follower knows at most.
const MAX_WINDOW = 1000;

/** The view in which nothing is forgotten before an audit has compared it, unless none succeeds for 1,000 blocks. */
const untilAudited = (view: View, audit: Audit | undefined): View =>
  audit === undefined
    ? view
    : { ...view, window: Math.max(view.window, Math.min(view.tip - audit.last.height + 1, MAX_WINDOW)) };

/**
 * Whether an audit is due: after a change of the upstream, an hour after an open one, a day after the last one, and
 * when a row that none has compared is as old as a window. Nothing is due without rows, or while nothing has its
 * confirmations.
 */
function isDue({ last }: Audit, { recent }: Ledger, view: View, { at, by }: AuditSource): boolean {
  const oldest = recent.find((row) => isAbove(row, last));
  const isOld = oldest !== undefined && oldest.height <= view.tip - view.window;
  const isTime = last.isOpen ? at - last.at >= HOUR : at - last.at >= DAY || isOld;
  return recent.length > 0 && view.depth >= 0 && (last.by !== by || isTime);
}

/**
 * Reads what is new in a list, as `readList` does, and audits the ledger if that is due. A list that ends below what is
 * counted is audited, too: what is counted can be invented.
 * @throws what `readList` throws, unless an audit has explained it
 */
export async function readAndAudit<Of extends Row>(
  input: ReadInput<Of>,
  { audit: known, source, room, onAudit }: AuditOptions,
): Promise<ReadResult<Of> & { readonly audit: Audit }> {
  const { list, ledger: before } = input;
  const view = untilAudited(input.view, known);
  let behind: ApiError | undefined;
  const result = await readList({ ...input, view }).catch((error: unknown): ReadResult<Of> => {
    if (before === undefined || !(error instanceof ApiError) || error.reason !== "behind") throw error;
    behind = error;
    const nothing = { counted: [], reverted: [], restored: [], isSkipped: false, pages: [] };
    return { ...nothing, isStarted: true, isUpToDate: true, ledger: before };
  });
  const cursor = cursorOf(result.ledger);
  const audit = known ?? { last: { ...source, ...positionOf(cursor), isOpen: false }, suspects: [] };
  const requests = Math.min(MAX_REQUESTS, Math.floor(room() / SHARE));
  // A list without offsets and cursors ends at a known row. Nothing counts before the list has begun.
  const isPossible = requests > 0 && (list.atCursor ?? list.atOffset) !== undefined && result.isStarted;
  const isWanted = isPossible && result.isUpToDate && isDue(audit, result.ledger, input.view, source);
  const again = isWanted ? await readAgain({ ...input, requests, ledger: result.ledger, view }) : undefined;
  if (again === undefined) {
    if (behind !== undefined) throw behind;
    // What was not completed is due again in an hour.
    return { ...result, audit: isWanted ? { ...audit, last: { ...audit.last, ...source, isOpen: true } } : audit };
  }
  // Newer rows stay due for the next audit: the server that listed them may still list the same wrong rows.
  const half = endOf(input.view.tip - input.view.window / 2);
  const upTo = [cursor, cursorOf(before ?? result.ledger), half].toSorted(byPosition)[0] ?? cursor;
  const done = compared(again, { audit, source, view: input.view, cursor, upTo });
  onAudit?.(done);
  return {
    ...result,
    ledger: done.result.ledger,
    counted: [...result.counted, ...done.result.counted],
    reverted: [...result.reverted, ...done.result.reverted],
    restored: [...result.restored, ...done.result.restored],
    audit: done.audit,
  };
}

/** Reads the list as if a fork had replaced every row; undefined if it cannot be read to its newest row now. */
async function readAgain<Of extends Row>(input: ReadInput<Of> & { readonly ledger: Ledger }) {
  const { ledger, view } = input;
  try {
    const result = await readList({ ...input, ledger: doubted(ledger, view) });
    return result.isUpToDate ? result : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

interface Comparison {
  readonly audit: Audit;
  readonly source: AuditSource;
  readonly view: View;
  /** The cursor before the audit. */
  readonly cursor: Position;
  /** Nothing at or below has to be compared again if the audit finds no mismatch. */
  readonly upTo: Position;
}

/** What an audit has found. Rows that it has not found count again, and are reverted if it is the second one. */
function compared<Of extends Row>(
  { ledger, ...result }: ReadResult<Of>,
  { audit, source, view, cursor, upTo }: Comparison,
): AuditReport & { readonly result: ReadResult<Of>; readonly audit: Audit } {
  const absent = ledger.doubtful.filter((row) => view.isReplaced(row) === false);
  // What is above its newest row proves only that a server is behind, unless no fork can replace it any more.
  const top = result.pages[0]?.rows.find(({ height }) => height <= view.depth) ?? BOTTOM;
  const isProven = (row: Row) => isAbove(top, row) || row.height <= view.tip - view.window;
  const isSuspect = ({ id }: Row) => audit.suspects.includes(id);
  const gone = absent.filter((row) => isSuspect(row) && isProven(row));
  const kept = absent.filter((row) => !gone.includes(row));
  const suspects = kept.filter((row) => isSuspect(row) || isProven(row));
  const late = result.counted.filter((row) => !isAbove(row, cursor));
  const isClean = [absent, late, result.restored].every(({ length }) => length === 0);
  const [compared = upTo] = [upTo, ...absent].toSorted(byPosition);
  return {
    result: {
      ...result,
      reverted: [...result.reverted, ...gone.filter(({ isOld }) => isOld !== true)],
      ledger: {
        ...ledger,
        recent: [...ledger.recent, ...kept].toSorted(byPosition),
        doubtful: ledger.doubtful.filter((row) => !absent.includes(row)),
        reverted: [...ledger.reverted, ...gone],
        place: ledger.place && { ...ledger.place, below: ledger.place.below + kept.length },
      },
    },
    audit: { last: { ...source, ...positionOf(compared), isOpen: !isClean }, suspects: suspects.map(({ id }) => id) },
    mismatches: { unlisted: suspects.filter((row) => !isSuspect(row)).length, uncounted: late.length },
    isClean,
  };
}
