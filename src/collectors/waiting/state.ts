// What is known of the waiting transactions of an address, and how lists and responses change it. Pure.
import type { Views } from "../collector.ts";
import type { Adder } from "../counted.ts";
import type { WaitingRead, WaitingTransaction } from "../mempool-transactions/list.ts";
import { type Direction, type REMOVALS, removed } from "./families.ts";

/** How a transaction has ended. */
export type End = "mined" | (typeof REMOVALS)[number];

/** A waiting transaction. */
export interface Known extends Omit<WaitingTransaction, "receiver"> {
  readonly direction: Direction;
  /** Time of the first of the reads in a row that lacked it. Unix time, milliseconds. */
  readonly missingSince?: number | undefined;
  /** It was received before the first poll, and no read has listed it: it can have been dropped before. */
  readonly isUnlisted?: boolean | undefined;
}

/** Nonces as one server knows them. */
export interface Nonces {
  /** The highest one that is mined; -1 if none is. */
  readonly confirmed: number;
  /** The highest one that waits, those of sponsored transactions included; -1 if none does. */
  readonly last: number;
  /** Those that wait between these two, those of sponsored transactions included. */
  readonly pending: readonly number[];
}

interface KnownNonces extends Pick<Nonces, "confirmed"> {
  /** A lower one of the last response, which counts if the next one repeats it. */
  readonly lower?: number | undefined;
  /** Nonces that are confirmed to be missing. */
  readonly missing: readonly number[];
}

/** What is known of an address. Plain data. */
export interface Values {
  readonly known: readonly Known[];
  /** Ended transactions by id: time (Unix time in milliseconds) and outcome. */
  readonly ended: Readonly<Record<string, { readonly at: number; readonly as: End }>>;
  /** Undefined for contracts, and until they are read. */
  readonly nonces: KnownNonces | undefined;
  /** The last read of the list had no request left for the nonces. */
  readonly areNoncesDue?: boolean | undefined;
  /** Whether the list of the principal is known to its end. */
  readonly isWhole: boolean;
  /** Time when the list of the principal was read. Unix time, milliseconds. */
  readonly readAt: number;
  /** Time of the first poll. Unix time, milliseconds. Undefined in the state of a version that did not keep it. */
  readonly since?: number | undefined;
}

/** What is known before the first poll. */
export const NOTHING: Values = { known: [], ended: {}, nonces: undefined, isWhole: false, readAt: 0 };

/** A nonce can be listed after a higher one, and a server can be a little behind the one that has listed it. */
export const SETTLED_MS = 60_000;
// With its old time of receipt, a removed transaction was sent again only if a server lists it so much later.
const AGAIN_MS = 3_600_000;
// A removed transaction can be sent again. It counts once in this time.
const KEPT_MS = 7 * 24 * 3_600_000;
const MAX_ENDED = 5000;
// More missing nonces are no use: only the lowest one is shown.
const MAX_MISSING = 100;

function knownOf(principal: string, { receiver: _, ...row }: WaitingTransaction): Known {
  return { ...row, direction: row.sender === principal ? "out" : "in" };
}

const endedAt = ({ id }: WaitingTransaction, { ended }: Pick<Values, "ended">): number =>
  ended[id]?.at ?? Number.NEGATIVE_INFINITY;

/** Whether a transaction has not ended, or was sent again since: the API gives it a new time of receipt. */
const isReceivedSince = (row: WaitingTransaction, values: Pick<Values, "ended">): boolean =>
  row.receivedAt * 1000 > endedAt(row, values);

/** The values with the additional and missing transactions of a read of the list of the principal. */
export function withRows(before: Values, { rows, isWhole }: WaitingRead, principal: string, now: number): Values {
  const listed = new Set(rows.map(({ id }) => id));
  const ids = new Set(before.known.map(({ id }) => id));
  const isAgain = (row: WaitingTransaction) => now - endedAt(row, before) > AGAIN_MS || isReceivedSince(row, before);
  const added = rows.filter((row) => !ids.has(row.id) && isAgain(row));
  const bottom = isWhole ? Number.NEGATIVE_INFINITY : (rows.at(-1)?.receivedAt ?? Number.POSITIVE_INFINITY);
  const kept = before.known.map(({ missingSince, isUnlisted, ...one }): Known => {
    if (listed.has(one.id)) return one;
    const isAbsent = (isUnlisted || one.receivedAt > bottom) && now - one.receivedAt * 1000 >= SETTLED_MS;
    return { ...one, isUnlisted, missingSince: missingSince ?? (isAbsent ? now : undefined) };
  });
  // A read that was cut off at a known transaction has all newer ones.
  const isJoined = before.isWhole && rows.some(({ id }) => ids.has(id));
  const known = [...kept, ...added.map((row) => knownOf(principal, row))];
  return { ...before, isWhole: isWhole === true || isJoined, readAt: now, known };
}

