// The effect of a reorganisation on each operation.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Block } from "../../../simulator/chain/block.ts";
import { canonicalTransactions } from "../../../simulator/chain/expected-totals.ts";
import type { Reorg } from "../../../simulator/chain/reorg.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { json, send, stillSimulator } from "../support.ts";

let simulator: Simulator;
let before: readonly Block[];
let reorg: Reorg;
beforeEach(async () => {
  simulator = await stillSimulator({ seed: "reorg" });
  before = [...simulator.chain.ledger.blocks];
  reorg = simulator.chain.reorg(8);
});
afterEach(() => simulator.close());

const get = (path: string) => send(simulator.url + path);

test("the heights stay, the hashes change, and the new blocks are linked", () => {
  const after = simulator.chain.ledger.blocks;

  expect(after.map(({ height }) => height)).toEqual(before.map(({ height }) => height));
  expect(after.slice(0, -8)).toEqual(before.slice(0, -8));
  for (const [at, block] of after.entries()) {
    if (at > 0) expect(block.parentHash).toBe(after[at - 1]?.hash);
    expect(simulator.chain.ledger.isCanonical(block)).toBe(true);
  }
  expect(reorg.orphaned.map(({ hash }) => hash)).toEqual(before.slice(-8).map(({ hash }) => hash));
});

test("each transaction of an orphan is either mined again or waits again", () => {
  const mined = [...canonicalTransactions(simulator.chain)].map(({ tx }) => tx.id);

  expect(new Set(mined).size).toBe(mined.length);
  expect(reorg.returned.length).toBeGreaterThan(0);
  for (const { txs } of reorg.orphaned) {
    for (const { id, origin } of txs) {
      if (origin === "protocol") continue;
      expect(Number(mined.includes(id)) + Number(simulator.chain.mempool.get(id) !== undefined)).toBe(1);
    }
  }
});

test("a request by hash returns an orphan without its transactions, one by height the canonical block", async () => {
  const [orphan, replacement] = [reorg.orphaned.at(-1), reorg.replaced.at(-1)];
  const byHash = await get(`/extended/v1/block/${orphan?.hash}`);
  const byHeight = await get(`/extended/v1/block/by_height/${orphan?.height}`);

  expect(byHash.status).toBe(200);
  expect(json(byHash)).toMatchObject({ hash: orphan?.hash, canonical: false, txs: [] });
  expect(json(byHeight)).toMatchObject({ hash: replacement?.hash, canonical: true });
});

test("the current block operation does not find orphans", async () => {
  const orphan = reorg.orphaned.at(-1);

  expect((await get(`/extended/v2/blocks/${orphan?.hash}`)).status).toBe(404);
  expect((await get(`/extended/v2/blocks/${orphan?.indexHash}`)).status).toBe(404);
  expect(json(await get(`/extended/v2/blocks/${orphan?.height}`))).toMatchObject({ hash: reorg.replaced.at(-1)?.hash });
});

test("a transaction that waits again has no events, one that was never mined is not found", async () => {
  const again = reorg.returned[0];
  const never = [...simulator.chain.mempool.values()].find(({ origin }) => origin === "background");
  const path = (id = "") => `/extended/v2/addresses/${again?.sender}/transactions/${id}/events`;

  expect(json(await get(path(again?.id)))).toMatchObject({ total: 0, results: [] });
  expect((await get(path(never?.id))).status).toBe(404);
});

test("the tag of a principal does not change when its newest transaction is mined again", async () => {
  const newest = (user: string) => simulator.chain.ledger.principals.of(user).entries.at(-1);
  const path = (user: string) => `${simulator.url}/extended/v2/addresses/${user}/transactions`;
  const seen = simulator.chain.accounts.users.map((user) => ({ user, place: newest(user) }));
  const tags = new Map<string, string>();
  for (const { user } of seen) tags.set(user, String((await send(path(user))).headers.etag));

  simulator.chain.reorg(8);

  const moved = seen.filter(
    ({ user, place }) => newest(user)?.tx === place?.tx && newest(user)?.block.hash !== place?.block.hash,
  );
  expect(moved.length).toBeGreaterThan(0);
  for (const { user } of moved) {
    const headers = { "if-none-match": tags.get(user) ?? "" };
    expect((await send(path(user), { headers })).status).toBe(304);
  }
});

test("later blocks have nonces without gaps", () => {
  simulator.advance(600);

  const next = new Map<string, number>();
  for (const { tx } of canonicalTransactions(simulator.chain)) {
    expect(tx.nonce).toBe(next.get(tx.sender) ?? 0);
    next.set(tx.sender, tx.nonce + 1);
  }
  expect(simulator.chain.height).toBeGreaterThan(230);
});
