// Transactions of the v3 API: shapes, cursors, and the life of a transaction.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Place } from "../../simulator/chain/block.ts";
import { canonicalTransactions } from "../../simulator/chain/expected-totals.ts";
import type { Simulator } from "../../simulator/server.ts";
import { captured } from "./captured.ts";
import { deviations, extras, shapeOf } from "./shape.ts";
import { ask, json, stillSimulator } from "./support.ts";

interface Item {
  readonly tx_id: string;
  readonly block: { readonly height: number; readonly tx_index: number };
}
interface List {
  readonly total: number;
  readonly limit: number;
  readonly cursor: { readonly next: string | null; readonly previous: string | null; readonly current: string | null };
  readonly results: readonly Item[];
}

interface Events {
  readonly total: number;
  readonly cursor: List["cursor"];
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
const get = (path: string, headers = {}) => ask(simulator.url + path, { headers });
const list = async (path: string) => json<List>(await get(path));
const places = () => [...canonicalTransactions(simulator.chain)].reverse();
const ids = (all: readonly Place[]) => all.map(({ tx }) => tx.id);
const find = (isMeant: (place: Place) => boolean) => {
  const found = places().find(isMeant);
  if (found === undefined) throw new Error("the chain has no such transaction");
  return found;
};
const mixed = () => find(({ tx }) => tx.events.length > 1 && tx.events.some(({ kind }) => kind === "print"));
const waiting = () => [...simulator.chain.mempool.values()][0]?.id ?? "";
const UNKNOWN = `0x${"ab".repeat(32)}`;

// Which of these there are depends on the transaction.
const PAYLOADS = /\b(token_transfer|contract_call|smart_contract|coinbase|tenure_change)\b/;

describe("the same keys, types and headers as the real server", () => {
  const cases: [string, () => string][] = [
    ["v3-transaction.mined", () => `${ALL}/${find(({ tx }) => tx.type === "contract_call").tx.id}`],
    ["v3-transaction.waiting", () => `${ALL}/${waiting()}`],
    ["v3-transaction-events.mined", () => `${ALL}/${mixed().tx.id}/events`],
    ["v3-transactions.first-page", () => ALL],
    ["v3-transactions.cursor-unknown-height", () => `${ALL}?limit=3&cursor=${simulator.chain.height + 1}:2147483647:0`],
    ["v3-block-transactions", () => "/extended/v3/blocks/latest/transactions?limit=50"],
    ["v2-block.first", () => "/extended/v2/blocks/1"],
    ["v2-logs.cursors", () => `/extended/v2/smart-contracts/${simulator.chain.accounts.contracts.logger}/logs?limit=3`],
  ];
  test.each(cases)("%s", async (name, path) => {
    const real = captured(name);
    const answer = await get(path());

    expect(answer.status).toBe(real.status);
    expect(answer.headers["cache-control"]).toBe(real.headers.get("cache-control"));
    expect(answer.headers.warning).toBeUndefined();
    const names = (shape: string[]) => shape.filter((line) => !PAYLOADS.test(line) && !/_asset/.test(line));
    const [expected, actual] = [shapeOf(JSON.parse(real.body)), shapeOf(JSON.parse(answer.body))];
    expect(names(deviations(expected, actual))).toEqual([]);
    expect(names(extras(expected, actual)).filter((path) => !path.includes("sponsor."))).toEqual([]);
  });

  const errors: [string, () => string][] = [
    ["v3-transaction.unknown-404", () => `${ALL}/${UNKNOWN}`],
    ["v3-transactions.bad-cursor-400", () => `${ALL}?cursor=nonsense`],
    ["v3-transactions.limit0-400", () => `${ALL}?limit=0`],
    ["v3-transactions.limit51-400", () => `${ALL}?limit=51`],
    ["v3-transactions.past-end", () => `${ALL}?cursor=0:2147483647:0`],
  ];
  test.each(errors)("%s, word for word", async (name, path) => {
    const real = captured(name);
    const answer = await get(path());

    expect([answer.status, answer.body]).toEqual([real.status, real.body]);
    expect(answer.headers["cache-control"]).toBe(real.headers.get("cache-control"));
  });
});

describe("the list of all transactions", () => {
  test("has every canonical transaction once, newest first", async () => {
    const seen: string[] = [];
    for (let path: string | null = `${ALL}?limit=50`; path !== null; ) {
      const { results, total, cursor } = await list(path);
      expect(total).toBe(places().length);
      seen.push(...results.map(({ tx_id }) => tx_id));
      path = cursor.next === null ? null : `${ALL}?limit=50&cursor=${cursor.next}`;
    }

    expect(seen).toEqual(ids(places()));
  });

  test("previous leads back, and the first page has none", async () => {
    const first = await list(`${ALL}?limit=7`);
    const second = await list(`${ALL}?limit=7&cursor=${first.cursor.next}`);

    expect(first.cursor.previous).toBeNull();
    expect(second.cursor.previous).toBe(first.cursor.current);
  });

  test.each([
    [
      "height:2147483647:index begins at that transaction",
      "40:2147483647:1",
      (height: number, index: number) => height < 40 || (height === 40 && index <= 1),
    ],
    [
      "height:2147483647:0 needs no transaction of that name",
      "40:2147483647:0",
      (height: number, index: number) => height < 40 || (height === 40 && index === 0),
    ],
    ["height:0:0 stands for the whole block", "40:0:0", (height: number) => height <= 40],
    ["a height beyond the tip begins at the tip", "99999:2147483647:0", () => true],
  ])("a cursor %s", async (_, cursor, isIn) => {
    const { results } = await list(`${ALL}?limit=5&cursor=${cursor}`);

    const expected = places().filter(({ block, index }) => isIn(block.height, index));
    expect(results.map(({ tx_id }) => tx_id)).toEqual(ids(expected.slice(0, 5)));
  });

  test("its tag is the tip, and gives a 304", async () => {
    const { headers } = await get(ALL);
    const again = await get(ALL, { "if-none-match": String(headers.etag) });

    expect(headers.etag).toBe(`"${simulator.chain.ledger.tip?.indexHash}"`);
    expect([again.status, again.body]).toEqual([captured("v3-transactions.conditional-304").status, ""]);
  });
});

test("a block's transactions are those of the block, last first", async () => {
  const { block } = find(({ block }) => block.txs.length > 4);
  const path = `/extended/v3/blocks/${block.indexHash}/transactions?limit=3`;
  const first = await list(path);
  const second = await list(`${path}&cursor=${first.cursor.next}`);

  const all = block.txs.map(({ id }) => id).reverse();
  expect([...first.results, ...second.results].map(({ tx_id }) => tx_id)).toEqual(all.slice(0, 6));
  expect([first.total, second.cursor.previous]).toEqual([all.length, first.cursor.current]);
  expect((await get("/extended/v3/blocks/99999/transactions")).status).toBe(404);
});

test("a principal's list takes cursors that name no transaction", async () => {
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
  test("come in order, page by page, and mints have no sender", async () => {
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
  const orphaned = await ask(path);
  const shape = shapeOf(JSON.parse(captured("v3-transaction.orphaned").body));

  expect(json(orphaned)).toMatchObject({ status: "pending", replaced_by_tx_id: null });
  expect(deviations(shape, shapeOf(JSON.parse(orphaned.body))).filter((line) => !PAYLOADS.test(line))).toEqual([]);
  expect(orphaned.body).not.toContain('"block"');

  const isMined = () => {
    const place = chain.ledger.placeOf(tx?.id ?? "");
    return place !== undefined && chain.ledger.isCanonical(place.block);
  };
  for (let left = 200; left > 0 && !isMined(); left -= 1) other.advance(10);
  const mined = await ask(path);
  expect(json(mined)).toMatchObject({ block: { hash: chain.ledger.placeOf(tx?.id ?? "")?.block.hash } });
  expect(mined.headers.etag).not.toBe(orphaned.headers.etag);
});

test("block 1 is available after its successors are forgotten", async () => {
  const other = await stillSimulator({ seed: "v3", history: 80, keepBlocks: 20 });
  others.push(other);
  const first = json<{ hash: string; index_block_hash: string }>(await get("/extended/v2/blocks/1"));

  expect(json(await ask(`${other.url}/extended/v2/blocks/1`))).toEqual(first);
  expect(json(await ask(`${other.url}/extended/v1/block/by_height/1`))).toMatchObject({
    hash: first.hash,
    index_block_hash: first.index_block_hash,
  });
  expect((await ask(`${other.url}/extended/v1/block/${first.hash}`)).status).toBe(200);
  expect((await ask(`${other.url}/extended/v2/blocks/2`)).status).toBe(404);
});
