// Entity tags: what they depend on, and what matches.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Simulator } from "../../../simulator/server.ts";
import { send, stillSimulator } from "../support.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator();
});
afterAll(() => simulator.close());

const tagOf = async (path: string) => String((await send(simulator.url + path)).headers.etag);
const statusWith = async (path: string, ifNoneMatch: string) =>
  (await send(simulator.url + path, { headers: { "if-none-match": ifNoneMatch } })).status;
const user = () => simulator.chain.accounts.users[0] ?? "";

// Advances to the next block.
function nextBlock(): void {
  const { height } = simulator.chain;
  while (simulator.chain.height === height) simulator.advance(1);
}

describe("a match", () => {
  let tag = "";
  beforeEach(async () => {
    tag = await tagOf("/extended/v2/mempool/fees");
  });

  const forms: [string, () => string, number][] = [
    ["the tag itself", () => tag, 304],
    ["the weak form", () => `W/${tag}`, 304],
    ["a list with the tag", () => `"other", W/"more",${tag}`, 304],
    ["the tag without quotes", () => tag.replaceAll('"', ""), 200],
    ["a star", () => "*", 200],
    ["another tag", () => '"other"', 200],
  ];
  test.each(forms)("%s", async (_, form, status) => {
    expect(await statusWith("/extended/v2/mempool/fees", form())).toBe(status);
  });
});

describe("the tag of", () => {
  test("the mempool is the same for both operations, and changes with each block", async () => {
    const before = await tagOf("/extended/v1/tx/mempool/stats");
    expect(await tagOf("/extended/v2/mempool/fees")).toBe(before);
    nextBlock();
    expect(await tagOf("/extended/v1/tx/mempool/stats")).not.toBe(before);
  });

  test("the newest block contains its index hash", async () => {
    const { indexHash } = simulator.chain.ledger.tip ?? {};

    expect(await tagOf("/extended/v2/blocks/latest")).toBe(`"${indexHash}:true"`);
  });

  test("a principal depends only on its newest transaction, for every page", async () => {
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
});
