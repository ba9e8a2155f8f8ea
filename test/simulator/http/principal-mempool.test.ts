// The waiting transactions and the nonces of a principal: lists, replicas, and orders to an address.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Tx } from "../../../simulator/chain/transaction.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { json, send, stillSimulator } from "../support.ts";

interface Nonces {
  readonly next_nonce: number;
  readonly last_confirmed_nonce: number | null;
  readonly mempool: {
    readonly last_nonce: number | null;
    readonly pending_nonces: readonly number[];
    readonly missing_nonces: readonly number[];
  };
}
interface List {
  readonly total: number;
  readonly cursor: { readonly next: string | null };
  readonly results: readonly { readonly tx_id: string; readonly sender: { readonly nonce: number } }[];
}

let simulator: Simulator;
beforeEach(async () => {
  simulator = await stillSimulator({ seed: "principal", history: 60, activity: 0 });
});
afterEach(() => simulator.close());

const pathOf = (principal: string, what: "mempool/transactions" | "nonces") =>
  `/extended/v3/principals/${principal}/${what}`;
const get = (path: string, headers = {}) => send(simulator.url + path, { headers });
const listOf = async (principal: string, query = "") =>
  json<List>(await get(pathOf(principal, "mempool/transactions") + query));
const noncesOf = async (principal: string) => json<Nonces>(await get(pathOf(principal, "nonces")));
const idsOf = async (principal: string) => (await listOf(principal)).results.map(({ tx_id }) => tx_id);
/** An address without waiting transactions that has sent `mined` transactions. */
function addressAfter(mined: number): string {
  const { chain } = simulator;
  const address = chain.accounts.unused(2_000_000);
  for (let sent = 0; sent < mined; sent += 1) chain.send(address);
  advanceUntil(() => chain.ledger.nonceOf(address) === mined);
  return address;
}
function advanceUntil(isReached: () => boolean): void {
  for (let seconds = 0; !isReached(); seconds += 1) {
    if (seconds > 3600) throw new Error("not reached within an hour");
    simulator.advance(1);
  }
}

test("lists what an address sends and receives, newest receipt first, and what a contract is called with", async () => {
  const { chain } = simulator;
  chain.begin("spike");
  for (let blocks = 0; blocks < 3; blocks += 1) simulator.advance(20);
  const { contracts, users } = chain.accounts;
  const isParty = ({ sender, payload }: Tx, principal: string) =>
    sender === principal ||
    ("recipient" in payload && payload.recipient === principal) ||
    ("contract" in payload && payload.contract === principal);
  let listed = 0;
  for (const principal of [...users, contracts.nft, contracts.vault]) {
    const expected = chain.mempool.byReceipt().filter((tx) => isParty(tx, principal));
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: List = await listOf(principal, cursor && `?cursor=${cursor}`);
      ids.push(...page.results.map(({ tx_id }) => tx_id));
      cursor = page.cursor.next;
    }
    expect(ids).toEqual(expected.map(({ id }) => id).reverse());
    listed += ids.length;
  }
  expect(listed).toBeGreaterThan(50);
});

describe("nonces", () => {
  test("between the confirmed one and the highest waiting one are pending or missing", async () => {
    const address = addressAfter(3);
    const { chain } = simulator;
    chain.send(address, { nonce: 4 });
    chain.send(address, { nonce: 6 });
    expect(await noncesOf(address)).toEqual({
      next_nonce: 7,
      last_confirmed_nonce: 2,
      mempool: { last_nonce: 6, pending_nonces: [4], missing_nonces: [5, 3] },
    });
  });
});

describe("orders to an address", () => {
  test("a left-out nonce blocks a transfer and all later ones, until it arrives", async () => {
    const address = addressAfter(1);
    const { chain } = simulator;
    const stuck = [chain.send(address, { skip: 1 }), chain.send(address), chain.send(address)];
    expect(stuck.map(({ nonce }) => nonce)).toEqual([2, 3, 4]);
    simulator.advance(1800);
    expect(await idsOf(address)).toHaveLength(3);
    chain.send(address, { nonce: 1 });
    advanceUntil(() => chain.ledger.nonceOf(address) === 5);
    expect(await idsOf(address)).toEqual([]);
  });

  test("a fee below the least is not mined, and its replacement is", async () => {
    const address = addressAfter(0);
    const { chain } = simulator;
    const cheap = chain.send(address, { fee: 179 });
    simulator.advance(1800);
    expect(await idsOf(address)).toEqual([cheap.id]);
    const better = chain.replace(cheap, 3000);
    expect([better.nonce, better.fee]).toEqual([cheap.nonce, 3000]);
    expect(await idsOf(address)).toEqual([better.id]);
    advanceUntil(() => chain.ledger.nonceOf(address) === 1);
    expect(chain.ledger.placeOf(better.id)?.tx).toBe(better);
  });

  test("a replica that lags still lists what was dropped or replaced since, and not what arrived since", async () => {
    const address = addressAfter(1);
    const { chain } = simulator;
    const [dropped, replaced] = [chain.send(address, { skip: 1 }), chain.send(address)];
    const { height } = chain;
    advanceUntil(() => chain.height > height);
    chain.drop(dropped);
    const better = chain.replace(replaced, 900_000);
    expect(await idsOf(address)).toEqual([better.id]);
    simulator.replicas.use({ kind: "stuck", blocks: 1 });
    expect(new Set(await idsOf(address))).toEqual(new Set([dropped.id, replaced.id]));
    simulator.replicas.clear();
    advanceUntil(() => chain.height > height + 1);
    simulator.replicas.use({ kind: "lag", blocks: 0 });
    expect(await idsOf(address)).toEqual([better.id]);
  });
});
