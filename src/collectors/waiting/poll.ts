// One poll of an address. Most polls send no request: the collectors of the whole chain have read waiting and mined
// transactions. The list of the principal is read at times, and to confirm what they cannot show: a drop, or a missing
// nonce.
import { readTransaction } from "../chain/transaction-source.ts";
import type { Poll } from "../collector.ts";
import { type Addition, adderOf, type Counted } from "../counted.ts";
import { readWaiting, type WaitingTransaction } from "../mempool-transactions/list.ts";
import { WINDOW_SECONDS } from "../transactions/window.ts";
import { start } from "./families.ts";
import { apparentlyMissing, confirmedGap, sentNonces, withResponse } from "./gap.ts";
import { knownOf, resolved, type Views, withEnded } from "./resolve.ts";
import { principalWaiting, readNonces } from "./source.ts";
import { type End, isContract, type Known, NOTHING, type Values, type WaitingTarget } from "./state.ts";

type WaitingPoll = Poll<Counted<Values>, WaitingTarget>;

const MINUTE_MS = 60_000;

/** Time after which the list of the principal is always read. Seconds. */
export const REREAD_SECONDS = 3 * 3600;

// Without the lists of the whole chain, only the list of the principal is read.
const WITHOUT_VIEWS_MS = 5 * MINUTE_MS;
// A transaction that waits longer is unusual.
const LONG_MS = 10 * MINUTE_MS;
// The older a doubt is, the less often the list is read for it.
const SHARE_OF_AGE = 1 / 4;
// A nonce can be listed after a higher one, and a server can be a little behind the one that has listed a transaction.
const SETTLED_MS = MINUTE_MS;
// Another server can lack what one has listed, until it has caught up.
const CONFIRM_MS = 5 * MINUTE_MS;
const CONFIRM_READS = 2;
// Requests of one poll for single transactions. The others wait for the next one.
const MAX_LOOKUPS = 10;
const MAX_PAGES = 10;
// For the list, the nonces and a transaction.
const MIN_ROOM = 3;
// A removed transaction that a server still lists is sent again only if it is listed so much later.
const AGAIN_MS = 60 * MINUTE_MS;

/** Observes an address. */
export async function observeWaiting(poll: WaitingPoll): Promise<Counted<Values>> {
  const { target, now, previous } = poll;
  const { principal } = target.watched;
  const isRecent = (view: { readonly readAt: number } | undefined) => now - (view?.readAt ?? 0) < WINDOW_SECONDS * 1000;
  const views: Views = {
    waiting: isRecent(poll.waiting) ? poll.waiting : undefined,
    mined: isRecent(poll.mined) ? poll.mined : undefined,
  };
  const additions: Addition[] = [];
  const to = adderOf(additions);
  start(to, principal);
  const resolve = (before: Values) => resolved(before, principal, views, now, to);
  let values = resolve(previous?.values ?? NOTHING);
  if (isReadDue(values, views, poll)) {
    const ends = new Map<string, End>();
    values = withEnded(await read(values, resolve, ends, poll), ends, now, to);
  } else poll.api.checkUp(principalWaiting);
  return { values, ledger: undefined, additions };
}

function isReadDue(values: Values, { waiting, mined }: Views, { now, api }: WaitingPoll): boolean {
  const since = now - values.readAt;
  if (since >= REREAD_SECONDS * 1000) return true;
  if (waiting === undefined || mined === undefined) return since >= WITHOUT_VIEWS_MS;
  return since >= doubtMs(values, now) && api.room() >= MIN_ROOM;
}

/** Time after a read at which something is in doubt that the next read can settle. Milliseconds. */
function doubtMs(values: Values, now: number): number {
  const [gap] = confirmedGap(values) === undefined ? apparentlyMissing(values) : [];
  const waits = values.known.map(({ direction, nonce, receivedAt, missing }) => {
    if (missing !== undefined) return CONFIRM_MS;
    const age = now - receivedAt * 1000;
    const isBlocked = gap !== undefined && direction === "out" && nonce > gap && age >= SETTLED_MS;
    if (!isBlocked && age < LONG_MS) return Number.POSITIVE_INFINITY;
    return Math.max(isBlocked ? CONFIRM_MS : LONG_MS, age * SHARE_OF_AGE);
  });
  return Math.min(...waits);
}

/** The values after a read of the list of the principal. Adds what has ended. */
async function read(
  before: Values,
  resolve: (values: Values) => Values,
  ends: Map<string, End>,
  poll: WaitingPoll,
): Promise<Values> {
  const { api, target, now, note } = poll;
  const { principal } = target.watched;
  const pages = Math.max(1, Math.min(MAX_PAGES, Math.floor(api.room() / 2)));
  const { rows, isWhole } = await readWaiting(api, principalWaiting, { principal }, { pages });
  if (!isWhole) note?.(`more transactions wait than can be read: no gauges of those after the newest ${rows.length}`);
  const listed = resolve(withRows({ ...before, isWhole, readAt: now }, rows, principal, now));
  const { nonces } = listed;
  const isAsked = !isContract(principal) && (nonces === undefined || sentNonces(listed).length > 0);
  const response = isAsked ? await readNonces(api, principal) : undefined;
  await lookUp(listed, response?.confirmed ?? -1, ends, poll);
  const waiting = listed.known.filter(({ id }) => !ends.has(id));
  if (response === undefined) return listed;
  return { ...listed, nonces: withResponse(nonces, response, sentNonces({ known: waiting })) };
}

/** The values with the additional and missing transactions of a read. */
function withRows(before: Values, rows: readonly WaitingTransaction[], principal: string, now: number): Values {
  const listed = new Set(rows.map(({ id }) => id));
  const ids = new Set(before.known.map(({ id }) => id));
  const added = rows.filter(({ id }) => {
    const ended = before.ended[id];
    return !ids.has(id) && (ended === undefined || now - ended.at > AGAIN_MS);
  });
  const bottom = before.isWhole ? Number.NEGATIVE_INFINITY : (rows.at(-1)?.receivedAt ?? Number.POSITIVE_INFINITY);
  const known = before.known.map((one): Known => {
    const { missing, ...present } = one;
    if (listed.has(one.id)) return present;
    if (one.receivedAt <= bottom || now - one.receivedAt * 1000 < SETTLED_MS) return one;
    return { ...present, missing: { since: missing?.since ?? now, reads: (missing?.reads ?? 0) + 1 } };
  });
  return { ...before, known: [...known, ...added.map((row) => knownOf(principal, row))] };
}

/** Looks up transactions that two reads of the list lacked: they were mined, replaced or dropped, or wait. */
async function lookUp(
  { known }: Values,
  confirmed: number,
  ends: Map<string, End>,
  { api, now }: WaitingPoll,
): Promise<void> {
  const lacked = known.filter(
    ({ missing }) => missing !== undefined && missing.reads >= CONFIRM_READS && now - missing.since >= CONFIRM_MS,
  );
  for (const { id, direction, nonce } of lacked.slice(0, MAX_LOOKUPS)) {
    if (api.room() < 1) return;
    const found = await readTransaction(api, id);
    if (found?.block !== undefined) ends.set(id, "mined");
    else if (found === undefined) ends.set(id, direction === "out" && nonce <= confirmed ? "replaced" : "dropped");
  }
}
