// The observation of the calls of a contract, which is kept between polls and across restarts. Plain data.
import type { Proof } from "../chain/chain-view.ts";
import type { Poll, Target, Watched } from "../collector.ts";
import type { ListState } from "../feed/read-list.ts";
import { EMPTY_FEED } from "../feed/state.ts";
import { NO_RHYTHM, type Rhythm } from "../rhythm.ts";
import type { Callers } from "./callers.ts";
import type { ContractTransaction } from "./source.ts";
import { type CallTotals, NO_CALLS } from "./totals.ts";

/** The observation of the calls of a contract. */
export interface Observation extends ListState<ContractTransaction> {
  readonly totals: CallTotals & {
    /** Transactions that were skipped, because there were more than `catch_up`. */
    readonly gap: number;
    readonly reverted: number;
    readonly restored: number;
  };
  /** Confirmed callers of the last hour. */
  readonly callers: Callers;
  /** Pauses between the confirmed calls. */
  readonly rhythm: Rhythm;
  /** The newest call at any depth, with its block. */
  readonly last: (Proof & { readonly time: number | undefined }) | undefined;
  /** Height up to which calls have their confirmations. */
  readonly confirmedTo: number;
  /** Whether the list was read from the replacement of `address_transactions`. */
  readonly isNew: boolean;
  /** ETag of the list. */
  readonly etag: string | undefined;
}

/** A contract without calls. */
export const NOTHING: Observation = {
  feed: EMPTY_FEED,
  floor: { height: 0, index: 0 },
  settledTotal: 0,
  totals: { ...NO_CALLS, gap: 0, reverted: 0, restored: 0 },
  callers: {},
  rhythm: NO_RHYTHM,
  last: undefined,
  confirmedTo: -1,
  isNew: false,
  etag: undefined,
};

/** A watched contract. */
export interface CallTarget extends Target {
  readonly watched: Watched;
  readonly confirmations: number;
}

export type CallPoll = Poll<Observation, CallTarget>;
