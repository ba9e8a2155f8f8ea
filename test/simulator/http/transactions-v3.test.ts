// Transactions of the v3 API: shapes, events, and the life of a transaction.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Place } from "../../../simulator/chain/block.ts";
import { canonicalTransactions } from "../../../simulator/chain/expected-totals.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { captured, deviations, extras, shapeOf } from "../captured.ts";
import { json, send, stillSimulator } from "../support.ts";

interface Item {
  readonly tx_id: string;
  readonly block: { readonly height: number; readonly hash: string; readonly tx_index: number };
}
interface Cursor {
  readonly next: string | null;
  readonly previous: string | null;
  readonly current: string | null;
}
interface Row extends Item {
  readonly type: string;
}
interface List {
  readonly total: number;
  readonly cursor: Cursor;
  readonly results: readonly Row[];
}
interface Events {
  readonly total: number;
  readonly cursor: Cursor;
  readonly results: readonly { readonly event_index: number; readonly type: string }[];
}

let simulator: Simulator;
const others: Simulator[] = [];
beforeAll(async () => {
  simulator = await stillSimulator({ seed: "v3", history: 80 });
});
afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.close()));
});
afterAll(() => simulator.close());

const ALL = "/extended/v3/transactions";
const get = (path: string, headers = {}) => send(simulator.url + path, { headers });
const places = () => [...canonicalTransactions(simulator.chain)].reverse();
const cursorOf = (place: Place | undefined) => place && `${place.block.height}:2147483647:${place.index}`;
const ids = (all: readonly Place[]) => all.map(({ tx }) => tx.id);
const find = (matches: (place: Place) => boolean) => {
  const found = places().find(matches);
  if (found === undefined) throw new Error("the chain has no such transaction");
  return found;
};
// All rows of the list of the chain, page by page.
async function readAll(url: string, limit = 50): Promise<Row[]> {
  const rows: Row[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page: List = json(await send(`${url}${ALL}?limit=${limit}${next}`));
    rows.push(...page.results);
    next = page.cursor.next && `&cursor=${page.cursor.next}`;
  }
  return rows;
}
const mixed = () => find(({ tx }) => tx.events.length > 1 && tx.events.some(({ kind }) => kind === "print"));
const principal = () => `/extended/v3/principals/${simulator.chain.accounts.users[0]}/transactions`;
const waiting = () => [...simulator.chain.mempool.values()][0]?.id ?? "";
const UNKNOWN = `0x${"ab".repeat(32)}`;

// These depend on the transaction.
const PAYLOADS = /\b(token_transfer|contract_call|smart_contract|coinbase|tenure_change)\b|sponsor\./;

describe("the same keys, types and headers as the real server", () => {
  const cases: [string, () => string][] = [
    ["v3-transactions.first-page", () => ALL],
    ["v3-transactions.second-page", () => `${ALL}?cursor=${cursorOf(places()[20])}`],
    ["v3-transactions.limit50", () => `${ALL}?limit=50`],
    ["v3-transactions.cursor-unknown-height", () => `${ALL}?limit=3&cursor=999:2147483647:0`],
    ["v3-transaction.mined", () => `${ALL}/${find(({ tx }) => tx.type === "contract_call").tx.id}`],
    ["v3-transaction.waiting", () => `${ALL}/${waiting()}`],
    ["v3-transaction-events.mined", () => `${ALL}/${mixed().tx.id}/events`],
    ["v2-block.first", () => "/extended/v2/blocks/1"],
    ["v2-logs.cursors", () => `/extended/v2/smart-contracts/${simulator.chain.accounts.contracts.logger}/logs?limit=3`],
  ];
  test.each(cases)("%s", async (name, path) => {
    const real = captured(name);
    const response = await get(path());

    expect(response.status).toBe(real.status);
    expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
    expect(response.headers.warning).toBeUndefined();
    const names = (shape: string[]) => shape.filter((line) => !PAYLOADS.test(line) && !/_asset/.test(line));
    const [expected, actual] = [shapeOf(JSON.parse(real.body)), shapeOf(JSON.parse(response.body))];
    expect(names(deviations(expected, actual))).toEqual([]);
    expect(names(extras(expected, actual))).toEqual([]);
  });

  type Case = [string, () => string];
  const errors: Case[] = [
    ["v3-transaction.unknown-404", () => `${ALL}/${UNKNOWN}`],
    ...[() => ALL, principal].flatMap((list): Case[] => [
      ["v3-transactions.bad-cursor-400", () => `${list()}?cursor=nonsense`],
      ["v3-transactions.limit0-400", () => `${list()}?limit=0`],
      ["v3-transactions.limit51-400", () => `${list()}?limit=51`],
      ["v3-transactions.past-end", () => `${list()}?cursor=0:2147483647:0`],
    ]),
  ];
  test.each(errors)("%s, byte for byte", async (name, path) => {
    const real = captured(name);
    const response = await get(path());

    expect([response.status, response.body]).toEqual([real.status, real.body]);
    expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
  });
});

