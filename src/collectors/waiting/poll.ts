// One poll of an address. Most polls send no request: the collectors of the whole chain have read waiting and mined
// transactions. The list of the principal is read at times, and to confirm what they cannot show: a drop, or a missing
// nonce.
import { isDeepStrictEqual } from "node:util";
import { readTransaction } from "../chain/transaction-source.ts";
import { type ReadResult, readFromTop } from "../lists/newest-rows.ts";
import type { WaitingTransaction } from "../mempool-transactions/list.ts";
import { WINDOW_SECONDS } from "../transactions/window.ts";
import { apparentlyMissing, confirmedGap, sentNonces, withResponse } from "./gap.ts";
import { type Facts, knownOf, resolved, withEnded } from "./resolve.ts";
import { ownList, readNonces } from "./source.ts";
import { isContract, isWaiting, type Known, NOTHING, type Observation, type WaitingPoll } from "./state.ts";

const MINUTE_MS = 60_000;

/** Time after which the list of the principal is always read. Seconds. */
export const REREAD_SECONDS = 3 * 3600;

// Without the lists of the whole chain, only the list of the principal is read.
const WITHOUT_VIEWS_MS = 5 * MINUTE_MS;
// A transaction that waits longer is unusual.
const LONG_MS = 10 * MINUTE_MS;
// Share of the age of a transaction: the older it is, the less often the list of its principal is read for it.
const SHARE_OF_AGE = 1 / 4;
// A nonce can be listed after a higher one.
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

/** Observes an address. The same observation if nothing has changed. */
export async function observeWaiting(poll: WaitingPoll): Promise<Observation> {
  const { target, waiting, mined, chain, now, previous = NOTHING } = poll;
  const facts = {
    principal: target.watched.principal,
    confirmations: target.confirmations,
    waiting,
    mined,
    chain,
    now,
  };
  const before = resolved(previous, facts);
  const after = isReadDue(before, poll) ? await afterRead(before, facts, poll) : before;
  return isDeepStrictEqual(after, previous) ? previous : after;
}

function isReadDue(before: Observation, { waiting, mined, now, api }: WaitingPoll): boolean {
  const since = now - before.readAt;
  if (since >= REREAD_SECONDS * 1000) return true;
  const isRecent = (view: { readonly readAt: number } | undefined) =>
    view !== undefined && now - view.readAt < WINDOW_SECONDS * 1000;
  if (!isRecent(waiting) || !isRecent(mined)) return since >= WITHOUT_VIEWS_MS;
  return since >= doubtMs(before, now) && api.room() >= MIN_ROOM;
}

/** Time after a read at which something is in doubt that the next read can settle. Milliseconds. */
function doubtMs(before: Observation, now: number): number {
  const age = ({ receivedAt }: Known) => now - receivedAt * 1000;
  const waits = before.known.filter(isWaiting).map((one) => {
    if (one.missing !== undefined) return CONFIRM_MS;
    return age(one) < LONG_MS ? Number.POSITIVE_INFINITY : Math.max(LONG_MS, age(one) * SHARE_OF_AGE);
  });
  const [missing] = confirmedGap(before) === undefined ? apparentlyMissing(before) : [];
  const isBlocked = ({ direction, nonce }: Known) => direction === "out" && nonce > (missing ?? nonce);
  const oldest = Math.max(...before.known.filter((one) => isWaiting(one) && isBlocked(one)).map(age));
  // The last read may have been before they arrived.
  const isNew = before.readAt < now - oldest + SETTLED_MS;
  if (oldest >= SETTLED_MS) waits.push(isNew ? 0 : Math.max(CONFIRM_MS, oldest * SHARE_OF_AGE));
  return Math.min(...waits);
}

