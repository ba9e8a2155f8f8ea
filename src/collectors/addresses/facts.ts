// What is known of an address beside its totals: values of the moment, each with the block that it was seen in. Pure.

import { blockStatus, type ChainView } from "../chain/chain-view.ts";
import type { AddressFacts, Fact } from "./families.ts";
import type { Transaction } from "./source.ts";
import { directionOf, ROLES } from "./totals.ts";

/** Facts without anything seen. */
export const NO_FACTS: AddressFacts = {
  total: 0,
  lastTimes: {},
  last: undefined,
  nonces: {},
  pending: { unanchored: 0, below_depth: 0 },
  backlog: 0,
};

/**
 * The facts after the newest rows of the list were read, newest first. What was seen in a block that was replaced does not
 * hold any more: a nonce after a fork is the canonical one.
 */
export function seenIn(
  before: AddressFacts,
  rows: readonly Transaction[],
  principal: string,
  chain: ChainView | undefined,
): Pick<AddressFacts, "lastTimes" | "nonces" | "last"> {
  const holds = (row: { readonly height: number; readonly hash: string }) => blockStatus(chain, row) !== "replaced";
  const still = <Key extends string>(facts: Readonly<Partial<Record<Key, Fact>>>) =>
    Object.fromEntries(Object.entries<Fact | undefined>(facts).filter(([, fact]) => fact && holds(fact))) as Partial<
      Record<Key, Fact>
    >;
  const lastTimes = still(before.lastTimes);
  const nonces = still(before.nonces);
  const newest = rows.filter(holds);
  // From the oldest to the newest, so that the newest stays.
  for (const tx of newest.toReversed()) {
    const { height, hash } = tx;
    if (tx.time !== undefined) lastTimes[directionOf(tx, principal)] = { value: tx.time, height, hash };
    for (const role of ROLES) {
      const isIt = role === "sender" ? tx.sender === principal : tx.sponsor === principal;
      const nonce = role === "sender" ? tx.nonce : tx.sponsorNonce;
      if (isIt && nonce !== undefined) nonces[role] = { value: nonce, height, hash };
    }
  }
  const [first] = newest;
  const last = before.last !== undefined && holds(before.last) ? before.last : undefined;
  return { lastTimes, nonces, last: first === undefined ? last : { height: first.height, hash: first.hash } };
}
