// What is kept of a watched address between polls, and how it is brought into order after a start. Plain data.

import { type ChainView, depthOf } from "../chain/chain-view.ts";
import { type Counted, EMPTY_FEED, type FeedState } from "../feed/state.ts";
import type { Held } from "./address-transfers.ts";
import type { AddressFacts } from "./families.ts";
import type { Transaction } from "./source.ts";
import { type AddressTotals, cleaned, type OldAddressTotals } from "./totals.ts";

/** A place in chain order. */
export interface Place {
  readonly height: number;
  /** Position in the block. */
  readonly index: number;
}

/** What is observed of an address. */
export interface Observation {
  readonly feed: FeedState<Transaction>;
  /** What is before it in chain order is never read again: it was counted, or there before the address was watched. */
  readonly floor: Place;
  /** Rows of the list when it was last read down to something known. */
  readonly settledTotal: number;
  readonly totals: AddressTotals;
  readonly facts: AddressFacts;
  /** Made from the replacement of 4.6. */
  readonly isNew: boolean;
  readonly hasTransfers: boolean;
  readonly zeros: boolean;
  /** Transactions that the first poll was asked to read back, while some of them are left. */
  readonly backfill: number | undefined;
  readonly held: Held;
  /** Who took part in what this poll saw first; itself while something waits for its depth. */
  readonly seen: readonly string[];
  /** Validator of the list that this was made from. */
  readonly etag: string | undefined;
}

/** The block that proves a transaction: its own. */
export const proofOf = ({ height, hash, index }: Transaction) => ({ height, hash, index });

/** Whether a place is before another in chain order. */
export function isBelow(place: Place, other: Place): boolean {
  return place.height < other.height || (place.height === other.height && place.index < other.index);
}

/** Height below which counted transactions are not remembered. */
export function oldestOf(tipHeight: number, confirmations: number): number {
  return tipHeight - Math.max(16, confirmations * 8) + 1;
}

/** The floor below the counted transactions that are remembered. What was read above an open end says nothing about it. */
export function raisedFloor(floor: Place, counted: readonly Counted[], oldest: number): Place {
  const newest = counted.find(({ isAbove }) => !isAbove);
  if (newest === undefined) return floor;
  const height = Math.min(newest.height + 1, oldest);
  return height > floor.height ? { height, index: 0 } : floor;
}

/**
 * The floor that a chain of this height allows. One above it comes from a tip that never was; counting then goes on from the
 * newest transaction that was really listed. Undefined when the floor is possible.
 */
export function repairedFloor(
  { floor, facts }: Pick<Observation, "floor" | "facts">,
  chain: ChainView | undefined,
  confirmations: number,
): Place | undefined {
  if (chain === undefined || floor.height <= chain.highest + 1) return undefined;
  // At a tip that is too high everything listed is deep enough: it may be counted already, however new it is.
  const newest = facts.last?.height ?? depthOf(chain, confirmations);
  return { height: Math.min(newest, chain.tipHeight) + 1, index: 0 };
}

interface FirstVersion {
  readonly horizon: {
    readonly height: number;
    readonly floor: Place;
    readonly window: readonly {
      readonly txId: string;
      readonly height: number;
      readonly index: number;
      readonly blockHash: string;
    }[];
    readonly reverted: readonly { readonly txId: string; readonly at: number }[];
  };
  readonly totals: Omit<OldAddressTotals, "reverted"> & { readonly reverted: Readonly<Record<string, number>> };
  readonly facts: Omit<AddressFacts, "last"> & { readonly lastHeight?: number };
  readonly isNew: boolean;
  readonly hasTransfers: boolean;
  readonly zeros: boolean;
  readonly isBackfilling: boolean;
}

/** Version 1 knew heights up to which everything was counted, instead of what was counted. */
export function upgraded(observation: unknown): Observation {
  const { horizon, totals, facts, isNew, hasTransfers, zeros, isBackfilling } = observation as FirstVersion;
  const counted = horizon.window
    .map(({ txId, height, index, blockHash }) => ({ id: txId, height, index, hash: blockHash }))
    .reverse();
  const lowest = counted.at(-1)?.height ?? horizon.height + 1;
  const floor = horizon.floor.height > lowest ? horizon.floor : { height: lowest, index: 0 };
  const { lastHeight, ...others } = facts;
  const last = lastHeight === undefined ? undefined : { height: lastHeight, hash: "" };
  return {
    feed: { ...EMPTY_FEED, counted, reverted: horizon.reverted.map(({ txId, at }) => ({ id: txId, at })) },
    floor,
    settledTotal: facts.total,
    totals: cleaned({ ...totals, reverted: Object.values(totals.reverted).reduce((sum, count) => sum + count, 0) }),
    facts: { ...others, last, lastTimes: {}, nonces: {} },
    isNew,
    hasTransfers,
    zeros,
    backfill: isBackfilling ? Number.MAX_SAFE_INTEGER : undefined,
    held: {},
    seen: [],
    etag: undefined,
  };
}
