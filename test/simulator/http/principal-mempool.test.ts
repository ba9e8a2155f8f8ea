// The waiting transactions and the nonces of a principal: shapes, validators, replicas, and orders to an address.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Tx } from "../../../simulator/chain/transaction.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { captured, deviations, extras, shapeOf } from "../captured.ts";
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
const etagOf = async (principal: string) =>
  (await get(pathOf(principal, "mempool/transactions"))).headers.etag as string | undefined;
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

describe("the same keys, types and headers as the real server", () => {
  test.each(["mempool/transactions", "nonces"] as const)("%s", async (what) => {
    const address = addressAfter(2);
    const names = what === "nonces" ? ["v3-nonces.account", "v3-nonces.pending"] : ["v3-principal-mempool.account"];
    for (const name of names) {
      const real = captured(name);
      const response = await get(pathOf(address, what));
      expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
      expect(response.headers.etag).toMatch(/^"[0-9a-f]{64}"$/);
      const [expected, actual] = [shapeOf(JSON.parse(real.body)), shapeOf(JSON.parse(response.body))];
      const isValue = (path: string) => !/\.(last_nonce|last_confirmed_nonce)|^last_confirmed_nonce/.test(path);
      expect(deviations(expected, actual).filter(isValue)).toEqual([]);
    }
    expect((await get(pathOf(address, "nonces"))).headers.etag).toBe(await etagOf(address));
  });

  test("a waiting transfer", async () => {
    const address = addressAfter(0);
    simulator.chain.send(address, { skip: 1 });
    const real = JSON.parse(captured("v3-principal-mempool.pending").body) as { results: { type: string }[] };
    const transfers = real.results.filter(({ type }) => type === "token_transfer");
    const [expected, actual] = [shapeOf(transfers), shapeOf((await listOf(address)).results)];
    expect([deviations(expected, actual), extras(expected, actual)]).toEqual([[], []]);
  });

  test.each([
    ["v3-principal-mempool.unused", "mempool/transactions", ""],
    ["v3-nonces.unused", "nonces", ""],
    ["v3-nonces.contract-400", "nonces", ".contract"],
  ] as const)("%s, byte for byte", async (name, what, contract) => {
    const real = captured(name);
    const response = await get(pathOf(simulator.chain.accounts.unused(3_000_000) + contract, what));
    expect([response.status, response.body]).toEqual([real.status, real.body]);
    expect(response.headers.etag).toBeUndefined();
  });
});

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

  test("are neither pending nor missing while none is confirmed", async () => {
    const address = addressAfter(0);
    for (const nonce of [0, 1, 3]) simulator.chain.send(address, { nonce, fee: 1 });
    expect(await noncesOf(address)).toEqual({
      next_nonce: 4,
      last_confirmed_nonce: null,
      mempool: { last_nonce: 3, pending_nonces: [], missing_nonces: [] },
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

  test("a dropped transaction leaves the validator as it was, unless it is the newest", async () => {
    const address = addressAfter(1);
    const { chain } = simulator;
    const older = chain.send(address, { skip: 1 });
    simulator.advance(1);
    const newer = chain.send(address);
    const before = await etagOf(address);
    chain.drop(older);
    expect([await etagOf(address), await idsOf(address)]).toEqual([before, [newer.id]]);
    chain.drop(newer);
    expect([(await etagOf(address)) === before, await idsOf(address)]).toEqual([false, []]);
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

  test("can be given by remote control", async () => {
    const { chain } = simulator;
    const [hotWallet = ""] = chain.accounts.users;
    const post = async (command: string) => {
      const response = await send(`${simulator.url}/_sim/${command}`, { method: "POST" });
      return [response.status, json(response)];
    };
    const [, sent] = await post("send?skip=1&fee=5000");
    expect(sent).toMatchObject({ address: hotWallet, nonce: chain.ledger.nonceOf(hotWallet) + 1, fee: 5000 });
    expect(await post("replace")).toMatchObject([200, { address: hotWallet, fee: 10_000 }]);
    expect(await post("drop")).toMatchObject([200, { address: hotWallet, fee: 10_000 }]);
    expect(await post("drop")).toEqual([400, { error: `nothing of ${hotWallet} waits` }]);
    expect(await post("send?fees=1")).toMatchObject([400, { error: expect.stringContaining("fees is not a field") }]);
    expect(await idsOf(hotWallet)).toEqual([]);
  });
});
