// The balances of a principal: STX with the lock and the amounts in the mempool, and fungible tokens.

import type { View } from "../../chain/records.ts";
import { type Lock, lockOf } from "../../chain/stacking.ts";
import type { Tx } from "../../chain/transaction.ts";
import type { Json } from "../../json/values.ts";
import { activityTag, principalTag, waitingOf } from "../etag.ts";
import { operation } from "../operation.ts";
import { cursorMatching, pageFrom } from "../paging.ts";
import { integer, wholePrincipal } from "../query.ts";

// The server adds the whole fee to what the sender sends, also if a sponsor pays it.
function mempoolJson(waiting: readonly Tx[], address: string, available: bigint): Json | null {
  let inbound = 0n;
  let outbound = 0n;
  for (const { sender, sponsor, payload, fee } of waiting) {
    const amount = payload.type === "token_transfer" ? payload.amount : 0n;
    if (sender === address) outbound += amount + BigInt(fee);
    if (sponsor === address) outbound += BigInt(fee);
    if (payload.type === "token_transfer" && payload.recipient === address) inbound += amount;
  }
  if (inbound === 0n && outbound === 0n) return null;
  return {
    estimated_balance: String(available + inbound - outbound),
    inbound: String(inbound),
    outbound: String(outbound),
  };
}

const lockJson = ({ amount, txId, from, until }: Lock): Json => ({
  amount: String(amount),
  pox_version: 4,
  lock_tx_id: txId,
  stacks_lock_height: 1,
  burn_lock_height: from,
  burn_unlock_height: until,
});

const isKnown = ({ ledger }: View, address: string) => ledger.principals.of(address).total > 0;

/** STX. Its height is not returned. */
export const stxBalance = operation({
  template: "/extended/v3/principals/{principal}/balances/stx",
  parse: ({ path }) => wholePrincipal(path.principal),
  tag: activityTag,
  respond({ chain }, address) {
    const balance = isKnown(chain, address) ? chain.ledger.balances.of(address, "stx") : 0n;
    const lock = lockOf(chain, address);
    const available = balance - (lock?.amount ?? 0n);
    const json = {
      balance: String(balance),
      available: String(available),
      locked: lock === undefined ? null : lockJson(lock),
      mempool: mempoolJson(waitingOf(chain, address), address, available),
    };
    return { status: 200, json };
  },
});

/** Fungible tokens, largest balance first. */
export const tokenBalances = operation({
  template: "/extended/v3/principals/{principal}/balances/ft",
  parse: ({ path, query }) => ({
    address: wholePrincipal(path.principal),
    limit: integer(query.get("limit"), "querystring/limit", { min: 1, max: 200 }) ?? 100,
    cursor: cursorMatching(query, "^\\d+:.+$"),
  }),
  tag: (chain, { address }) => principalTag(chain, address),
  respond({ chain }, { address, limit, cursor }) {
    const asset = chain.accounts.assets.token;
    const balance = isKnown(chain, address) ? chain.ledger.balances.of(address, asset) : 0n;
    const entries = balance > 0n ? [{ asset, balance }] : [];
    const max = cursor === undefined ? balance : BigInt(cursor.slice(0, cursor.indexOf(":")));
    return pageFrom(
      { entries, total: entries.length },
      {
        limit,
        isWithin: (entry) => entry.balance <= max,
        cursorOf: (entry) => `${entry.balance}:${entry.asset}`,
      },
      (entry) => ({ asset_identifier: entry.asset, balance: String(entry.balance) }),
    );
  },
});
