// Updates waiting transactions with the lists of the whole chain: new, mined and replaced ones. Pure.
import type { Adder } from "../counted.ts";
import type { WaitingRow, WaitingView } from "../mempool-transactions/listed.ts";
import type { MinedView } from "../transactions/recent.ts";
import { removed } from "./families.ts";
import type { End, Known, Values } from "./state.ts";

/** The lists of the whole chain; undefined while they are too old. */
export interface Views {
  readonly waiting: WaitingView | undefined;
  readonly mined: MinedView | undefined;
}

// A removed transaction can be sent again. It counts once in this time.
const KEPT_MS = 7 * 24 * 3_600_000;
const MAX_ENDED = 5000;

/** A row as it is known. */
export function knownOf(principal: string, { id, type, fee, sender, nonce, receivedAt }: WaitingRow): Known {
  return { id, type, fee, direction: sender === principal ? "out" : "in", sender, nonce, receivedAt };
}

/** The values after transactions have ended. Each removed one counts once. */
export function withEnded(before: Values, ends: ReadonlyMap<string, End>, now: number, to: Adder): Values {
  if (ends.size === 0) return before;
  const ended = { ...before.ended };
  for (const { id, direction } of before.known) {
    const as = ends.get(id);
    if (as === undefined) continue;
    const earlier = ended[id]?.as;
    const wasRemoved = earlier !== undefined && earlier !== "mined";
    if (as !== "mined" && !wasRemoved) to.add(removed, { direction, reason: as });
    ended[id] = { at: now, as: wasRemoved ? earlier : as };
  }
  const kept = Object.entries(ended).filter(([, { at }]) => now - at < KEPT_MS);
  const newest = kept.sort(([, a], [, b]) => b.at - a.at).slice(0, MAX_ENDED);
  return { ...before, known: before.known.filter(({ id }) => !ends.has(id)), ended: Object.fromEntries(newest) };
}

/** The values after what the collectors of the whole chain have read. */
export function resolved(before: Values, principal: string, views: Views, now: number, to: Adder): Values {
  const { waiting, mined } = views;
  const { ended, nonces } = before;
  const ids = new Set(before.known.map(({ id }) => id));
  // A list that is read after a transaction was mined shows it only after a reorganisation. One that was dropped is
  // listed for up to an hour: that is not evidence that it waits again.
  const mayWait = ({ id }: WaitingRow) =>
    ended[id] === undefined || (ended[id].as === "mined" && (waiting?.readAt ?? 0) > ended[id].at);
  const fresh = (waiting?.of(principal) ?? []).filter((row) => !ids.has(row.id) && mayWait(row));
  const known = [...before.known, ...fresh.map((row) => knownOf(principal, row))];
  const ends = new Map<string, End>();
  for (const one of known) {
    const isSame = (other: WaitingRow | Known) => other.sender === one.sender && other.nonce === one.nonce;
    const row = mined?.rows.find(({ sender, nonce }) => sender === one.sender && nonce === one.nonce);
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

// As the server decides which one of them waits, so that the order of responses does not matter.
function isBetter(rival: Pick<Known, "fee" | "receivedAt">, one: Known): boolean {
  const [fee, other] = [one.fee ?? 0, rival.fee ?? 0];
  return other > fee || (other === fee && rival.receivedAt > one.receivedAt);
}
