// Each fault, on real sockets.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Simulator } from "../../../simulator/server.ts";
import { captured } from "../captured.ts";
import { json, send, stillSimulator } from "../support.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator();
});
afterEach(() => simulator.faults.clear());
afterAll(() => simulator.close());

const FEES = "/extended/v2/mempool/fees";
const get = (path = FEES) => send(simulator.url + path);

test("404 with a path: a server that lacks some operations, as the real one responds to an unknown route", async () => {
  const real = captured("unknown-route.404");
  const list = "/extended/v3/transactions";
  simulator.faults.add({ kind: "404", path: list });
  const response = await get(`${list}?limit=50`);

  expect(response.status).toBe(real.status);
  expect(response.body).toBe(real.body.replace("/extended/v9/none", `${list}?limit=50`));
  for (const name of ["content-type", "cache-control", "x-api-version", "access-control-allow-origin", "etag"]) {
    expect([name, response.headers[name]]).toEqual([name, real.headers.get(name)]);
  }
  expect((await get("/extended/v3/mempool/transactions")).status).toBe(200);
  simulator.faults.set({ kind: "404", path: "/extended/v3/*" });
  expect((await get("/extended/v3/mempool/transactions")).status).toBe(404);
  expect((await get()).status).toBe(200);
});

interface Listed {
  readonly tx: { readonly tx_id: string; readonly block_hash: string; readonly tx_index: number };
}

test("a list fails while it contains one transaction", async () => {
  const path = `/extended/v2/addresses/${simulator.chain.accounts.users[0]}/transactions`;
  const { results } = json<{ results: readonly Listed[] }>(await get(path));
  simulator.faults.add({ kind: "500", tx: results[3]?.tx.tx_id ?? "" });

  expect((await get(path)).status).toBe(500);
  expect((await get(`${path}?limit=3`)).status).toBe(200);
  expect((await get(`${path}?limit=3&offset=3`)).status).toBe(500);
  expect((await get(`${path}?offset=4`)).status).toBe(200);
});

test("rows that no block has, and rows left out: the same ones in each response", async () => {
  const path = `/extended/v2/addresses/${simulator.chain.accounts.users[0]}/transactions?limit=50`;
  const listed = async () => json<{ results: readonly Listed[] }>(await get(path)).results;
  const before = await listed();
  const ids = new Set(before.map(({ tx }) => tx.tx_id));
  simulator.faults.add({ kind: "invent", rows: 2 });
  const more = await listed();

  const made = more.filter(({ tx }) => !ids.has(tx.tx_id));
  expect(made).toHaveLength(2);
  for (const row of made) {
    const { tx } = more[more.indexOf(row) + 1] ?? row;
    expect(row.tx).toMatchObject({ block_hash: tx.block_hash, tx_index: tx.tx_index + 1 });
  }
  expect(more.filter((row) => !made.includes(row))).toEqual(before);
  expect(await listed()).toEqual(more);
  simulator.faults.set({ kind: "omit", every: 2 });
  const fewer = await listed();
  expect(fewer.length).toBeGreaterThan(0);
  expect(fewer.length).toBeLessThan(before.length);
  expect(before).toEqual(expect.arrayContaining([...fewer]));
  expect(await listed()).toEqual(fewer);
});
