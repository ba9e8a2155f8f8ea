// The list of waiting transactions.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Tx } from "../../../simulator/chain/transaction.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { json, send, stillSimulator } from "../support.ts";

interface Row {
  readonly tx_id: string;
  readonly type: string;
  readonly receipt_time: number;
  readonly receipt_block_height: number;
}
interface List {
  readonly total: number;
  readonly limit: number;
  readonly cursor: { readonly next: string | null; readonly previous: string | null; readonly current: string | null };
  readonly results: readonly Row[];
}

let simulator: Simulator;
beforeEach(async () => {
  simulator = await stillSimulator({ seed: "waiting", history: 60 });
  simulator.chain.begin("stuck");
});
afterEach(() => simulator.close());

const WAITING = "/extended/v3/mempool/transactions";
const get = (query = "", headers = {}) => send(`${simulator.url}${WAITING}${query}`, { headers });
// All waiting transactions, newest receipt first.
const expected = () =>
  [...simulator.chain.mempool.values()].sort(
    (one, other) => other.receivedAt - one.receivedAt || (one.id < other.id ? 1 : -1),
  );
const cursorOf = (tx: Tx | undefined) => tx && `${tx.receivedAt}:${tx.id}`;

async function readAll(limit = 50): Promise<Row[]> {
  const rows: Row[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page: List = json(await get(`?limit=${limit}${next}`));
    rows.push(...page.results);
    next = page.cursor.next && `&cursor=${page.cursor.next}`;
  }
  return rows;
}
const idsOf = (rows: readonly { readonly tx_id: string }[]) => rows.map(({ tx_id }) => tx_id);
const ids = (txs: readonly Tx[]) => txs.map(({ id }) => id);

test.each([7, 50])("has every waiting transaction once, newest receipt first, %d a page", async (limit) => {
  expect(expected().length).toBeGreaterThan(100);
  expect(idsOf(await readAll(limit))).toEqual(ids(expected()));
});

describe("a page", () => {
  test("has cursors of the older, the newer and this page", async () => {
    const all = expected();
    const page = json<List>(await get(`?limit=10&cursor=${cursorOf(all[33])}`));

    expect(page).toMatchObject({ total: all.length, limit: 10 });
    expect(page.cursor).toEqual({
      next: cursorOf(all[43]),
      previous: cursorOf(all[23]),
      current: cursorOf(all[33]),
    });
    expect(json<List>(await get()).cursor).toMatchObject({ previous: null, current: cursorOf(all[0]) });
  });
});

test("the tag is that of the mempool", async () => {
  const { etag = "" } = (await get()).headers;

  expect((await send(`${simulator.url}/extended/v2/mempool/fees`)).headers.etag).toBe(etag);
  expect((await get("?limit=3", { "if-none-match": etag })).status).toBe(304);
  simulator.advance(30);
  expect((await get("?limit=3", { "if-none-match": etag })).status).toBe(200);
});

test("a transaction keeps its receipt time when it is mined, and when it waits again", async () => {
  const rows = await readAll();
  simulator.advance(60);
  const { ledger } = simulator.chain;
  const mined = rows.filter(({ tx_id }) => ledger.placeOf(tx_id) !== undefined);
  const { returned } = simulator.chain.reorg(20);
  const again = await readAll();

  expect(mined.length).toBeGreaterThan(0);
  for (const { tx_id, receipt_time } of mined) expect(ledger.placeOf(tx_id)?.tx.receivedAt).toBe(receipt_time);
  expect(returned.length).toBeGreaterThan(0);
  expect(idsOf(again)).toEqual(ids(expected()));
  for (const { id, receivedAt } of returned) {
    expect(again).toContainEqual(expect.objectContaining({ tx_id: id, receipt_time: receivedAt }));
  }
});
