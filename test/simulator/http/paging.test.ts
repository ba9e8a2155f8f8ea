// Pages of every list: by offset or by cursor, of any length, they are the same rows, each once.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Simulator } from "../../../simulator/server.ts";
import { json, send, stillSimulator } from "../support.ts";

interface List {
  readonly results: readonly unknown[];
  readonly prev_cursor?: string | null;
  readonly cursor?: string | { readonly next: string | null } | null;
}

let simulator: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator({ history: 80 });
});
afterAll(() => simulator.close());

test("lists have each row once, in pages of any length, by offset or by cursor", async () => {
  const { users, contracts } = simulator.chain.accounts;
  const rows = async (path: string, limit: number, key: "cursor" | "offset") => {
    const read: string[] = [];
    for (let at: string | null = ""; at !== null; ) {
      const page: List = json(await send(`${simulator.url}/extended/${path}?limit=${limit}${at && `&${key}=${at}`}`));
      read.push(...page.results.map((row) => JSON.stringify(row)));
      const byCursor = page.prev_cursor ?? (typeof page.cursor === "object" ? (page.cursor?.next ?? null) : null);
      const byOffset = page.results.length === 0 ? null : String(read.length);
      at = key === "cursor" ? byCursor : byOffset;
    }
    return read;
  };
  const logs = `v2/smart-contracts/${contracts.logger}/logs`;
  const [user = ""] = users;
  for (const [key, path] of [
    ["offset", `v2/addresses/${user}/transactions`],
    ["offset", `v1/address/${user}/transactions_with_transfers`],
    ["offset", `v1/contract/${contracts.logger}/events`],
    ["offset", logs],
    ["cursor", logs],
    ["cursor", "v2/blocks"],
    ["cursor", "v3/transactions"],
    ["cursor", `v3/principals/${user}/transactions`],
    ["cursor", "v3/mempool/transactions"],
  ] as const) {
    const some = await rows(path, 7, key);
    expect(some.length).toBeGreaterThan(7);
    expect(new Set(some).size).toBe(some.length);
    expect(await rows(path, 30, key)).toEqual(some);
  }
});
