// One account stacks STX all the time: its lock is renewed with every reward cycle.
import { digest } from "./random.ts";
import type { View } from "./records.ts";

const CYCLE_BLOCKS = 2100;
const LOCKED_MICROSTX = 4_000_000_000_000n;

/** A lock of STX. Burn heights; it ends after the last one. */
export interface Lock {
  readonly amount: bigint;
  readonly txId: string;
  readonly from: number;
  readonly until: number;
}

/** The lock of a principal at the tip; undefined if it locks nothing. */
export function lockOf({ accounts, ledger }: View, principal: string): Lock | undefined {
  if (principal !== accounts.stacker || ledger.tip === undefined) return undefined;
  const { height } = ledger.tip.burn;
  const from = height - (height % CYCLE_BLOCKS);
  return { amount: LOCKED_MICROSTX, txId: digest(principal, "lock", from), from, until: from + CYCLE_BLOCKS };
}
