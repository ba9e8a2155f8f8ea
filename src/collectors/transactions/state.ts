// The observation of a chain's transactions, which is kept between polls and across restarts. Plain data.
import type { Ledger } from "../../ledger/ledger.ts";
import type { ChainTarget, Poll } from "../collector.ts";
import { type Baseline, NO_BASELINE } from "./baseline.ts";
import type { BusyContract } from "./busiest.ts";
import type { RecentBlock } from "./recent.ts";
import { NO_TOTALS, type Totals } from "./totals.ts";

/** The observation of the whole chain. */
export interface Observation {
  /** Undefined before the list was read. */
  readonly ledger: Ledger | undefined;
  readonly totals: Totals;
  /** Newest first. */
  readonly recent: readonly RecentBlock[];
  readonly baseline: Baseline;
  readonly busiest: readonly BusyContract[];
  /** Principals that took part in transactions which the poll counted, and which were not known before it. */
  readonly moved: readonly string[];
  /** The greatest height that had its confirmations. */
  readonly depth: number;
  /** Listed transactions above it. */
  readonly pending: number;
  /** Start of the poll. Unix time, milliseconds. */
  readonly at: number;
  /** Start of the last poll that read everything down to known transactions; undefined until there is one. */
  readonly readAt: number | undefined;
}

/** The observation before the first transaction. */
export const NOTHING: Observation = {
  ledger: undefined,
  totals: NO_TOTALS,
  recent: [],
  baseline: NO_BASELINE,
  busiest: [],
  moved: [],
  depth: -1,
  pending: 0,
  at: 0,
  readAt: undefined,
};

export type ChainPoll = Poll<Observation, ChainTarget>;
