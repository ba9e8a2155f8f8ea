// Missing nonces: a transaction waits until every lower nonce of its sender is mined. Pure.

import type { Nonces } from "./source.ts";
import type { KnownNonces, Values } from "./state.ts";

/** The lowest missing nonce, and the number of transactions that wait for it. */
export interface Gap {
  readonly nonce: number;
  readonly blocked: number;
}

// More are no use: only the lowest one is shown.
const MAX_MISSING = 100;

/** Nonces of the transactions that the address sends and that wait. */
export const sentNonces = ({ known }: Pick<Values, "known">): readonly number[] =>
  known.filter((one) => one.direction === "out").map(({ nonce }) => nonce);

/** The nonces that are above the confirmed one, below a waiting one, and neither. Ascending, the lowest ones. */
function missingBetween(confirmed: number, waiting: readonly number[]): readonly number[] {
  const missing: number[] = [];
  const [highest, present] = [Math.max(confirmed, ...waiting), new Set(waiting)];
  for (let nonce = confirmed + 1; nonce < highest && missing.length < MAX_MISSING; nonce += 1) {
    if (!present.has(nonce)) missing.push(nonce);
  }
  return missing;
}

/** Missing nonces by the transactions that are known, whether the server confirms it or not. */
export function apparentlyMissing(observation: Pick<Values, "known" | "nonces">): readonly number[] {
  return observation.nonces === undefined ? [] : missingBetween(observation.nonces.confirmed, sentNonces(observation));
}

/** The gap, if a response of the server has confirmed it. */
export function confirmedGap(observation: Pick<Values, "known" | "nonces">): Gap | undefined {
  const confirmed = new Set(observation.nonces?.missing);
  const nonce = apparentlyMissing(observation).find((one) => confirmed.has(one));
  return nonce === undefined
    ? undefined
    : { nonce, blocked: sentNonces(observation).filter((one) => one > nonce).length };
}

/** The nonces after a response. A server that is behind neither confirms a gap nor lowers the confirmed nonce. */
export function withResponse(
  before: KnownNonces | undefined,
  { confirmed, last, pending }: Nonces,
  waiting: readonly number[],
): KnownNonces {
  // A reorganisation lowers the confirmed nonce, and so does a server that is behind: only the former stays.
  const isLower = before !== undefined && confirmed < before.confirmed;
  const isRepeated = isLower && before.lower !== undefined && confirmed >= before.lower;
  const known = isLower && !isRepeated ? before.confirmed : confirmed;
  const lower = isLower && !isRepeated ? { lower: confirmed } : {};
  const missing = missingBetween(known, [...waiting, ...pending]);
  // The response is older than the waiting transactions if it lacks the newest of them.
  const knowsAll = last >= Math.max(-1, ...waiting);
  const confirmedBefore = new Set(before?.missing);
  return {
    confirmed: known,
    ...lower,
    missing: knowsAll ? missing : missing.filter((nonce) => confirmedBefore.has(nonce)),
  };
}
