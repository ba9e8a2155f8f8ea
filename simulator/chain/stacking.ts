// One account stacks STX all the time: its lock is renewed with every reward cycle.
import { digest } from "./random.ts";
import type { View } from "./records.ts";

// The cycles of mainnet.
/** First burn block of cycle 0. */
export const FIRST_BURN_BLOCK = 666_050;
/** Burn blocks of a reward cycle. */
export const CYCLE_BLOCKS = 2100;
/** Amount of the lock. */
export const LOCKED_MICROSTX = 4_000_000_000_000n;

/** A lock of STX. Burn heights; it ends after the last one. */
export interface Lock {
  readonly amount: bigint;
  readonly txId: string;
  readonly from: number;
  readonly until: number;
}

/** A reward cycle by its number, and its first burn block. */
export function cycleAt(burnHeight: number): { readonly id: number; readonly start: number } {
  const id = Math.floor((burnHeight - FIRST_BURN_BLOCK) / CYCLE_BLOCKS);
  return { id, start: FIRST_BURN_BLOCK + id * CYCLE_BLOCKS };
}

/** The lock of a principal at the tip; undefined if it locks nothing. */
export function lockOf({ accounts, ledger }: View, principal: string): Lock | undefined {
  if (principal !== accounts.stacker || ledger.tip === undefined) return undefined;
  const { start: from } = cycleAt(ledger.tip.burn.height);
  return { amount: LOCKED_MICROSTX, txId: digest(principal, "lock", from), from, until: from + CYCLE_BLOCKS };
}