async function afterRead(before: Observation, facts: Facts, poll: WaitingPoll): Promise<Observation> {
  const { api, now, note } = poll;
  const { principal } = facts;
  const list = ownList(api, principal);
  const { etag, isWhole, known, nonces } = before;
  // The validator knows only the newest waiting transaction, and no calls of a contract.
  const isConditional = etag !== undefined && isWhole && !known.some(isWaiting) && !isContract(principal);
  const first = isConditional ? await list.changedSince(etag) : undefined;
  const isUnchanged = isConditional && first === undefined;
  const pages = Math.max(1, Math.min(MAX_PAGES, Math.floor(api.room() / 2)));
  const read = isUnchanged
    ? undefined
    : await readFromTop(list, { stopsAt: () => false, pages, rows: Number.POSITIVE_INFINITY }, first);
  if (read !== undefined && !read.isWhole) {
    note?.(`more transactions wait than can be read: no gauges of those after the newest ${read.rows.length}`);
  }
  const listed = resolved(read === undefined ? before : withRows(before, read, facts), facts);
  const isAsked = !isContract(principal) && (nonces === undefined || sentNonces(listed).length > 0);
  const response = isAsked ? await readNonces(api, principal) : undefined;
  const settled = await withLookups(listed, response?.confirmed, poll);
  return {
    ...settled,
    nonces:
      response === undefined ? nonces && settled.nonces : withResponse(settled.nonces, response, sentNonces(settled)),
    isWhole: read?.isWhole ?? isWhole,
    readAt: now,
    etag: read === undefined ? etag : read.first.etag,
  };
}

/** The observation after a read of the list of the principal: its additional and missing transactions. */
function withRows(before: Observation, read: ReadResult<WaitingTransaction>, { principal, now }: Facts): Observation {
  const { rows, isWhole } = read;
  const listed = new Set(rows.map(({ id }) => id));
  const ids = new Set(before.known.map(({ id }) => id));
  const added = rows.filter(({ id }) => {
    const ended = before.ended[id];
    return !ids.has(id) && (ended === undefined || (ended.as !== "mined" && now - ended.at > AGAIN_MS));
  });
  const bottom = isWhole ? Number.NEGATIVE_INFINITY : (rows.at(-1)?.receivedAt ?? Number.POSITIVE_INFINITY);
  const known = before.known.map((one): Known => {
    const { missing, ...present } = one;
    if (!isWaiting(one) || listed.has(one.id)) return present;
    // A server can be a little behind the one that has listed it.
    if (one.receivedAt <= bottom || now - one.receivedAt * 1000 < SETTLED_MS) return one;
    return { ...present, missing: { since: missing?.since ?? now, reads: (missing?.reads ?? 0) + 1 } };
  });
  return { ...before, known: [...known, ...added.map((row) => knownOf(principal, row))] };
}

/** Looks up transactions that the list of the principal lacks: they were mined, replaced or dropped. */
async function withLookups(
  before: Observation,
  confirmed: number | undefined,
  { api, now }: WaitingPoll,
): Promise<Observation> {
  const isUsed = ({ direction, nonce }: Known) => direction === "out" && nonce <= (confirmed ?? -1);
  const isLacked = ({ missing }: Known) =>
    missing !== undefined && missing.reads >= CONFIRM_READS && now - missing.since >= CONFIRM_MS;
  const doubtful = before.known.filter(
    (one) => isWaiting(one) && one.missing !== undefined && (isLacked(one) || isUsed(one)),
  );
  const found = new Map<string, Known>();
  const ends = new Map<string, "replaced" | "dropped">();
  for (const one of doubtful.slice(0, MAX_LOOKUPS)) {
    if (api.room() < 1) break;
    const { missing: _, ...present } = one;
    const response = await readTransaction(api, one.id);
    if (response?.block !== undefined) {
      const { height, hash } = response.block;
      found.set(one.id, { ...present, minedIn: { height, hash, at: now } });
    } else if (response !== undefined) found.set(one.id, present);
    else if (isLacked(one)) ends.set(one.id, isUsed(one) ? "replaced" : "dropped");
  }
  return withEnded({ ...before, known: before.known.map((one) => found.get(one.id) ?? one) }, ends, now);
}
