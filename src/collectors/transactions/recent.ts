// The transactions of the last minutes, by block, at any depth. They need no confirmations, because they show what is
// mined now. Replaced blocks are removed. Pure.
import { blockStatus, type ChainView } from "../chain/chain-view.ts";
import type { MinedTransaction } from "./mined-view.ts";
import { type ChainTransaction, partiesOf } from "./source.ts";

/** A transaction of a recent block. The state file stores it. */
export type RecentTransaction = Pick<
  ChainTransaction,
  "id" | "index" | "type" | "fee" | "sender" | "nonce" | "sponsor" | "recipient" | "called"
>;

/** A block with its transactions, newest first. */
export interface RecentBlock {
  readonly height: number;
  readonly hash: string;
  /** Unix time, seconds. */
  readonly at: number;
  readonly transactions: readonly RecentTransaction[];
}

/** A recent transaction with its block, as it is used. */
export interface RecentRow extends MinedTransaction {
  readonly called: string | undefined;
}

// Five minutes more than the window, for collectors that are polled later.
const KEPT_SECONDS = 900;
// Block times can be ahead of a clock. Those further ahead are wrong, and would stay for as long.
const AHEAD_SECONDS = 900;
// More than 200 a minute.
const MAX_TRANSACTIONS = 3000;

/** The part of the list that was read. */
interface Read {
  /** Newest first, without gaps. */
  readonly rows: readonly ChainTransaction[];
  /** It begins at the top of the list. */
  readonly isFromTop: boolean;
}

/** The recent blocks, newest first, after a read. `now` is Unix time in seconds. */
export function withRead(
  before: readonly RecentBlock[],
  { rows, isFromTop }: Read,
  chain: ChainView | undefined,
  now: number,
): readonly RecentBlock[] {
  const read = blocksOf(rows);
  const [top, bottom] = [rows[0]?.height ?? -1, rows.at(-1)?.height ?? -1];
  // Blocks within the read are complete, apart from those at its ends.
  const isComplete = (height: number) => height > bottom && (isFromTop ? height <= top : height < top);
  const hashes = new Map(read.map(({ height, hash }) => [height, hash]));
  const ids = new Set(rows.map(({ id }) => id));
  const kept = before
    .filter(({ height, hash }) => !isComplete(height) && (hashes.get(height) ?? hash) === hash)
    .map((block) => ({ ...block, transactions: block.transactions.filter(({ id }) => !ids.has(id)) }));
  return pruned(joined([...read, ...kept]), chain, now);
}

/** The recent blocks without those that are replaced, or too old. `now` is Unix time in seconds. */
export function pruned(
  blocks: readonly RecentBlock[],
  chain: ChainView | undefined,
  now: number,
): readonly RecentBlock[] {
  let room = MAX_TRANSACTIONS;
  return blocks.filter((block) => {
    const isRecent = block.at > now - KEPT_SECONDS && block.at < now + AHEAD_SECONDS;
    if (!isRecent || blockStatus(chain, block) === "replaced") return false;
    room -= block.transactions.length;
    return room >= 0;
  });
}

/** The transactions of blocks, newest first. */
export function rowsOf(blocks: readonly RecentBlock[]): readonly RecentRow[] {
  return blocks.flatMap(({ height, hash, at, transactions }) =>
    transactions.map((transaction) => {
      const { id, index, type, fee, sender = "", nonce, called } = transaction;
      return { id, index, type, fee, at, sender, nonce, height, hash, parties: partiesOf(transaction), called };
    }),
  );
}

function blocksOf(rows: readonly ChainTransaction[]): RecentBlock[] {
  return [...Map.groupBy(rows, ({ height, hash }) => `${height} ${hash}`).values()].flatMap((group) => {
    const [{ height, hash, at }] = group as [ChainTransaction];
    if (at === undefined) return [];
    const transactions = group.map(({ id, index, type, fee, sender, nonce, sponsor, recipient, called }) => {
      return { id, index, type, fee, sender, nonce, sponsor, recipient, called };
    });
    return [{ height, hash, at, transactions }];
  });
}

/** Joins the parts of each block. */
function joined(blocks: readonly RecentBlock[]): RecentBlock[] {
  return [...Map.groupBy(blocks, ({ height, hash }) => `${height} ${hash}`).values()]
    .map((parts) => {
      const [block] = parts as [RecentBlock];
      if (parts.length === 1) return block;
      const transactions = parts.flatMap((part) => part.transactions).sort((a, b) => b.index - a.index);
      return { ...block, transactions };
    })
    .sort((a, b) => b.height - a.height);
}
