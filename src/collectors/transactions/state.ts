// The observation of a chain's transactions, which is kept between polls and across restarts. Plain data.
import type { Proof } from "../chain/chain-view.ts";
import type { ChainTarget, Poll } from "../collector.ts";
import type { ListState } from "../feed/read-list.ts";
import { EMPTY_FEED } from "../feed/state.ts";
import { type Baseline, NO_BASELINE } from "./baseline.ts";
import type { BusyContract } from "./busiest.ts";
import type { RecentBlock } from "./recent.ts";
import type { ChainTransaction } from "./source.ts";
import { NO_TOTALS, type Totals } from "./totals.ts";

/** The observation of the whole chain. */
export interface Observation extends ListState<ChainTransaction> {
  readonly totals: Totals;
  /** Newest first. */
  readonly recent: readonly RecentBlock[];
  readonly baseline: Baseline;
  readonly busiest: readonly BusyContract[];
  /** Principals that took part in transactions which the poll counted, and which did not wait before it. */
  readonly moved: readonly string[];
  /** The block of the newest transaction. */
  readonly last: Proof | undefined;
  /** Validator of the list. */
  readonly etag: string | undefined;
  /** Start of the poll. Unix time, milliseconds. */
  readonly at: number;
  /** Start of the last poll that read everything down to known transactions; undefined until there is one. */
  readonly readAt: number | undefined;
}

/** The observation before the first transaction. */
export const NOTHING: Observation = {
  feed: EMPTY_FEED,
  floor: { height: 0, index: 0 },
  settledTotal: 0,
  totals: NO_TOTALS,
  recent: [],
  baseline: NO_BASELINE,
  busiest: [],
  moved: [],
  last: undefined,
  etag: undefined,
  at: 0,
  readAt: undefined,
};

export type ChainPoll = Poll<Observation, ChainTarget>;
