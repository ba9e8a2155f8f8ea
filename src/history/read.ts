// Reads the lists of a history backwards: page by page from their newest row to the start, each page saved with the
// position after it.
import type { Clock } from "../api/clock.ts";
import { ApiError, type Reason } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { type OpenEnd, readFromOpenEnd, readFromTop } from "../collectors/feed/read.ts";
import type { Past, Reading, Source } from "./past.ts";
import type { Range } from "./range.ts";
import type { Spool } from "./spool.ts";

/** Dependencies of reading. */
export interface ReadContext {
  /** A view of the API that counts its requests. */
  readonly open: () => StacksApi;
  readonly spool: Spool;
  readonly range: Range;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** Called when something was read. @param time of what was read, Unix time in seconds; undefined if not known */
  readonly onRead: (past: Past, time: number | undefined) => void;
  /** Something that the operator has to know. */
  readonly note: (message: string) => void;
}

/** Failures that pass by themselves. */
const PASSING: ReadonlySet<Reason> = new Set<Reason>([
  "timeout",
  "network",
  "rate_limited",
  "budget",
  "http_server",
  "behind",
  "empty",
]);

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** The command ends when no page was read for so long. */
const PATIENCE_MS = 15 * 60_000;
// After a single 410, the operation is requested again: only another one a minute later retires it.
const GONE_WAIT_MS = 65_000;
// A page that is not found can be one of another server behind the same name.
const MAX_LOST = 3;
/** Most reads from the top in a row that get no further down than the one before. */
const MAX_RESTARTS = 3;

const isNotOffered = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.reason === "gone" || (error.reason === "not_found" && error.routeMissing));

/**
 * Reads the past of a target. Resolves with the source that has all of it; undefined if the server offers none.
 * @throws ApiError for a failure that does not pass; the reason of `stop`; StateFileError
 */
export async function readPast(past: Past, context: ReadContext): Promise<Source | undefined> {
  for (const source of past.sources) {
    // Found out by an earlier start. Another start after that begins with the same source.
    const name = `not offered: ${source.name}`;
    if (context.spool.fact(name) !== undefined) continue;
    try {
      await readSource(past, source, context);
      return source;
    } catch (error) {
      if (!isNotOffered(error)) throw error;
      context.spool.setFact(name, true);
      context.note(`${past.name}: the server does not offer it (${error.message})`);
    }
  }
  return undefined;
}

async function readSource(past: Past, source: Source, context: ReadContext): Promise<void> {
  const { spool, range, note } = context;
  await readPages(past, source, context);
  const addition = source.addition?.({ spool, range });
  if (addition !== undefined) {
    await readPages(past, addition, context).catch((error: unknown) => {
      if (!isNotOffered(error)) throw error;
      note(`${past.name}: the server does not offer it (${error.message})`);
    });
  }
  await patiently(past, context, async (reading) => source.complete?.(reading));
}

async function readPages(past: Past, source: Source, context: ReadContext): Promise<void> {
  const { spool, range } = context;
  const from = range.since - past.lead;
  let lost = 0;
  let restarts = 0;
  let deepest = Number.POSITIVE_INFINITY;
  while (!spool.progress(source.name).isComplete) {
    await patiently(past, context, async (reading) => {
      const { api } = reading;
      const { position, oldest: before } = spool.progress(source.name);
      const limits = { stopsAt: () => false, pages: 1, rows: Number.POSITIVE_INFINITY };
      const list = source.list(api);
      const start = position ?? startAt(await source.seek?.(api, range.until));
      const read =
        start === undefined ? await readFromTop(list, limits) : await readFromOpenEnd(list, limits, start as OpenEnd);
      if (read === undefined) {
        lost += 1;
        if (lost < MAX_LOST) throw new ApiError("behind", list.operation, "the list lacks the row that was read last");
        restarts += 1;
        if (restarts > MAX_RESTARTS) {
          throw new ApiError("bad_body", list.operation, "the list lacks the row that was read last, again and again");
        }
        // Rows that are known already are not stored twice.
        context.note(`${past.name}: the position in the list is lost, and the list is read from its top again`);
        spool.save(source.name, { rows: [], position: undefined, isComplete: false, oldest: before });
        return;
      }
      lost = 0;
      const placed = await source.place(read.rows, reading);
      const oldest = placed.oldest ?? before;
      if (oldest !== undefined && oldest < deepest) [deepest, restarts] = [oldest, 0];
      const isComplete = read.resume === undefined || (placed.oldest !== undefined && placed.oldest <= from);
      spool.save(source.name, { rows: placed.rows, position: read.resume, isComplete, oldest });
      reading.onRead(oldest);
    });
  }
}

/** A position at a cursor. Lists with cursors need nothing else of it. */
const startAt = (cursor: string | undefined): OpenEnd | undefined =>
  cursor === undefined ? undefined : { last: { id: "", hash: "" }, rows: 0, total: undefined, cursor };

/** Repeats what fails for a reason that passes, as long as something was read in the last 15 minutes. */
async function patiently(
  past: Past,
  { clock, stop, open, note, spool, range, onRead }: ReadContext,
  step: (reading: Reading) => Promise<void>,
): Promise<void> {
  let since = clock.elapsed();
  let wait = FIRST_WAIT_MS;
  let hadGone = false;
  const onProgress = (time: number | undefined) => {
    [since, wait, hadGone] = [clock.elapsed(), FIRST_WAIT_MS, false];
    onRead(past, time);
  };
  for (;;) {
    stop.throwIfAborted();
    try {
      return await step({ api: open(), spool, range, onRead: onProgress });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isFirstGone: boolean = error.reason === "gone" && !hadGone;
      if (!isFirstGone && !PASSING.has(error.reason)) throw error;
      if (clock.elapsed() - since > PATIENCE_MS) throw error;
      hadGone ||= isFirstGone;
      const pause = isFirstGone ? GONE_WAIT_MS : wait;
      note(`${error.reason}: ${error.message}; again in ${Math.ceil(pause / 1000)} s`);
      await clock.sleep(pause, stop);
      wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    }
  }
}
