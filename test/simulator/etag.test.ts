// Entity tags: what they depend on, and what counts as a match.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Simulator } from "../../simulator/server.ts";
import { ask, stillSimulator } from "./support.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator();
});
afterAll(() => simulator.close());

const tagOf = async (path: string) => String((await ask(simulator.url + path)).headers.etag);
const statusWith = async (path: string, ifNoneMatch: string) =>
  (await ask(simulator.url + path, { headers: { "if-none-match": ifNoneMatch } })).status;
const user = () => simulator.chain.accounts.users[0] ?? "";

// Advances until one more block is there.
function nextBlock(): void {
  const { height } = simulator.chain;
  while (simulator.chain.height === height) simulator.advance(1);
}

describe("a match", () => {
  let tag = "";
  beforeEach(async () => {
    tag = await tagOf("/extended/v2/mempool/fees");
  });

  const spellings: [string, () => string, number][] = [
    ["the tag itself", () => tag, 304],
    ["the weak form", () => `W/${tag}`, 304],
    ["a list with the tag", () => `"other", W/"more",${tag}`, 304],
    ["the tag without quotes", () => tag.replaceAll('"', ""), 200],
    ["a star", () => "*", 200],
    ["another tag", () => '"other"', 200],
  ];
  test.each(spellings)("%s", async (_, spelled, status) => {
    expect(await statusWith("/extended/v2/mempool/fees", spelled())).toBe(status);
  });

  test("has neither body nor entity tag", async () => {
    const answer = await ask(`${simulator.url}/extended`, {
      headers: { "if-none-match": await tagOf("/extended") },
    });

    expect(answer).toMatchObject({ status: 304, body: "" });
    expect(answer.headers.etag).toBeUndefined();
    expect(answer.headers["cache-control"]).toBe("public, no-cache, must-revalidate");
  });
});

describe("the tag of", () => {
  test("the mempool changes with each bookkeeping, and with each block", async () => {
    const before = await tagOf("/extended/v1/tx/mempool/stats");
    expect(await tagOf("/extended/v2/mempool/fees")).toBe(before);
    nextBlock();
    expect(await tagOf("/extended/v1/tx/mempool/stats")).not.toBe(before);
  });

  test("a block is the chain tip, also for a block that does not exist", async () => {
    const old = await tagOf("/extended/v1/block/by_height/3");
    expect(await tagOf("/extended/v1/block/by_height/99999")).toBe(old);
    expect(await tagOf("/extended")).toBe(old);
    expect(await statusWith("/extended/v1/block/by_height/99999", old)).toBe(304);
    nextBlock();
    expect(await tagOf("/extended/v1/block/by_height/3")).not.toBe(old);
    expect(await statusWith("/extended/v1/block/by_height/99999", old)).toBe(404);
  });

  test("the newest block names it", async () => {
    const { indexHash } = simulator.chain.ledger.tip ?? {};

    expect(await tagOf("/extended/v2/blocks/latest")).toBe(`"${indexHash}:true"`);
  });

  test("a principal depends on its newest transaction only, whatever the page", async () => {
    const path = `/extended/v2/addresses/${user()}/transactions`;
    const tag = await tagOf(path);
    const count = () => simulator.chain.ledger.principals.of(user()).total;
    expect(await tagOf(`${path}?limit=1&offset=3`)).toBe(tag);
    expect(await tagOf(`/extended/v1/address/${user()}/transactions_with_transfers`)).toBe(tag);

    const before = count();
    while (count() === before) {
      expect(await tagOf(path)).toBe(tag);
      nextBlock();
    }
    expect(await tagOf(path)).not.toBe(tag);
  });

  test("a transaction's events stays while the chain grows", async () => {
    const place = simulator.chain.ledger.principals.of(user()).entries[0];
    const path = `/extended/v2/addresses/${user()}/transactions/${place?.tx.id}/events`;
    const tag = await tagOf(path);
    nextBlock();

    expect(tag).toMatch(/^"[0-9a-f]{64}"$/);
    expect(await tagOf(path)).toBe(tag);
  });
});

test("HEAD answers like GET without a body", async () => {
  const url = `${simulator.url}/extended`;
  const [get, head] = [await ask(url), await ask(url, { method: "HEAD" })];

  expect(head).toMatchObject({ status: 200, body: "" });
  expect(head.headers).toEqual({ ...get.headers, date: head.headers.date });
});

test("POST finds no route", async () => {
  const answer = await ask(`${simulator.url}/extended`, { method: "POST" });

  expect(answer.status).toBe(404);
  expect(JSON.parse(answer.body)).toEqual({
    message: "Route POST:/extended not found",
    error: "Not Found",
    statusCode: 404,
  });
});
