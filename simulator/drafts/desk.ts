// What every draft needs: chance, people and running numbers; and the outcome a draft usually has.
import type { Cast } from "../chain/cast.ts";
import { type ClarityValue, err, none, okTrue, uint } from "../chain/clarity.ts";
import type { Cost } from "../chain/cost.ts";
import type { Random } from "../chain/random.ts";
import type { Draft, TxEvent } from "../chain/transaction.ts";

/** The table at which drafts are written. */
export interface Desk {
  readonly random: Random;
  readonly cast: Cast;
  /** The identifier of the next non-fungible token, counting from 1. */
  readonly nextToken: () => number;
}

/** The largest amount of a fungible token, 2^128 − 1. */
export const MAX_AMOUNT = (1n << 128n) - 1n;

/** Somebody who sends: more often a regular user than one of the crowd. */
export function anySender({ random, cast }: Desk): string {
  return random.chance(0.6) ? random.pick(cast.users) : cast.crowd(random.int(0, 3999));
}

/** Somebody else than `sender`. */
export function anyRecipient({ random, cast }: Desk, sender: string): string {
  const recipient = random.chance(0.7) ? random.pick(cast.users) : cast.crowd(random.int(0, 3999));
  return recipient === sender ? cast.deployer : recipient;
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
  { random }: Desk,
  events: readonly TxEvent[],
): Pick<Draft, "status" | "result" | "vmError" | "events"> {
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
