// Makes a collector of a list whose rows are counted: it names the list, and what a row adds.
import { ApiError } from "../api/errors.ts";
import { orReplacement } from "../api/operation.ts";
import { viewOf } from "../chain/branch.ts";
import type { Family, Sample } from "../exposition/family.ts";
import { type Audit, readAndAudit } from "../ledger/audit.ts";
import { byPosition, isBehind, type Row, unreadOf, type View } from "../ledger/ledger.ts";
import { type List, type Placer, type ReadInput, type ReadResult, readList } from "../ledger/read.ts";
import type { Collector, Poll, Target } from "./collector.ts";
import { type Adder, type Addition, adderOf, type Counted, type Counts, type Labels } from "./counted.ts";

/** The settings that every counting collector has. */
export interface CountingOptions {
  /** Maximum number of pages that one poll reads. */
  readonly pages: number;
  /** Rows from before the first poll that are counted. @default none */
  readonly backfill?: "none" | "all";
}

/** What a counting collector keeps of a target, besides its counters and its ledger. */
export interface Seen<Own> {
  /** Rows of the newest page that wait for their confirmations. */
  readonly pending: number;
  /** Rows above the cursor that are not read yet: an estimate, but 0 only if there are none. */
  readonly unread: number;
  /** Read rows that wait for their details. */
  readonly waiting: number;
  /** Whether the poll has read the newest pages first. */
  readonly isNewestFirst?: boolean | undefined;
  /** Since when no server has the details of a row; undefined if none was missing. */
  readonly held: Held | undefined;
  /** What the next audit needs. */
  readonly audit: Audit | undefined;
  /** Of a list whose rows do not have their places: what was found for rows that are not counted yet. */
  readonly places?: unknown;
  readonly own: Own;
}

/** Since when rows wait for details that no server has. */
interface Held {
  /** Unix time in milliseconds. */
  readonly since: number;
  readonly polls: number;
  /** Rows up to this height have waited for as long: they were on the chain then. */
  readonly to: number;
}

/** Whether a later response can have the missing details. */
export type Missing = "temporary" | "permanent";

/** Completes rows, oldest first. */
export type Completing<Of extends Row> = (rows: readonly Of[]) => Promise<{
  /** The first rows, complete; the others wait. */
  readonly rows: readonly Of[];
  /** Set if the next row was requested, and no response has its details: for now, or for good. */
  readonly missing?: Missing;
}>;

/** Counters of what can happen to any list. */
export interface ListFamilies {
  /** Polls that skipped rows. Only a list without offsets and cursors needs it. */
  readonly gap?: Family;
  /** Counted rows whose block was replaced. */
  readonly reverted: Family;
  /** Reverted rows that are in a block again. */
  readonly restored: Family;
}

/** What a poll has read. */
export interface Read<Of extends Row> extends ReadResult<Of> {
  readonly view: View;
  /** Whether it is the first poll of the target: what is settled is old. */
  readonly isFirst: boolean;
  /** Rows of the newest pages, newest first; undefined if nothing has changed, or the server is behind. */
  readonly rows: readonly Of[] | undefined;
}

type CountingPoll<Own, T extends Target> = Poll<Counted<Seen<Own>>, T>;

/** A collector that counts the rows of a list. */
export interface CountingCollector<Of extends Row, Own, Options extends CountingOptions, T extends Target>
  extends Omit<Collector<Counted<Seen<Own>>, Options, T>, "observe" | "samples" | "counts"> {
  readonly counts: Counts<Options, T>;
  readonly listFamilies: ListFamilies;
  /** The list, and the one that replaces it on newer servers. */
  lists(poll: CountingPoll<Own, T>, options: Options): readonly [List<Of>, List<Of>?];
  /** Reads what the list lacks of rows that are about to be counted, in one poll. @default the list has everything */
  complete?(poll: CountingPoll<Own, T>, options: Options): Completing<Of>;
  /** Counted when a row has waited for an hour, and is counted as it is. */
  readonly incomplete?: Pick<Addition, "family" | "labels">;
  /** Adds a row to the counters. Pure. */
  count(row: Of, to: Adder, target: T, options: Options): void;
  /**
   * For gauges of the newest rows, however many are unread: the newest pages are read down to such a row, without gaps.
   * Audits are left out: in a list with rows in every block, they would be due every few minutes.
   * @default one newest page, if nothing older is unread
   */
  newestDownTo?(before: Own | undefined, poll: CountingPoll<Own, T>): (row: Of) => boolean;
  /** Finds the places of the rows of a list that does not have them. @default the list has them */
  placer?(poll: CountingPoll<Own, T>): Placer<Of>;
  /** Makes the series of a target that exist without an addition. @default none */
  start?(to: Adder, read: Read<Of>, target: T, options: Options): void;
  /** What gauges and the next poll need. Pure, unless it requests what is not counted. */
  next(before: Own | undefined, read: Read<Of>, poll: CountingPoll<Own, T>, options: Options): Own | Promise<Own>;
  /** The gauges of a target. Pure. */
  gauges(seen: Seen<Own>, labels: Labels, target: T, options?: Options): Iterable<Sample>;
}

const WAIT_MS = 3_600_000;
const WAIT_POLLS = 3;

