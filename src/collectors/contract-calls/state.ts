// The observation of the calls of a contract, which is kept between polls and across restarts. Plain data.
import type { Ledger, Row } from "../../ledger/ledger.ts";
import type { Poll, Target, Watched } from "../collector.ts";
import type { Rhythm } from "../rhythm.ts";
import type { Callers } from "./callers.ts";
import type { CallTotals } from "./totals.ts";

/** The observation of the calls of a contract. */
export interface Observation {
  /** Undefined before the list was read. */
  readonly ledger: Ledger | undefined;
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
  /** The newest call at any depth. */
  readonly last: (Row & { readonly time: number | undefined }) | undefined;
  /** Listed calls that do not have their confirmations. */
  readonly pending: number;
  /** Whether the list was read from the replacement of `address_transactions`. */
  readonly isNew: boolean;
}

/** A watched contract. */
export interface CallTarget extends Target {
  readonly watched: Watched;
  readonly confirmations: number;
}

export type CallPoll = Poll<Observation, CallTarget>;
