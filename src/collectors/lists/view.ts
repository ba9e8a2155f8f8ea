// The view of the chain that a poll of a list has. Pure.
import type { Ledger, Page, Row, View } from "../../ledger/ledger.ts";
import { blockStatus, type ChainView, depthOf } from "../chain/chain-view.ts";

/** The parts of a poll that a view needs. */
interface ViewPoll {
  readonly target: { readonly confirmations: number };
  readonly chain: ChainView | undefined;
  readonly isFollowed: boolean;
}

// Blocks below the tip that a fork can replace, at least.
const MIN_WINDOW = 16;
const WINDOWS = 8;

/**
 * The view of a poll. Without the collector `blocks`, the newest listed row is the tip, and no block is replaced. Until
 * that collector knows the blocks down to the depth, nothing has its confirmations, and nothing is forgotten.
 */
export function viewOf({ target, chain, isFollowed }: ViewPoll, newest: Page<Row> | undefined): View {
  const { confirmations } = target;
  const window = Math.max(MIN_WINDOW, WINDOWS * confirmations);
  const unknown = { depth: -1, window: Number.POSITIVE_INFINITY };
  if (chain === undefined) {
    const tip = newest?.rows[0]?.height ?? Number.POSITIVE_INFINITY;
    const known = isFollowed ? unknown : { depth: depthOf({ tipHeight: tip }, confirmations), window };
    return { ...known, tip, start: newest === undefined ? -1 : tip, isReplaced: () => undefined };
  }
  const start = depthOf(chain, confirmations);
  const known = chain.lowest <= start ? { depth: start, window } : unknown;
  const isReplaced = (row: Row) => {
    const status = blockStatus(chain, row);
    return status === "replaced" ? true : status === "canonical" ? false : undefined;
  };
  return { ...known, tip: chain.tipHeight, start, isReplaced };
}

/** Logs that a wrong tip had stopped the count of a list. */
export function noteFloor(
  before: Ledger | undefined,
  { floor }: Ledger,
  { chain, note }: { readonly chain: ChainView | undefined; readonly note?: ((text: string) => void) | undefined },
): void {
  if (before === undefined || chain === undefined || before.floor.height <= chain.tipHeight) return;
  const { height } = before.floor;
  note?.(
    `the start height ${height + 1} was above the tip ${chain.tipHeight}: counting resumes at height ${floor.height + 1}`,
  );
}