/** The collector of a list. */
export function counting<Of extends Row, Own, Options extends CountingOptions, T extends Target>(
  spec: CountingCollector<Of, Own, Options, T>,
): Collector<Counted<Seen<Own>>, Options, T> {
  return {
    hints: ({ values: { pending, unread, waiting, held, places } }) => ({
      isWaiting: pending > 0,
      isBehind: held === undefined && (unread + waiting > 0 || places !== undefined),
    }),
    ...spec,
    async observe(poll, options) {
      const [list, replacement] = spec.lists(poll, options);
      // One for both lists: what it has requested for the first one is not requested again.
      const placer = spec.placer?.(poll);
      const read = (one: List<Of>, replaced?: List<Of>) => () => observed(spec, one, replaced, placer, poll, options);
      if (replacement === undefined) return read(list)();
      return orReplacement(poll.api, list.operation, read(list), read(replacement, list));
    },
    *samples({ values }, network, target) {
      yield* spec.gauges(values, spec.counts.identity(network, target), target);
    },
  };
}

async function observed<Of extends Row, Own, Options extends CountingOptions, T extends Target>(
  spec: CountingCollector<Of, Own, Options, T>,
  list: List<Of>,
  replaced: List<Of> | undefined,
  placer: Placer<Of> | undefined,
  poll: CountingPoll<Own, T>,
  options: Options,
): Promise<Counted<Seen<Own>>> {
  const { previous, api, now, target } = poll;
  // Half of the current budget: the other half is for the other requests.
  const requests = Math.max(2, Math.min(options.pages, Math.floor(api.room() / 2)));
  const view = viewOf(poll.chain, target.confirmations);
  const additions: Addition[] = [];
  const to = adderOf(additions);
  const completing = spec.complete?.(poll, options) ?? (async (rows: readonly Of[]) => ({ rows, missing: undefined }));
  const heldBefore = previous?.values.held;
  let held = heldBefore;
  let waiting = 0;
  // A server that is behind can lack details: only polls of the chain count as waiting time.
  const at = poll.chain?.seenAt ?? now;
  const complete = async (rows: readonly Of[]): Promise<readonly Of[]> => {
    const done: Of[] = [];
    for (;;) {
      const { rows: found, missing } = await completing(rows.slice(done.length));
      done.push(...found);
      const next = rows[done.length];
      if (next === undefined || missing === undefined) break;
      held =
        heldBefore !== undefined && next.height <= heldBefore.to
          ? { ...heldBefore, polls: heldBefore.polls + 1 }
          : { since: at, polls: 1, to: poll.chain?.tipHeight ?? next.height };
      const isHeld = missing === "temporary" && (held.polls < WAIT_POLLS || at - held.since < WAIT_MS);
      if (isHeld || spec.incomplete === undefined) break;
      to.add(spec.incomplete.family, spec.incomplete.labels);
      done.push(next);
    }
    // An audit completes rows, too.
    waiting = Math.max(waiting, rows.length - done.length);
    return done;
  };
  // With one request, every other poll reads the newest page first.
  const isNewestFirst = api.room() > 1 || previous?.values.isNewestFirst !== true;
  const input: ReadInput<Of> = {
    list,
    ledger: previous?.ledger,
    view,
    requests,
    newestDownTo: isNewestFirst ? spec.newestDownTo?.(previous?.values.own, poll) : undefined,
    isBackfilled: options.backfill === "all",
    complete,
    placer,
  };
  const source = { at: now, by: api.upstream ?? "" };
  const auditing = { audit: previous?.values.audit, source, room: () => api.room(), onAudit: poll.onAudit };
  const result: ReadResult<Of> & { audit?: Audit } = await (spec.newestDownTo === undefined
    ? readAndAudit(input, auditing)
    : readList(input));
  const { pages, ledger, counted, reverted, restored } = result;
  // One response does not show that the list without gaps is gone.
  if (result.isSkipped && replaced !== undefined && !api.isRetired(replaced.operation))
    throw new ApiError("behind", list.operation.name, "the list ends above what was counted");
  const [newest] = pages;
  const isShown = newest !== undefined && !isBehind(newest, ledger);
  const listed = pages.flatMap((page) => page.rows);
  const rows = isShown ? listed.filter((row) => view.isReplaced(row) !== true) : undefined;
  const found: Read<Of> = { ...result, view, rows, isFirst: previous?.ledger === undefined };
  if (result.isStarted) spec.start?.(to, found, target, options);
  const fresh = new Set(counted.map(({ id }) => id));
  const newestKnown = ledger.recent.findLast(({ id }) => !fresh.has(id));
  // An audit adds older rows at the end.
  for (const row of counted.toSorted(byPosition)) {
    // An audit or a fork has shown it below counted rows that are still on the chain.
    const isLate = newestKnown !== undefined && byPosition(row, newestKnown) < 0;
    spec.count(row, target.watched === undefined ? to : to.of({ ...row, isLate }), target, options);
  }
  if (result.isSkipped && spec.listFamilies.gap !== undefined) to.add(spec.listFamilies.gap);
  if (reverted.length > 0) to.add(spec.listFamilies.reverted, {}, reverted.length);
  if (restored.length > 0) to.add(spec.listFamilies.restored, {}, restored.length);
  const { start } = view;
  const pending =
    start === undefined ? undefined : rows?.filter(({ height, isOld }) => height > start && !isOld).length;
  return {
    ledger: result.isStarted ? ledger : undefined,
    additions,
    values: {
      pending: pending ?? previous?.values.pending ?? 0,
      unread: unreadOf(ledger),
      waiting,
      isNewestFirst,
      held: waiting > 0 ? held : undefined,
      audit: result.audit,
      places: placer?.kept,
      own: await spec.next(previous?.values.own, found, poll, options),
    },
  };
}
