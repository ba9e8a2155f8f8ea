// The transactions of the last minutes, at any depth, because they show what is mined now. Pure.
//
// What one list shows is one branch of the chain: where it shows a known transaction in the same block, everything
// below that is the same. So a fork needs no other source, and the list may know it before or after the blocks do.
import type { CallCosts } from "./costs.ts";
import type { MinedTransaction } from "./source.ts";
import { WINDOW_SECONDS } from "./window.ts";

/** The mined transactions of the network, without confirmations: their blocks can still be replaced. */
export interface MinedView {
  /** Newest first and without gaps, of the last 15 minutes or more. */
  readonly rows: readonly MinedTransaction[];
  /** What calls of a function cost; undefined before the first request. */
  readonly costs?: CallCosts | undefined;
  /** Start of the last poll of the list. Unix time, milliseconds. */
  readonly readAt: number;
}

/**
 * What a list of the whole chain has shown; undefined if it was read too long ago to say what is true now.
 * @param now Unix time, milliseconds
 */
export const ifRecent = <View extends Pick<MinedView, "readAt">>(view: View | undefined, now: number) =>
  view && Math.abs(now - view.readAt) < WINDOW_SECONDS * 1000 ? view : undefined;

// Five minutes more than the window, for collectors that are polled later.
const KEPT_SECONDS = 900;
// On a quiet chain the newest ones of a day: the window of fees reaches further back.
const QUIET_TRANSACTIONS = 300;
const QUIET_SECONDS = 86_400;
/** Block times can be ahead of a clock. Those further ahead are wrong, and would stay for as long. */
export const AHEAD_SECONDS = 900;
// More than 200 a minute.
const MAX_TRANSACTIONS = 3000;

/**
 * The recent transactions after a read, newest first and without gaps.
 * @param listed newest first, without gaps; empty if nothing was read
 * @param now Unix time, seconds
 */
export function withRead(
  before: readonly MinedTransaction[],
  listed: readonly MinedTransaction[],
  now: number,
): readonly MinedTransaction[] {
  return joined(before, listed)
    .filter(({ at }, index) => at > now - (index < QUIET_TRANSACTIONS ? QUIET_SECONDS : KEPT_SECONDS))
    .filter(({ at }) => at < now + AHEAD_SECONDS)
    .slice(0, MAX_TRANSACTIONS);
}

function joined(before: readonly MinedTransaction[], listed: readonly MinedTransaction[]): readonly MinedTransaction[] {
  const hashes = new Map(before.map(({ id, hash }) => [id, hash]));
  const shared = listed.findIndex(({ id, hash }) => hashes.get(id) === hash);
  // The server lists nothing newer: it can be behind.
  if (listed.length === 0 || shared === 0) return before;
  if (shared < 0) return listed;
  return [...listed.slice(0, shared), ...before.slice(before.findIndex(({ id }) => id === listed[shared]?.id))];
}
