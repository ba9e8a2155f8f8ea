// Updates waiting transactions with the data of other collectors: new, mined and replaced ones. Pure.
import { type ChainView, depthOf } from "../../chain/view.ts";
import { keyOf } from "../counters.ts";
import type { WaitingRow, WaitingView } from "../mempool-transactions/waiting-view.ts";
import type { MinedView } from "../transactions/recent.ts";
import type { MinedTransaction } from "../transactions/source.ts";
import { isWaiting, type Known, type Observation, type Removal } from "./state.ts";

/** The data that the transactions are compared with. */
export interface Facts {
  readonly principal: string;
  readonly confirmations: number;
  readonly waiting: WaitingView | undefined;
  readonly mined: MinedView | undefined;
  readonly chain: ChainView | undefined;
  /** Unix time, milliseconds. */
  readonly now: number;
}

const HOUR_MS = 3_600_000;
// Other views can still list a transaction that was mined, for as long as they keep it.
const MINED_KEPT_MS = 2 * HOUR_MS;
// A removed transaction can be sent again. It counts once in this time.
const REMOVED_KEPT_MS = 7 * 24 * HOUR_MS;
const MAX_ENDED = 5000;

interface MinedIndex {
  readonly byNonce: ReadonlyMap<string, MinedTransaction>;
  readonly highest: ReadonlyMap<string, number>;
}
const NO_INDEX: MinedIndex = { byNonce: new Map(), highest: new Map() };

// All addresses use the same view.
const indexes = new WeakMap<MinedView, MinedIndex>();

function indexOf(view: MinedView | undefined): MinedIndex {
  if (view === undefined) return NO_INDEX;
  const known = indexes.get(view);
  if (known !== undefined) return known;
  const byNonce = new Map<string, MinedTransaction>();
  const highest = new Map<string, number>();
  for (const row of view.rows) {
    byNonce.set(keyOf(row.sender, `${row.nonce}`), row);
    highest.set(row.sender, Math.max(row.nonce, highest.get(row.sender) ?? -1));
  }
  const index = { byNonce, highest };
  indexes.set(view, index);
  return index;
}

/** A row as it is known. */
export function knownOf(principal: string, { id, type, fee, sender, nonce, receivedAt }: WaitingRow): Known {
  return { id, type, fee, direction: sender === principal ? "out" : "in", sender, nonce, receivedAt };
}

/** The observation after transactions have ended. Each removed one counts once. */
export function withEnded(before: Observation, ends: ReadonlyMap<string, "mined" | Removal>, now: number): Observation {
  if (ends.size === 0) return before;
  const ended = { ...before.ended };
  const removed = { ...before.removed };
  for (const { id, direction } of before.known) {
    const as = ends.get(id);
    if (as === undefined) continue;
    const earlier = ended[id]?.as;
    const wasRemoved = earlier !== undefined && earlier !== "mined";
    if (as !== "mined" && !wasRemoved) {
      const key = keyOf(direction, as);
      removed[key] = (removed[key] ?? 0) + 1;
    }
    ended[id] = { at: now, as: wasRemoved ? earlier : as };
  }
  return { ...before, known: before.known.filter(({ id }) => !ends.has(id)), ended, removed };
}

/** The observation after what the collectors of the whole chain have read. */
export function resolved(before: Observation, facts: Facts): Observation {
  const { principal, waiting, mined, now } = facts;
  const index = indexOf(mined);
  const ids = new Set(before.known.map(({ id }) => id));
  // The view lists a dropped transaction for up to an hour: it is not evidence that one waits again.
  const fresh = (waiting?.of(principal) ?? []).filter(({ id }) => !ids.has(id) && before.ended[id] === undefined);
  const known = [...before.known, ...fresh.map((row) => knownOf(principal, row))].map((one) =>
    withBlock(one, index.byNonce.get(keyOf(one.sender, `${one.nonce}`)), facts),
  );
  const ends = new Map<string, "mined" | Removal>();
  for (const one of known) {
    const row = index.byNonce.get(keyOf(one.sender, `${one.nonce}`));
    if (row !== undefined && row.id !== one.id) ends.set(one.id, "replaced");
    else if (isFinal(one, facts)) ends.set(one.id, "mined");
  }
  for (const one of known) {
    if (isWaiting(one) && !ends.has(one.id) && rivalsOf(one, known, waiting).some((rival) => isBetter(rival, one)))
      ends.set(one.id, "replaced");
  }
  const highest = index.highest.get(principal) ?? -1;
  const { nonces } = before;
  const after = withEnded({ ...before, known }, ends, now);
  return {
    ...after,
    ended: withoutOld(after.ended, now),
    nonces: nonces && highest > nonces.confirmed ? { confirmed: highest, missing: nonces.missing } : nonces,
  };
}

function withBlock(one: Known, row: MinedTransaction | undefined, { chain, now }: Facts): Known {
  const { minedIn, missing: _, ...waits } = one;
  if (row?.id === one.id) {
    return { ...waits, minedIn: { height: row.height, hash: row.hash, at: minedIn?.at ?? now } };
  }
  return minedIn !== undefined && chain?.isReplaced(minedIn) === true ? waits : one;
}

/** Whether a mined transaction cannot wait again. */
function isFinal({ minedIn }: Known, { chain, confirmations, now }: Facts): boolean {
  if (minedIn === undefined) return false;
  const isDeep = chain !== undefined && minedIn.height <= depthOf(chain, confirmations);
  return isDeep || now - minedIn.at > HOUR_MS;
}

type Rival = Pick<Known, "id" | "fee" | "receivedAt">;

/** Other transactions that wait with the same nonce of the same sender. */
function rivalsOf(one: Known, known: readonly Known[], waiting: WaitingView | undefined): readonly Rival[] {
  const isRival = ({ id, sender, nonce }: Pick<Known, "id" | "sender" | "nonce">) =>
    id !== one.id && sender === one.sender && nonce === one.nonce;
  const row = waiting?.at(one.sender, one.nonce);
  return [...known.filter((other) => isRival(other) && isWaiting(other)), ...(row && isRival(row) ? [row] : [])];
}

// As the server decides which one of them waits, so that the order of responses does not matter.
function isBetter(rival: Rival, one: Rival): boolean {
  const [fee, other] = [one.fee ?? 0, rival.fee ?? 0];
  return other > fee || (other === fee && rival.receivedAt > one.receivedAt);
}

function withoutOld(ended: Observation["ended"], now: number): Observation["ended"] {
  const all = Object.entries(ended);
  const kept = all.filter(([, { at, as }]) => now - at < (as === "mined" ? MINED_KEPT_MS : REMOVED_KEPT_MS));
  if (kept.length === all.length && kept.length <= MAX_ENDED) return ended;
  return Object.fromEntries(kept.toSorted(([, a], [, b]) => b.at - a.at).slice(0, MAX_ENDED));
}
