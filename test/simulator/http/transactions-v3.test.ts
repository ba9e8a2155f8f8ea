// Transactions of the v3 API: pages, validators, and the life of a transaction.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Place } from "../../../simulator/chain/block.ts";
import { canonicalTransactions } from "../../../simulator/chain/expected-totals.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { captured, deviations, shapeOf } from "../captured.ts";
import { json, send, stillSimulator } from "../support.ts";

interface Item {
  readonly tx_id: string;
  readonly block: { readonly height: number; readonly hash: string; readonly tx_index: number };
}
interface Row extends Item {
  readonly type: string;
}
interface List {
  readonly total: number;
  readonly cursor: { readonly next: string | null };
  readonly results: readonly Row[];
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
const places = () => [...canonicalTransactions(simulator.chain)].reverse();
const ids = (all: readonly Place[]) => all.map(({ tx }) => tx.id);
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
// These depend on the transaction.
const PAYLOADS = /\b(token_transfer|contract_call|smart_contract|coinbase|tenure_change)\b|sponsor\./;

describe("the list of the chain", () => {
  test.each([7, 50])("has every canonical transaction once, newest first, %d a page", async (limit) => {
    const rows = await readAll(simulator.url, limit);

    expect(rows.map(({ tx_id }) => tx_id)).toEqual(ids(places()));
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
