// The transactions that were listed as waiting, and which of them were mined since. Pure.
import type { MinedView } from "../transactions/recent.ts";
import type { MinedTransaction } from "../transactions/source.ts";
import { OFFERED_SECONDS } from "./estimate.ts";
import type { WaitingTransaction } from "./list.ts";

/** A transaction that was listed as waiting. */
export interface Listed extends WaitingTransaction {
  /** Time of its block; undefined while it is not known to be mined. Unix time, seconds. */
  readonly minedAt: number | undefined;
}

// 100 a minute, and a rush of five times as many.
const MAX_LISTED = 20_000;

const keyOf = ({ sender, nonce }: Pick<Listed, "sender" | "nonce">) => `${nonce} ${sender}`;

/**
 * The listed transactions after a read, newest receipt first. Leaves out those that were replaced, that were mined too
 * long ago, or that are too old.
 * @param fresh newest first
 * @param now Unix time in seconds
 */
export function afterRead(
  before: readonly Listed[],
  fresh: readonly WaitingTransaction[],
  mined: MinedView | undefined,
  now: number,
): readonly Listed[] {
  const latest = new Map<string, Listed>();
  for (const one of before.toReversed()) latest.set(keyOf(one), one);
  for (const one of fresh.toReversed()) latest.set(keyOf(one), { ...one, minedAt: undefined });
  const rows = new Map(mined?.rows.map((row) => [keyOf(row), row]));
  const oldest = mined?.rows.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  return [...latest.values()]
    .flatMap((one) => minedOrWaiting(one, rows.get(keyOf(one)), oldest))
    .filter(({ receivedAt, minedAt }) => minedAt !== undefined || receivedAt > now - OFFERED_SECONDS)
    .sort((a, b) => b.receivedAt - a.receivedAt)
    .slice(0, MAX_LISTED);
}

function minedOrWaiting(one: Listed, row: MinedTransaction | undefined, oldest: number): Listed[] {
  if (row !== undefined) return row.id === one.id ? [{ ...one, minedAt: row.at }] : [];
  if (one.minedAt === undefined) return [one];
  // Its block was replaced, or is no longer shown. Of the oldest block, some rows may be cut off.
  return one.minedAt > oldest ? [{ ...one, minedAt: undefined }] : [];
}

/** The waiting transactions of the network. One that was dropped stays for up to a day. */
export interface WaitingView {
  /** Time when the list was last requested. Unix time, milliseconds. */
  readonly readAt: number;
  /** Those that a principal sends or receives, newest receipt first. */
  of(principal: string): readonly WaitingTransaction[];
}

/** The view of waiting transactions, newest receipt first. */
export function waitingViewOf(waiting: readonly WaitingTransaction[], readAt: number): WaitingView {
  const pairs = waiting.flatMap((row) => [...new Set([row.sender, row.receiver])].map((party) => ({ party, row })));
  const byParty = Map.groupBy(pairs, ({ party }) => party);
  return { readAt, of: (principal) => byParty.get(principal)?.map(({ row }) => row) ?? [] };
}
