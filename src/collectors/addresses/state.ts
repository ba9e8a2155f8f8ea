// The observation of a watched address, which is kept between polls and across restarts. Plain data.
import { type ChainView, depthOf } from "../chain/chain-view.ts";
import type { Poll, Target, Watched } from "../collector.ts";
import { type Counted, EMPTY_FEED, type FeedState } from "../feed/state.ts";
import type { LastValues } from "./last-values.ts";
import type { MissingTransfers } from "./needed-transfers.ts";
import type { Transaction } from "./source.ts";
import { type AddressTotals, type AddressTotalsV1, upgradedTotals } from "./totals.ts";

/** A position in chain order. */
export interface Position {
  readonly height: number;
  /** Position in the block. */
  readonly index: number;
}

/** The observation of an address. */
export interface Observation {
  readonly feed: FeedState<Transaction>;
  /** Transactions below are never read: they are counted, or older than the first poll. */
  readonly floor: Position;
  /** Total of the list when it was last read down to processed transactions. */
  readonly settledTotal: number;
  readonly totals: AddressTotals;
  readonly facts: LastValues;
  /** The list was read from the replacement of operation 4.6. */
  readonly isNew: boolean;
  readonly hasTransfers: boolean;
  readonly zeros: boolean;
  /** Number of older transactions to count, until all of them are read. */
  readonly backfill: number | undefined;
  readonly held: MissingTransfers;
  /** Principals to poll early: participants of new transactions, and the address itself while transactions wait. */
  readonly seen: readonly string[];
  /** Validator of the list. */
  readonly etag: string | undefined;
}

/** A watched address. */
export interface AddressTarget extends Target {
  readonly watched: Watched;
  readonly confirmations: number;
  /** Identifiers of the assets that always have series. @default none */
  readonly named?: readonly string[];
}

export type AddressPoll = Poll<Observation, AddressTarget>;

/** The proof of a transaction: its own block. */
export const proofOf = ({ height, hash, index }: Transaction) => ({ height, hash, index });

/** Lowest height of which counted transactions are kept. */
export function oldestHeight(tipHeight: number, confirmations: number): number {
  return tipHeight - Math.max(16, confirmations * 8) + 1;
}

/** The floor, raised to below the counted transactions that are kept. Those above an open end do not raise it. */
export function raisedFloor(floor: Position, counted: readonly Counted[], oldest: number): Position {
  const newest = counted.find(({ isAbove }) => !isAbove);
  if (newest === undefined) return floor;
  const height = Math.min(newest.height + 1, oldest);
  return height > floor.height ? { height, index: 0 } : floor;
}

/**
 * The floor to use instead of one above the chain, which a wrong tip has caused: counting resumes above the newest
 * listed transaction. Undefined if the floor is possible.
 */
export function repairedFloor(
  { floor, facts }: Pick<Observation, "floor" | "facts">,
  chain: ChainView | undefined,
  confirmations: number,
): Position | undefined {
  if (chain === undefined || floor.height <= chain.highest + 1) return undefined;
  // With a tip that was too high, every listed transaction had its confirmations and can be counted already.
  const newest = facts.last?.height ?? depthOf(chain, confirmations);
  return { height: Math.min(newest, chain.tipHeight) + 1, index: 0 };
}

interface ObservationV1 extends Pick<Observation, "isNew" | "hasTransfers" | "zeros"> {
  readonly horizon: {
    readonly height: number;
    readonly floor: Position;
    readonly window: readonly (Position & { readonly txId: string; readonly blockHash: string })[];
    readonly reverted: readonly { readonly txId: string; readonly at: number }[];
  };
  readonly totals: Omit<AddressTotalsV1, "reverted"> & { readonly reverted: Readonly<Record<string, number>> };
  readonly facts: Omit<LastValues, "last"> & { readonly lastHeight?: number };
  readonly isBackfilling: boolean;
}

/** Upgrades an observation of version 1, which had the height up to which transactions were counted. */
export function upgraded(observation: unknown): Observation {
  const { horizon, totals, facts, isNew, hasTransfers, zeros, isBackfilling } = observation as ObservationV1;
  const counted = horizon.window
    .map(({ txId, height, index, blockHash }) => ({ id: txId, height, index, hash: blockHash }))
    .reverse();
  const lowest = counted.at(-1)?.height ?? horizon.height + 1;
  const { lastHeight, ...others } = facts;
  return {
    feed: { ...EMPTY_FEED, counted, reverted: horizon.reverted.map(({ txId, at }) => ({ id: txId, at })) },
    floor: horizon.floor.height > lowest ? horizon.floor : { height: lowest, index: 0 },
    settledTotal: facts.total,
    totals: upgradedTotals({
      ...totals,
      reverted: Object.values(totals.reverted).reduce((sum, count) => sum + count, 0),
    }),
    facts: {
      ...others,
      last: lastHeight === undefined ? undefined : { height: lastHeight, hash: "" },
      lastTimes: {},
      nonces: {},
    },
    isNew,
    hasTransfers,
    zeros,
    backfill: isBackfilling ? Number.MAX_SAFE_INTEGER : undefined,
    held: {},
    seen: [],
    etag: undefined,
  };
}