test("rows of each type have the captured payload", async () => {
  const real = JSON.parse(captured("v3-transactions.limit50").body) as List;
  const rows = await readAll(simulator.url);
  const types = ["coinbase", "contract_call", "smart_contract", "tenure_change", "token_transfer"];

  expect([...new Set(real.results.map(({ type }) => type))].sort()).toEqual(types);
  expect(deviations(shapeOf(real.results), shapeOf(rows))).toEqual([]);
  for (const type of types) {
    const shape = (list: readonly Row[]) => shapeOf(list.filter((row) => row.type === type));
    const [expected, actual] = [shape(real.results), shape(rows)];
    expect([type, deviations(expected, actual).filter((line) => !line.includes("sponsor"))]).toEqual([type, []]);
    expect([type, extras(expected, actual).filter((path) => !path.includes("sponsor."))]).toEqual([type, []]);
  }
});

describe("the list of the chain", () => {
  test.each([1, 7, 50])("has every canonical transaction once, newest first, %d a page", async (limit) => {
    const rows = await readAll(simulator.url, limit);

    expect(rows.map(({ tx_id }) => tx_id)).toEqual(ids(places()));
  });

  test("has cursors of the older, the newer and this page", async () => {
    const [at, limit] = [33, 10];
    const cursor = cursorOf(places()[at]);
    const page = json<List>(await get(`${ALL}?limit=${limit}&cursor=${cursor}`));

    expect(page).toMatchObject({
      total: places().length,
      limit,
      cursor: { next: cursorOf(places()[at + limit]), previous: cursorOf(places()[at - limit]), current: cursor },
    });
    expect(json<List>(await get(ALL)).cursor.previous).toBeNull();
    const second = json<List>(await get(`${ALL}?limit=${limit}&cursor=${cursorOf(places()[4])}`));
    expect(second.cursor.previous).toBe(cursorOf(places()[0]));
  });

  test("starts at any height, and at the next lower transaction if there is none", async () => {
    const other = await stillSimulator({ seed: "gaps", history: 30 });
    others.push(other);
    const { chain } = other;
    const newest = async (cursor: string) =>
      json<List>(await send(`${other.url}${ALL}?cursor=${cursor}`)).results[0]?.tx_id;
    const block = chain.ledger.atHeight(17);
    expect(block?.txs.length).toBeGreaterThan(1);

    expect(await newest("17:2147483647:0")).toBe(block?.txs[0]?.id);
    expect(await newest("17:2147483647:32767")).toBe(block?.txs.at(-1)?.id);
    expect(await newest("17:0:0")).toBe(block?.txs.at(-1)?.id);
    expect(await newest("999:2147483647:0")).toBe(chain.ledger.tip?.txs.at(-1)?.id);

    chain.empty();
    while (chain.ledger.tip?.txs.length !== 0) other.advance(1);
    const below = chain.ledger.blocks.findLast(({ txs }) => txs.length > 0);
    expect(await newest(`${chain.height}:2147483647:0`)).toBe(below?.txs.at(-1)?.id);
  });

  test.each([
    ["2147483648:2147483647:0", "integer"],
    ["9:2147483648:0", "integer"],
    ["9:2147483647:32768", "smallint"],
  ])("with the cursor %s is the 500 of the database", async (cursor, type) => {
    for (const list of [ALL, principal()]) {
      const response = await get(`${list}?cursor=${cursor}`);
      expect(response.status).toBe(500);
      expect(json(response)).toMatchObject({ message: expect.stringContaining(`out of range for type ${type}`) });
    }
  });

  test("has the tip as its tag, for every page", async () => {
    const other = await stillSimulator({ seed: "tags", history: 30 });
    others.push(other);
    const real = captured("v3-transactions.conditional-304");
    const tag = `"${other.chain.ledger.tip?.indexHash}"`;
    const ask = (query: string) => send(`${other.url}${ALL}${query}`, { headers: { "if-none-match": tag } });

    expect((await send(`${other.url}${ALL}`)).headers.etag).toBe(tag);
    for (const query of ["", "?limit=50", "?cursor=12:2147483647:0"]) {
      const response = await ask(query);
      expect([response.status, response.body, response.headers.etag]).toEqual([real.status, "", undefined]);
      expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
    }
    other.advance(15);
    expect((await ask("")).status).toBe(200);
  });

  test("follows a reorganisation", async () => {
    const other = await stillSimulator({ seed: "reorg", history: 60 });
    others.push(other);
    const before = await send(`${other.url}${ALL}`);
    const { orphaned, returned } = other.chain.reorg(8);
    const hashes = orphaned.map(({ hash }) => hash);
    const after = await readAll(other.url);

    expect((await send(`${other.url}${ALL}`)).headers.etag).not.toBe(before.headers.etag);
    expect(after.map(({ tx_id }) => tx_id)).toEqual(ids([...canonicalTransactions(other.chain)].reverse()));
    expect(after.filter(({ block }) => hashes.includes(block.hash))).toEqual([]);
    expect(returned.length).toBeGreaterThan(0);
    expect(after.filter(({ tx_id }) => returned.some(({ id }) => id === tx_id))).toEqual([]);
  });

  test("ends at the oldest block that is kept; the total includes older transactions", async () => {
    const other = await stillSimulator({ seed: "v3", history: 80, keepBlocks: 20 });
    others.push(other);
    const { total } = json<List>(await send(`${other.url}${ALL}`));
    const rows = await readAll(other.url);

    expect(total).toBe(places().length);
    expect(rows.map(({ tx_id }) => tx_id)).toEqual(ids(places().filter(({ block }) => block.height > 60)));
    expect(json(await send(`${other.url}${ALL}?cursor=60:2147483647:0`))).toMatchObject({ total: 0, results: [] });
  });

  test("of an empty database is empty", async () => {
    const other = await stillSimulator({ history: 0 });
    others.push(other);

    const response = await send(`${other.url}${ALL}`);
    expect([response.status, response.body]).toEqual([200, captured("v3-transactions.past-end").body]);
    expect(response.headers.etag).toBeUndefined();
  });
});

