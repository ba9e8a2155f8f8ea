// Balances of the v3 API: the same as an independent sum over the chain.
import { afterEach, expect, test } from "@jest/globals";
import type { Chain } from "../../../simulator/chain/chain.ts";
import { canonicalTransactions } from "../../../simulator/chain/expected-totals.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { json, send, stillSimulator } from "../support.ts";

interface Stx {
  readonly balance: string;
  readonly available: string;
  readonly locked: { readonly amount: string; readonly burn_unlock_height: number } | null;
  readonly mempool: Readonly<Record<"estimated_balance" | "inbound" | "outbound", string>> | null;
}

const others: Simulator[] = [];
afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.close()));
});

async function another(options: Parameters<typeof stillSimulator>[0]): Promise<Simulator> {
  const other = await stillSimulator({ seed: "balances", history: 60, ...options });
  others.push(other);
  return other;
}

const pathOf = (principal: string, kind: "stx" | "ft") => `/extended/v3/principals/${principal}/balances/${kind}`;
const ask = (of: Simulator, principal: string, kind: "stx" | "ft" = "stx", headers = {}) =>
  send(of.url + pathOf(principal, kind), { headers });
const stxOf = async (of: Simulator, principal: string) => json<Stx>(await ask(of, principal));
// Without the genesis balance.
function changeOf(chain: Chain, principal: string, asset: string): bigint {
  let change = 0n;
  for (const { tx } of canonicalTransactions(chain)) {
    if (asset === "stx" && (tx.sponsor ?? tx.sender) === principal) change -= BigInt(tx.fee);
    for (const event of tx.events) {
      if (event.kind === "print" || event.kind === "nft" || (event.kind === "ft" ? event.asset : "stx") !== asset)
        continue;
      if (event.sender === principal) change -= event.amount;
      if (event.recipient === principal) change += event.amount;
    }
  }
  return change;
}

test("STX and tokens are what the chain moved, also after a reorganisation and when blocks are dropped", async () => {
  const other = await another({ keepBlocks: 500 });
  const dropping = await another({ keepBlocks: 20 });
  const { chain } = other;
  const { users, contracts, sponsor, assets, stacker } = chain.accounts;
  const principals = [...users.filter((one) => one !== stacker).slice(0, 5), contracts.vault, sponsor];
  const unused = chain.ledger.balances.of(chain.accounts.unused(1), "stx");
  const unusedToken = chain.ledger.balances.of(chain.accounts.unused(1), assets.token);
  const check = async (of: Simulator) => {
    for (const principal of principals) {
      const isContract = principal.includes(".");
      const expected = (isContract ? 0n : unused) + changeOf(chain, principal, "stx");
      const { balance, available } = await stxOf(of, principal);
      expect([balance, available]).toEqual([String(expected), String(expected)]);
      const units = (isContract ? 0n : unusedToken) + changeOf(chain, principal, assets.token);
      const { results } = json<{ results: object[] }>(await ask(of, principal, "ft"));
      expect(results).toEqual(units === 0n ? [] : [{ asset_identifier: assets.token, balance: String(units) }]);
    }
  };
  await check(other);
  await check(dropping);
  other.chain.reorg(12);
  await check(other);
  const before = await stxOf(other, users[0] ?? "");
  other.replicas.use({ kind: "lag", blocks: 0 });
  expect((await stxOf(other, users[0] ?? "")).balance).toBe(before.balance);
});
