// The observation of a watched address, which is kept between polls and across restarts. Plain data.
import type { Row } from "../../ledger/ledger.ts";
import type { Poll, Target, Watched } from "../collector.ts";
import type { Counters } from "../counters.ts";

/** From the point of view of the address: it sends, or it receives. */
export const DIRECTIONS = ["in", "out"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Why a transaction waits no longer without being mined. */
export const REMOVALS = ["replaced", "dropped"] as const;
export type Removal = (typeof REMOVALS)[number];

/** A transaction that waits, or was mined so recently that it may wait again. */
export interface Known {
  readonly id: string;
  readonly type: string;
  readonly direction: Direction;
  /** In microSTX; undefined if it is not an integer. */
  readonly fee: number | undefined;
  readonly sender: string;
  readonly nonce: number;
  /** Time when a server received it. Unix time, seconds. */
  readonly receivedAt: number;
  /** Its block, and since when that is known (Unix time in milliseconds); undefined while it waits. */
  readonly minedIn?: (Pick<Row, "height" | "hash"> & { readonly at: number }) | undefined;
  /** Consecutive reads of the list that lacked it, and the time of the first. Unix time, milliseconds. */
  readonly missing?: { readonly since: number; readonly reads: number } | undefined;
}

/** The nonces of an account. */
export interface KnownNonces {
  /** The highest one that is mined; -1 if none is. */
  readonly confirmed: number;
  /** A lower one of the last response, which counts if the next one repeats it. */
  readonly lower?: number | undefined;
  /** Nonces that are confirmed to be missing. */
  readonly missing: readonly number[];
}

/** The observation of an address. */
export interface Observation {
  readonly known: readonly Known[];
  /** Ended transactions by id: time (Unix time in milliseconds) and outcome. */
  readonly ended: Readonly<Record<string, { readonly at: number; readonly as: "mined" | Removal }>>;
  /** Removed transactions, by direction and reason. */
  readonly removed: Counters<number>;
  /** Undefined for contracts, and until they are read. */
  readonly nonces: KnownNonces | undefined;
  /** Whether the last read reached the end of the list of the principal. */
  readonly isWhole: boolean;
  /** Time when the list of the principal was read. Unix time, milliseconds. */
  readonly readAt: number;
  /** ETag of the list of the principal. */
  readonly etag: string | undefined;
}

/** The observation before the first poll. */
export const NOTHING: Observation = {
  known: [],
  ended: {},
  removed: {},
  nonces: undefined,
  isWhole: false,
  readAt: Number.NEGATIVE_INFINITY,
  etag: undefined,
};

/** A watched address. */
export interface WaitingTarget extends Target {
  readonly watched: Watched;
  readonly confirmations: number;
}

export type WaitingPoll = Poll<Observation, WaitingTarget>;

/** Whether a principal is a contract, which sends nothing and has no nonces. */
export const isContract = (principal: string): boolean => principal.includes(".");

/** Whether a transaction is not known to be mined. */
export const isWaiting = ({ minedIn }: Known): boolean => minedIn === undefined;
