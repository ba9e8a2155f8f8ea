// The list of waiting transactions.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Tx } from "../../../simulator/chain/transaction.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { captured, deviations, extras, shapeOf } from "../captured.ts";
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

test("has the keys, types and headers of the real server", async () => {
  const real = captured("v3-mempool-transactions.first-page");
  const response = await get();

  expect(response.status).toBe(real.status);
  expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
  expect(response.headers.etag).toMatch(/^"\d+\.\d{6}"$/);
  expect(real.headers.get("etag")).toMatch(/^"\d+\.\d{6}"$/);
  const list = JSON.parse(real.body) as List;
  const rows = await readAll();
  for (const type of ["token_transfer", "contract_call", "smart_contract"]) {
    const shape = (all: readonly Row[]) => shapeOf(all.filter((row) => row.type === type));
    expect([type, deviations(shape(list.results), shape(rows))]).toEqual([type, []]);
    const unknown = extras(shape(list.results), shape(rows)).filter((path) => !path.includes("sponsor."));
    expect([type, unknown]).toEqual([type, []]);
  }
  const { results: _, ...head } = json<List>(response);
  const { results: _rows, ...realHead } = list;
  expect(deviations(shapeOf(realHead), shapeOf(head))).toEqual([]);
});

test.each([1, 7, 50])("has every waiting transaction once, newest receipt first, %d a page", async (limit) => {
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

  test("starts at the next older transaction when that of the cursor waits no more", async () => {
    const [first, second] = expected();
    simulator.chain.mempool.drop(({ id }) => id === first?.id, simulator.chain.now);
    const page = json<List>(await get(`?cursor=${cursorOf(first)}`));

    expect(idsOf(page.results)[0]).toBe(second?.id);
    expect(
      idsOf(json<List>(await get(`?cursor=${cursorOf(second)?.toUpperCase().replace("0X", "0x")}`)).results)[0],
    ).toBe(second?.id);
  });

  test("past the end is empty, with total 0", async () => {
    expect(json(await get(`?cursor=1:0x${"00".repeat(32)}`))).toEqual({
      total: 0,
      limit: 20,
      cursor: { next: null, previous: null, current: null },
      results: [],
    });
  });

  test.each([
    ["limit=0", 400],
    ["limit=51", 400],
    ["cursor=60:2147483647:1", 400],
    ["cursor=1795301703", 400],
    [`cursor=1795301703:${"ab".repeat(32)}`, 500],
    [`cursor=1795301703000:0x${"ab".repeat(32)}`, 500],
  ])("with %s is a %d", async (query, status) => {
    expect((await get(`?${query}`)).status).toBe(status);
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

test("a replica that lags has none that arrived later, and still those that were mined later", async () => {
  const before = await readAll();
  const height = simulator.chain.height;
  simulator.replicas.use({ kind: "stuck" });
  const stuck = await readAll();
  simulator.replicas.clear();
  while (simulator.chain.height < height + 3) simulator.advance(1);
  simulator.replicas.use({ kind: "lag", blocks: 3 });
  const behind = await readAll();

  expect(idsOf(stuck)).toEqual(idsOf(before));
  expect(behind.every(({ receipt_block_height }) => receipt_block_height <= height)).toBe(true);
  const mined = before.filter(({ tx_id }) => simulator.chain.ledger.placeOf(tx_id) !== undefined);
  expect(mined.length).toBeGreaterThan(0);
  expect(idsOf(behind)).toEqual(expect.arrayContaining(idsOf(mined)));
});

test("an empty mempool has no rows", async () => {
  simulator.chain.empty();

  expect(json(await get())).toMatchObject({ total: 0, results: [], cursor: { current: null } });
});
