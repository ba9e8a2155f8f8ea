// Shared by the builders of transactions: randomness, accounts, token ids, and outcomes.
import { type Accounts, OCCASIONAL_ACCOUNTS } from "../chain/accounts.ts";
import { type ClarityValue, err, none, okTrue, uint } from "../chain/clarity.ts";
import { type Cost, eachDimension } from "../chain/cost.ts";
import type { Random } from "../chain/random.ts";
import type { TxEvent, UnsignedTx } from "../chain/transaction.ts";

/** The context of a builder. */
export interface TxContext {
  readonly random: Random;
  readonly accounts: Accounts;
  /** The id of the next non-fungible token, from 1. */
  readonly nextToken: () => number;
  /** Cost of a call, relative to its usual cost. */
  readonly callSize: number;
}

function randomAccount({ random, accounts }: TxContext, userShare: number): string {
  if (random.chance(userShare)) return random.pick(accounts.users);
  return accounts.occasional(random.int(0, OCCASIONAL_ACCOUNTS - 1));
}

/** A sender: mostly a regular user, else an occasional account. */
export const randomSender = (context: TxContext): string => randomAccount(context, 0.6);

/** An account other than `sender`. */
export function randomRecipient(context: TxContext, sender: string): string {
  const recipient = randomAccount(context, 0.7);
  return recipient === sender ? context.accounts.deployer : recipient;
}

/** A log-normal amount of at least 1. */
export function randomAmount(random: Random, median: number, sigma: number): bigint {
  return BigInt(Math.max(1, Math.round(random.logNormal(median, sigma))));
}

/** A cost that varies around the given one. `size` multiplies it. */
export function varyCost(random: Random, cost: Cost, size = 1): Cost {
  return eachDimension((dimension) => Math.round(size * cost[dimension] * (0.7 + 0.6 * random.next())));
}

type Outcome = Pick<UnsignedTx, "status" | "result" | "vmError" | "events">;

/** Success with these events. */
export function success(events: readonly TxEvent[]): Outcome {
  return { status: "success", result: okTrue, vmError: null, events };
}

/** Mostly success. An aborted transaction pays its fee and has no events. */
export function randomOutcome({ random }: TxContext, events: readonly TxEvent[]): Outcome {
  const abort = (result: ClarityValue, vmError: string | null): Outcome => ({
    status: "abort_by_response",
    result,
    vmError,
    events: [],
  });
  const draw = random.next();
  if (draw < 0.03) return abort(err(uint(BigInt(random.int(1, 4)))), null);
  if (draw < 0.04) return abort(err(none), "Runtime(ArithmeticUnderflow)");
  if (draw < 0.05) return { ...success([]), status: "abort_by_post_condition" };
  return success(events);
}
