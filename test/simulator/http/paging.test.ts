// Pages, limits and cursors of every list.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Simulator } from "../../../simulator/server.ts";
import { json, send, stillSimulator } from "../support.ts";

interface List {
  readonly limit: number;
  readonly offset: number;
  readonly total?: number;
  readonly results: readonly unknown[];
  readonly prev_cursor?: string | null;
  readonly next_cursor?: string | null;
  readonly cursor?: string | null;
}

let simulator: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator();
});
afterAll(() => simulator.close());

const get = async (path: string) => json<List>(await send(simulator.url + path));
const status = async (path: string) => (await send(simulator.url + path)).status;
const user = () => simulator.chain.accounts.users[0] ?? "";
const lists: [string, () => string, number][] = [
  ["transactions", () => `/extended/v2/addresses/${user()}/transactions`, 50],
  ["transactions with transfers", () => `/extended/v1/address/${user()}/transactions_with_transfers`, 50],
  ["contract events", () => `/extended/v1/contract/${simulator.chain.accounts.contracts.logger}/events`, 50],
  ["contract logs", () => `/extended/v2/smart-contracts/${simulator.chain.accounts.contracts.logger}/logs`, 100],
  ["blocks", () => "/extended/v2/blocks", 30],
];

describe.each(lists)("%s", (name, path, most) => {
  test("the pages contain each item once", async () => {
    const items: unknown[] = [];
    for (let offset = 0; ; offset += 7) {
      const { results } = await get(`${path()}?limit=7&offset=${offset}`);
      if (results.length === 0) break;
      items.push(...results);
    }

    const { total } = await get(path());
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length);
    if (name !== "contract events") expect(items).toHaveLength(total ?? -1);
    else expect(total).toBeUndefined();
  });

  test("pages move when the list grows", async () => {
    const before = await get(`${path()}?limit=${most}`);
    let after = before;
    while (JSON.stringify(after.results[0]) === JSON.stringify(before.results[0])) {
      simulator.advance(5);
      after = await get(`${path()}?limit=${most}`);
    }

    const at = after.results.findIndex((item) => JSON.stringify(item) === JSON.stringify(before.results[0]));
    expect(at).toBeGreaterThan(0);
    expect(after.results.slice(at)).toEqual(before.results.slice(0, after.results.length - at));
  });

  test("the limit is 20 by default and never clamped", async () => {
    expect(await get(path())).toMatchObject({ limit: 20, offset: 0 });
    expect(await status(`${path()}?limit=${most}`)).toBe(200);
    for (const bad of [`limit=${most + 1}`, "limit=-1", "limit=abc", "limit=1.5", "limit=", "offset=-1"]) {
      expect([bad, await status(`${path()}?${bad}`)]).toEqual([bad, 400]);
    }
    const hasMaximum = name === "contract logs" || name === "blocks";
    expect(await status(`${path()}?offset=99999999999999999999`)).toBe(hasMaximum ? 400 : 500);
  });
});

describe.each(lists.slice(3))("cursors of %s", (_, path) => {
  test("lead to older pages and back, and count with an offset", async () => {
    const first = await get(`${path()}?limit=4`);
    expect(first.next_cursor).toBeNull();

    const second = await get(`${path()}?limit=4&cursor=${first.prev_cursor}`);
    expect(second.results).toEqual((await get(`${path()}?limit=4&offset=4`)).results);
    expect(second).toMatchObject({ cursor: first.prev_cursor, next_cursor: first.cursor });
    // The newer page is not full.
    expect(await get(`${path()}?limit=4&offset=3`)).toMatchObject({ next_cursor: null });
    const third = await get(`${path()}?limit=4&offset=4&cursor=${first.prev_cursor}`);
    expect(third).toMatchObject({ offset: 4, cursor: second.prev_cursor });
    expect(await status(`${path()}?cursor=nonsense`)).toBe(400);
  });
});

test("a cursor of contract logs means at or below: no print above a height is listed", async () => {
  const path = `/extended/v2/smart-contracts/${simulator.chain.accounts.contracts.logger}/logs`;
  const first = await get(`${path}?limit=100`);
  const depth = simulator.chain.height - 3;

  const settled = await get(`${path}?limit=100&cursor=${depth}:2147483647:32767:2147483647`);

  const height = Number(settled.cursor?.split(":")[0]);
  expect(height).toBeLessThanOrEqual(depth);
  const at = first.results.findIndex((item) => JSON.stringify(item) === JSON.stringify(settled.results[0]));
  expect(at).toBeGreaterThan(0);
  expect(settled.results.slice(0, 100 - at)).toEqual(first.results.slice(at));
  // Nothing is at or below it.
  expect(await status(`${path}?cursor=0:2147483647:0:0`)).toBe(404);
  expect(await status(`${path}?cursor=1:2147483647:32768:0`)).toBe(500);
});

describe("transactions with transfers", () => {
  const path = () => `/extended/v1/address/${user()}/transactions_with_transfers`;

  test("of one height ignore limit and offset", async () => {
    const counts = new Map<number, number>();
    for (const { block } of simulator.chain.ledger.principals.of(user()).entries) {
      counts.set(block.height, (counts.get(block.height) ?? 0) + 1);
    }
    const [height = 0, count = 0] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];

    const list = await get(`${path()}?height=${height}&limit=1&offset=1`);

    expect(count).toBeGreaterThan(1);
    expect(list).toMatchObject({ limit: 1, offset: 1, total: count });
    expect(list.results).toHaveLength(count);
  });
});
