// What is kept of a watched address between polls and across restarts. Plain data.
import type { Target, Watched } from "../collector.ts";

/** From the point of view of the address: it sends, or it receives. */
export const DIRECTIONS = ["in", "out"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Why a transaction waits no longer without being mined. */
export const REMOVALS = ["replaced", "dropped"] as const;
export type Removal = (typeof REMOVALS)[number];

/** How a transaction has ended. */
export type End = "mined" | Removal;

/** A waiting transaction. */
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

/** What is known of an address. */
export interface Values {
  readonly known: readonly Known[];
  /** Ended transactions by id: time (Unix time in milliseconds) and outcome. */
  readonly ended: Readonly<Record<string, { readonly at: number; readonly as: End }>>;
  /** Undefined for contracts, and until they are read. */
  readonly nonces: KnownNonces | undefined;
  /** Whether the last read reached the end of the list of the principal. */
  readonly isWhole: boolean;
  /** Time when the list of the principal was read. Unix time, milliseconds. */
  readonly readAt: number;
}

/** What is known before the first poll. */
export const NOTHING: Values = { known: [], ended: {}, nonces: undefined, isWhole: false, readAt: 0 };

/** A watched address. */
export interface WaitingTarget extends Target {
  readonly watched: Watched;
}

/** Whether a principal is a contract, which sends nothing and has no nonces. */
export const isContract = (principal: string): boolean => principal.includes(".");
