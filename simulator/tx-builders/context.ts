// What every draft needs: chance, people and running numbers; and the outcome a draft usually has.
import type { Accounts } from "../chain/accounts.ts";
import { type ClarityValue, err, none, okTrue, uint } from "../chain/clarity.ts";
import type { Cost } from "../chain/cost.ts";
import type { Random } from "../chain/random.ts";
import type { TxEvent, UnsignedTx } from "../chain/transaction.ts";

/** The table at which drafts are written. */
export interface TxContext {
  readonly random: Random;
  readonly accounts: Accounts;
  /** The identifier of the next non-fungible token, counting from 1. */
  readonly nextToken: () => number;
}

/** The largest amount of a fungible token, 2^128 − 1. */
export const MAX_AMOUNT = (1n << 128n) - 1n;

/** Somebody who sends: more often a regular user than one of the occasional. */
export function anySender({ random, accounts }: TxContext): string {
  return random.chance(0.6) ? random.pick(accounts.users) : accounts.occasional(random.int(0, 3999));
}

/** Somebody else than `sender`. */
export function anyRecipient({ random, accounts }: TxContext, sender: string): string {
  const recipient = random.chance(0.7) ? random.pick(accounts.users) : accounts.occasional(random.int(0, 3999));
  return recipient === sender ? accounts.deployer : recipient;
}

/** A cost near the given one, each run differing a little. */
export function around(random: Random, cost: Cost): Cost {
  const near = (value: number) => Math.round(value * (0.7 + 0.6 * random.next()));
  return {
    readCount: near(cost.readCount),
    readLength: near(cost.readLength),
    runtime: near(cost.runtime),
    writeCount: near(cost.writeCount),
    writeLength: near(cost.writeLength),
  };
}

const RUNTIME_ERROR: ClarityValue = err(none);

/** How it ends: mostly well; an aborted transaction pays its fee and leaves no events. */
export function outcome(
  { random }: TxContext,
  events: readonly TxEvent[],
): Pick<UnsignedTx, "status" | "result" | "vmError" | "events"> {
  const draw = random.next();
  if (draw < 0.03) {
    const result = err(uint(BigInt(random.int(1, 4))));
    return { status: "abort_by_response", result, vmError: null, events: [] };
  }
  if (draw < 0.04) {
    return { status: "abort_by_response", result: RUNTIME_ERROR, vmError: "Runtime(ArithmeticUnderflow)", events: [] };
  }
  if (draw < 0.05) return { status: "abort_by_post_condition", result: okTrue, vmError: null, events: [] };
  return { status: "success", result: okTrue, vmError: null, events };
}
