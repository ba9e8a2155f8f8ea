// Audits what a collector has counted, when that is due and the budget has requests to spare.
import { ApiError } from "../../api/errors.ts";
import {
  type Audit,
  type Audited,
  type AuditInput,
  type AuditSource,
  auditFrom,
  auditList,
  isAuditDue,
  type MISMATCHES,
} from "../../ledger/audit.ts";
import { cursorOf, type Ledger, type Row, rewound, type View } from "../../ledger/ledger.ts";
import type { List, Place, ReadResult } from "../../ledger/read.ts";

/** The result of an audit, for self-metrics. */
export interface AuditReport {
  readonly mismatches: Readonly<Record<(typeof MISMATCHES)[number], number>>;
  /** Everything that is counted is listed, and the other way round. */
  readonly isClean: boolean;
}

interface AuditPoll<Of extends Row> {
  readonly list: List<Of>;
  /** Before the poll. */
  readonly ledger: Ledger | undefined;
  readonly audit: Audit | undefined;
  readonly view: View;
  readonly source: AuditSource;
  /** Requests that the poll can still send. */
  readonly room: () => number;
  /** Reads what the list lacks of rows. Returns the first ones that are complete. */
  readonly complete: (rows: readonly Of[]) => Promise<readonly Of[]>;
  /** Finds the places of the rows of a list that does not have them. */
  readonly place?: Place<Of> | undefined;
  readonly onAudit?: ((report: AuditReport) => void) | undefined;
}

// The rest of the budget is for polls.
const SHARE = 4;
const MAX_REQUESTS = 50;

/**
 * Reads a list, and audits its ledger if that is due. A list that ends below what is counted is audited, too: what is
 * counted can be invented. An audit that fails is due again at the next poll.
 * @throws what `read` throws, unless an audit has explained it
 */
export async function readAndAudit<Of extends Row>(
  read: () => Promise<ReadResult<Of>>,
  poll: AuditPoll<Of>,
): Promise<ReadResult<Of> & { readonly audit: Audit }> {
  const { view, source, onAudit } = poll;
  let behind: ApiError | undefined;
  const result = await read().catch((error: unknown): ReadResult<Of> => {
    if (poll.ledger === undefined || !(error instanceof ApiError) || error.reason !== "behind") throw error;
    behind = error;
    const ledger = rewound(poll.ledger, view);
    return { isStarted: true, ledger, counted: [], reverted: [], restored: [], skipped: 0, newest: undefined };
  });
  const { ledger } = result;
  const audit = poll.audit ?? auditFrom(ledger, source);
  // Nothing counts before the list has begun.
  if (!result.isStarted) return { ...result, audit };
  const input = { ledger, audit, view, source, before: cursorOf(poll.ledger ?? ledger) };
  const done = isAuditDue(audit, ledger, view, source) ? await audited(poll, input) : undefined;
  if (done === undefined && behind !== undefined) throw behind;
  if (done === undefined) return { ...result, audit };
  onAudit?.({ mismatches: done.mismatches, isClean: !done.audit.last.isOpen });
  return {
    ...result,
    ledger: done.ledger,
    counted: [...result.counted, ...done.counted],
    reverted: [...result.reverted, ...done.reverted],
    restored: [...result.restored, ...done.restored],
    audit: done.audit,
  };
}

/** Undefined if there is no request to spare, a request fails, or a row is not complete. */
async function audited<Of extends Row>(
  { list, room, complete, place }: AuditPoll<Of>,
  input: AuditInput,
): Promise<Audited<Of> | undefined> {
  const requests = Math.min(MAX_REQUESTS, Math.floor(room() / SHARE));
  // A list without offsets and cursors ends at a known row.
  const hasPages = list.atCursor !== undefined || list.atOffset !== undefined;
  if (requests === 0 || !hasPages) return undefined;
  try {
    const result = await auditList(list, requests, { ...input, place });
    const { counted } = result;
    return { ...result, counted: counted.length === 0 ? counted : await whole(counted, complete) };
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function whole<Of extends Row>(rows: readonly Of[], complete: AuditPoll<Of>["complete"]): Promise<readonly Of[]> {
  const done = await complete(rows);
  if (done.length === rows.length) return done;
  throw new ApiError("behind", "audit", "the details of a row are not available");
}
