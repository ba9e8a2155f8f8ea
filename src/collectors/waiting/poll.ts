// One poll of an address. Most polls send no request: the collectors of the whole chain have read waiting and mined
// transactions. The list of the principal is read at times, and to confirm what they cannot show: a drop, or a missing
// nonce.
import { z } from "zod";
import { isShortage } from "../../api/errors.ts";
import { operation, type StacksApi } from "../../api/operation.ts";
import type { Poll, Views, WatchedTarget } from "../collector.ts";
import { type Adder, type Addition, adderOf, type Counted } from "../counted.ts";
import { canReadMoreThan, readWaiting, waitingBody } from "../mempool-transactions/list.ts";
import { readTransaction } from "../transaction.ts";
import { ifRecent } from "../transactions/recent.ts";
import { DIRECTIONS, type Direction, REMOVALS, removed } from "./families.ts";
import {
  type End,
  gapOf,
  NOTHING,
  type Nonces,
  SETTLED_MS,
  sentNonces,
  type Values,
  withEnded,
  withNonces,
  withRows,
  withViews,
} from "./state.ts";

/** The waiting transactions that a principal sends or receives, newest receipt first. */
export const principalWaiting = operation({
  name: "principal_mempool",
  path: "/extended/v3/principals/{principal}/mempool/transactions",
  isOptional: true,
  body: waitingBody,
});

const natural = z.int().nonnegative();

/** The nonces of an account; contracts have none. Pending ones are empty until one is confirmed. */
export const principalNonces = operation({
  name: "principal_nonces",
  path: "/extended/v3/principals/{principal}/nonces",
  isOptional: true,
  body: z.object({
    last_confirmed_nonce: natural.nullable(),
    mempool: z.object({ last_nonce: natural.nullable(), pending_nonces: z.array(natural) }),
  }),
  maxBodyBytes: 2 ** 20,
});

/** Reads the nonces of an account. */
export async function readNonces(api: StacksApi, principal: string): Promise<Nonces> {
  const { body } = await api.get(principalNonces, { path: { principal } });
  const { last_confirmed_nonce: confirmed, mempool } = body;
  return { confirmed: confirmed ?? -1, last: mempool.last_nonce ?? -1, pending: mempool.pending_nonces };
}

type WaitingPoll = Poll<Counted<Values>, WatchedTarget>;

const MINUTE_MS = 60_000;

/** Time after which the list of the principal is always read. Seconds. */
export const REREAD_SECONDS = 3 * 3600;

// Without the lists of the whole chain, only the list of the principal is read.
const WITHOUT_VIEWS_MS = 5 * MINUTE_MS;
// A transaction that waits longer is unusual.
const LONG_MS = 10 * MINUTE_MS;
// The older a doubt is, the less often the list is read for it.
const SHARE_OF_AGE = 1 / 4;
// Another server can lack what one has listed, until it has caught up.
const CONFIRM_MS = 5 * MINUTE_MS;
// Requests of one poll for single transactions. The others wait for the next one.
const MAX_LOOKUPS = 10;
// For the list, the nonces and a transaction.
const MIN_ROOM = 3;

/** The directions of a principal: a contract sends nothing, and has no nonces. */
export const directionsOf = (principal: string): readonly Direction[] =>
  principal.includes(".") ? ["in"] : DIRECTIONS;

/** Observes an address. */
export async function observeWaiting(poll: WaitingPoll): Promise<Counted<Values>> {
  const { target, now, previous } = poll;
  const { principal } = target.watched;
  const mined = ifRecent(poll.mined, now);
  // Without the mined transactions, it is not known which of the listed ones still wait.
  const views: Views = mined === undefined ? {} : { waiting: ifRecent(poll.waiting, now), mined };
  const additions: Addition[] = [];
  const to = adderOf(additions);
  for (const direction of directionsOf(principal))
    for (const reason of REMOVALS) to.start(removed, { direction, reason });
  const known = withViews(previous?.values ?? { ...NOTHING, since: now }, principal, views, now, to);
  if (known.areNoncesDue)
    return { values: withNonces(known, await readNonces(poll.api, principal)), ledger: undefined, additions };
  const isDue = isReadDue(known, views, poll);
  if (!isDue) poll.api.checkUp(principalWaiting);
  return { values: isDue ? await read(known, views, poll, to) : known, ledger: undefined, additions };
}

function isReadDue(values: Values, { waiting, mined }: Views, { now, api }: WaitingPoll): boolean {
  // A clock can have been set back.
  const since = Math.abs(now - values.readAt);
  if (since >= REREAD_SECONDS * 1000) return true;
  if (waiting === undefined || mined === undefined) return since >= WITHOUT_VIEWS_MS;
  if (!values.isWhole && since >= MINUTE_MS && canReadMoreThan(values.known.length, api)) return true;
  return since >= doubtMs(values, now) && api.room() >= MIN_ROOM;
}

/** Time after a read at which something is in doubt that the next read can settle. Milliseconds. */
function doubtMs(values: Values, now: number): number {
  const gap = gapOf(values);
  const waits = values.known.map(({ direction, nonce, receivedAt, missingSince, isUnlisted }) => {
    if (missingSince !== undefined || isUnlisted) return CONFIRM_MS;
    const age = now - receivedAt * 1000;
    const isAfterGap = gap?.isConfirmed === false && direction === "out" && nonce > gap.nonce;
    const isBlocked = isAfterGap && age >= SETTLED_MS;
    if (!isBlocked && age < LONG_MS) return Number.POSITIVE_INFINITY;
    return Math.max(isBlocked ? CONFIRM_MS : LONG_MS, age * SHARE_OF_AGE);
  });
  return Math.min(...waits);
}

/** The values after a read of the list of the principal. */
async function read(before: Values, views: Views, poll: WaitingPoll, to: Adder): Promise<Values> {
  const { api, target, now, note } = poll;
  const { principal } = target.watched;
  const found = await readWaiting(api, principalWaiting, { principal });
  if (found.isWhole === false)
    note?.(`more transactions wait than can be read: no gauges of those after the newest ${found.rows.length}`);
  const listed = withViews(withRows(before, found, principal, now), principal, views, now, to);
  const hasNonces = directionsOf(principal).includes("out");
  const isAsked = hasNonces && (listed.nonces === undefined || sentNonces(listed).length > 0);
  // A small budget admits one request: the next poll reads them.
  const nonces = isAsked ? await readNonces(api, principal).catch(ifShort) : undefined;
  const after = withEnded(listed, await endsOf(listed, (nonces ?? listed.nonces)?.confirmed ?? -1, poll), now, to);
  return nonces === undefined ? { ...after, areNoncesDue: isAsked } : withNonces(after, nonces);
}

function ifShort(error: unknown): undefined {
  if (!isShortage(error)) throw error;
}

/** How transactions have ended that two reads of the list lacked: they were mined, replaced or dropped, or wait. */
async function endsOf({ known }: Values, confirmed: number, { api, now, chain }: WaitingPoll) {
  const ends = new Map<string, End | undefined>();
  // A server whose chain has not grown since then is stuck, and lacks new transactions.
  const lacked = known.filter(
    ({ missingSince: at = now }) => Math.abs(now - at) >= CONFIRM_MS && (chain?.tipAt ?? now) >= at,
  );
  for (const { id, direction, nonce } of lacked.slice(0, MAX_LOOKUPS)) {
    if (api.room() < 1) break;
    const found = await readTransaction(api, id);
    if (found !== undefined) ends.set(id, found.block === undefined ? undefined : "mined");
    else ends.set(id, direction === "out" && nonce <= confirmed ? "replaced" : "dropped");
  }
  return ends;
}
