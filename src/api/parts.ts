// What the steps of one call hand to each other.
import type { Backoff } from "./backoff.ts";
import type { Budget, Turn } from "./budget.ts";
import type { Cache } from "./cache.ts";
import type { Circuit } from "./circuit.ts";
import type { Clock } from "./clock.ts";
import type { Observer } from "./observer.ts";
import type { Operation } from "./operation.ts";
import type { OperationLedger } from "./operation-facts.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { Redact } from "./redact.ts";
import type { Lease, Retirement } from "./retirement.ts";
import type { Transport } from "./transport.ts";

/** One call of a collector: what is requested, and its turn in the queue. */
export interface Call extends Omit<Turn, "refusal"> {
  readonly operation: Operation;
  readonly collector: string | undefined;
  /** What the caller knows already, who then keeps the answer itself; absent: what is stored. */
  readonly known?: { readonly etag: string | undefined } | undefined;
  readonly lease: Lease;
  /** It is not conditional, whatever is stored or known: the server refused it with a validator. */
  readonly isPlain?: boolean;
}

/** The parts that all attempts on one network share. */
export interface Parts {
  readonly clock: Clock;
  readonly budget: Budget;
  readonly transport: Transport;
  readonly cache: Cache;
  readonly retirement: Retirement;
  readonly circuit: Circuit;
  readonly backoff: Backoff;
  readonly ledger: OperationLedger;
  readonly rateLimits: RateLimits;
  readonly observer: Observer;
  /** Makes foreign text fit for a message. */
  readonly redact: Redact;
  /** Header fields of every request. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Of one attempt, milliseconds. */
  readonly attemptTimeoutMs: number;
}