test("a principal's list accepts a cursor without a transaction", async () => {
  const user = simulator.chain.accounts.users[0] ?? "";
  const { entries } = simulator.chain.ledger.principals.of(user);
  const { results } = await json<{ results: { transaction: Item }[] }>(
    await get(`/extended/v3/principals/${user}/transactions?limit=2&cursor=40:2147483647:9999`),
  );

  const expected = entries.filter(({ block }) => block.height <= 40).slice(-2);
  expect(results.map(({ transaction }) => transaction.tx_id)).toEqual(ids(expected).reverse());
  expect((await get(`/extended/v3/principals/${user}/transactions?cursor=x`)).status).toBe(400);
});

describe("events", () => {
  test("are in order, page by page, and mints have no sender", async () => {
    const { tx } = find(
      ({ tx }) => tx.events.length >= 3 || (tx.events.length > 1 && tx.events.some(({ kind }) => kind === "print")),
    );
    const seen: Events["results"][number][] = [];
    for (let cursor: string | null = "0"; cursor !== null; ) {
      const path: string = `${ALL}/${tx.id}/events?limit=1&cursor=${cursor}`;
      const page: Events = json(await get(path));
      expect(page.total).toBe(tx.events.length);
      seen.push(...page.results);
      cursor = page.cursor.next;
    }
    const types = { stx: "stx_asset", ft: "ft_asset", nft: "nft_asset", print: "contract_log" };

    expect(seen.map(({ event_index, type }) => [event_index, type])).toEqual(
      tx.events.map(({ kind }, index) => [index, types[kind]]),
    );
    const mint = find(({ tx }) => tx.events.some((event) => event.kind === "ft" && event.movement === "mint"));
    expect((await get(`${ALL}/${mint.tx.id}/events`)).body).not.toMatch(/"type":"mint","sender"/);
  });

  test.each(["limit=0", "limit=101", "cursor=-1"])("%s is a 400", async (query) => {
    expect((await get(`${ALL}/${mixed().tx.id}/events?${query}`)).status).toBe(400);
  });

  test("of a transaction that is not mined are a 400", async () => {
    for (const id of [UNKNOWN, waiting()]) expect((await get(`${ALL}/${id}/events`)).status).toBe(400);
  });
});

test("a transaction waits, is mined, and waits again without a block after a reorganisation", async () => {
  const other = await stillSimulator({ seed: "reorg", history: 60 });
  others.push(other);
  const { chain } = other;
  const { returned } = chain.reorg(8);
  const [tx] = returned;
  const path = `${other.url}${ALL}/${tx?.id}`;
  const orphaned = await send(path);
  const shape = shapeOf(JSON.parse(captured("v3-transaction.orphaned").body));

  expect(json(orphaned)).toMatchObject({ status: "pending", replaced_by_tx_id: null });
  expect(deviations(shape, shapeOf(JSON.parse(orphaned.body))).filter((line) => !PAYLOADS.test(line))).toEqual([]);
  expect(orphaned.body).not.toContain('"block"');

  const isMined = () => {
    const place = chain.ledger.placeOf(tx?.id ?? "");
    return place !== undefined && chain.ledger.isCanonical(place.block);
  };
  for (let left = 200; left > 0 && !isMined(); left -= 1) other.advance(10);
  const mined = await send(path);
  expect(json(mined)).toMatchObject({ block: { hash: chain.ledger.placeOf(tx?.id ?? "")?.block.hash } });
  expect(mined.headers.etag).not.toBe(orphaned.headers.etag);
});

test("block 1 is available after its successors are dropped", async () => {
  const other = await stillSimulator({ seed: "v3", history: 80, keepBlocks: 20 });
  others.push(other);
  const first = json<{ hash: string; index_block_hash: string }>(await get("/extended/v2/blocks/1"));

  expect(json(await send(`${other.url}/extended/v2/blocks/1`))).toEqual(first);
  expect(json(await send(`${other.url}/extended/v1/block/by_height/1`))).toMatchObject({
    hash: first.hash,
    index_block_hash: first.index_block_hash,
  });
  expect((await send(`${other.url}/extended/v1/block/${first.hash}`)).status).toBe(200);
  expect((await send(`${other.url}/extended/v2/blocks/2`)).status).toBe(404);
});