/** The values after what the collectors of the whole chain have read: new, mined and replaced transactions. */
export function withViews(
  before: Values,
  principal: string,
  { waiting, mined }: Pick<Views, "waiting" | "mined">,
  now: number,
  to: Adder,
): Values {
  const { ended, nonces } = before;
  const ids = new Set(before.known.map(({ id }) => id));
  // A list that is read after a transaction was mined shows it only after a reorganisation. One that was dropped stays
  // listed for up to a day: that is not evidence that it waits again.
  const mayWait = (row: WaitingTransaction) =>
    isReceivedSince(row, before) || (ended[row.id]?.as === "mined" && (waiting?.readAt ?? 0) > endedAt(row, before));
  const fresh = (waiting?.of(principal) ?? []).filter((row) => !ids.has(row.id) && mayWait(row));
  const isEarlier = ({ receivedAt }: WaitingTransaction) => receivedAt * 1000 < (before.since ?? 0) - SETTLED_MS;
  const added = fresh.map((row) => ({ ...knownOf(principal, row), isUnlisted: isEarlier(row) }));
  const known = [...before.known, ...added];
  const ends = new Map<string, End>();
  for (const one of known) {
    const isSame = (other: Pick<Known, "sender" | "nonce">) => other.sender === one.sender && other.nonce === one.nonce;
    const row = mined?.rows.find(isSame);
    const rivals = [...known, ...(waiting?.of(one.sender) ?? [])].filter(isSame);
    if (row !== undefined) ends.set(one.id, row.id === one.id ? "mined" : "replaced");
    else if (rivals.some((rival) => rival.id !== one.id && isBetter(rival, one))) ends.set(one.id, "replaced");
  }
  const after = withEnded({ ...before, known }, ends, now, to);
  if (nonces === undefined || known.length === 0) return after;
  const sent = mined?.rows.filter(({ sender }) => sender === principal).map(({ nonce }) => nonce) ?? [];
  const highest = Math.max(-1, ...sent);
  return highest > nonces.confirmed ? { ...after, nonces: { confirmed: highest, missing: nonces.missing } } : after;
}

// The clocks of two servers differ by less. Seconds.
const CLOCKS_DIFFER = 60;

// The later one, in any order of responses. For the nonce of a waiting transaction, a server accepts another one only
// with a higher fee; after it has dropped the first one, with any fee.
function isBetter(rival: Pick<Known, "fee" | "receivedAt">, one: Known): boolean {
  const [fee, other, later] = [one.fee ?? 0, rival.fee ?? 0, rival.receivedAt - one.receivedAt];
  return Math.abs(later) > CLOCKS_DIFFER ? later > 0 : other > fee || (other === fee && later > 0);
}

/**
 * The values after transactions have ended. Each one that was removed since the first poll counts once.
 * @param ends undefined for one that is found to wait
 */
export function withEnded(before: Values, ends: ReadonlyMap<string, End | undefined>, now: number, to: Adder): Values {
  if (ends.size === 0) return before;
  const ended = { ...before.ended };
  for (const { id, direction, isUnlisted } of before.known) {
    const as = ends.get(id);
    if (as === undefined) continue;
    const earlier = ended[id]?.as;
    const wasRemoved = earlier !== undefined && earlier !== "mined";
    if (as !== "mined" && !wasRemoved && !isUnlisted) to.of({ id }).add(removed, { direction, reason: as });
    ended[id] = { at: now, as: wasRemoved ? earlier : as };
  }
  const kept = Object.entries(ended).filter(([, { at }]) => now - at < KEPT_MS);
  const newest = kept.sort(([, a], [, b]) => b.at - a.at).slice(0, MAX_ENDED);
  const left = before.known.filter(({ id }) => ends.get(id) === undefined);
  const known = left.map((one) =>
    one.isUnlisted && ends.has(one.id) ? { ...one, isUnlisted: false, missingSince: undefined } : one,
  );
  return { ...before, known, ended: Object.fromEntries(newest) };
}

/** Nonces of the transactions that the address sends and that wait. */
export const sentNonces = ({ known }: Pick<Values, "known">): readonly number[] =>
  known.filter((one) => one.direction === "out").map(({ nonce }) => nonce);

/** The nonces that are above the confirmed one, below a waiting one, and neither. Ascending, the lowest ones. */
function missingBetween(confirmed: number, waiting: readonly number[]): readonly number[] {
  const missing: number[] = [];
  const [highest, present] = [Math.max(confirmed, ...waiting), new Set(waiting)];
  for (let nonce = confirmed + 1; nonce < highest && missing.length < MAX_MISSING; nonce += 1) {
    if (!present.has(nonce)) missing.push(nonce);
  }
  return missing;
}

/** The lowest nonce that is missing by the transactions that are known, and whether a response has confirmed it. */
export function gapOf({ known, nonces }: Pick<Values, "known" | "nonces">) {
  if (nonces === undefined) return undefined;
  const apparent = missingBetween(nonces.confirmed, sentNonces({ known }));
  const confirmed = apparent.find((nonce) => nonces.missing.includes(nonce));
  const nonce = confirmed ?? apparent[0];
  return nonce === undefined ? undefined : { nonce, isConfirmed: confirmed !== undefined };
}

/**
 * The values with the nonces of a response. A server that is behind neither confirms that one is missing nor lowers the
 * confirmed nonce.
 */
export function withNonces(before: Values, { confirmed, last, pending }: Nonces): Values {
  const { nonces } = before;
  const waiting = sentNonces(before);
  // A reorganisation lowers the confirmed nonce, and so does a server that is behind: only the former stays.
  const isLower = nonces !== undefined && confirmed < nonces.confirmed;
  const isDoubtful = isLower && !(nonces.lower !== undefined && confirmed >= nonces.lower);
  const highest = isDoubtful ? nonces.confirmed : confirmed;
  const missing = missingBetween(highest, [...waiting, ...pending]);
  // The response is older than the waiting transactions if it lacks the newest of them.
  const knowsAll = last >= Math.max(-1, ...waiting);
  return {
    ...before,
    areNoncesDue: false,
    nonces: {
      confirmed: highest,
      ...(isDoubtful ? { lower: confirmed } : {}),
      missing: knowsAll ? missing : missing.filter((nonce) => nonces?.missing.includes(nonce)),
    },
  };
}
