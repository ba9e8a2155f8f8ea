// The state of a contract between polls. The state file stores it.
import type { TotalsOfRules } from "../event-rules/totals.ts";
import { EMPTY_FEED, type FeedState } from "../feed/state.ts";
import { NO_RHYTHM, type Rhythm } from "../rhythm.ts";
import type { ContractEvent } from "./event-source.ts";
import { NO_TOPICS, type TopicTotals } from "./topics.ts";

/** Totals since the first poll; they never decrease. */
export interface Totals extends TopicTotals {
  readonly gaps: number;
  readonly reverted: number;
  readonly restored: number;
}

export interface Observation {
  readonly feed: FeedState<ContractEvent>;
  readonly totals: Totals;
  /** Totals of the event rules. */
  readonly rules: TotalsOfRules;
  /** Time when a new event was last read. Unix time, milliseconds. */
  readonly lastSeenAt: number | undefined;
  /** Pauses between the times when new events were read. */
  readonly rhythm: Rhythm;
  /** Read by the replacement of the operation. */
  readonly isNew: boolean;
  /** Validator of the list; undefined if the next poll must read it in any case. */
  readonly etag: string | undefined;
}

/** A contract without events. */
export const EMPTY: Observation = {
  feed: EMPTY_FEED,
  totals: { ...NO_TOPICS, gaps: 0, reverted: 0, restored: 0 },
  rules: {},
  lastSeenAt: undefined,
  rhythm: NO_RHYTHM,
  isNew: false,
  etag: undefined,
};
