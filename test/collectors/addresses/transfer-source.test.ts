import { expect, test } from "@jest/globals";
import { readMoves, withTransfers } from "../../../src/collectors/addresses/transfers.ts";
import { type Canned, cannedApi, captured } from "../../support/canned-api.ts";

test("returns the assets that a transaction moved, without its print events", async () => {
  const api = cannedApi(() => ({ json: captured("v3-transaction-events.mined").json }));

  expect(await readMoves(api, "0x1")).toEqual([
    {
      kind: "ft",
      sender: "SPS0V09PWF21DNFNW2RZ4BTZ31914RPYK972RM5Q",
      recipient: "SPMYBWZRD82WCX4G8D5Y6XMH34X93TDS9BJG36C8",
      amount: "659963171",
      asset_identifier: "SPYBWR5611F6BK794ZM384GNCAPF46CCTAFWPCNV.token::tok",
    },
  ]);
});

const print = { event_index: 0, type: "contract_log" };
const moved = { event_index: 0, type: "stx_asset", stx_asset: { sender: "a", recipient: "b", amount: "7" } };

test("reads many events page by page", async () => {
  const api = cannedApi((url) => {
    const page = Number(new URL(url, "http://api").searchParams.get("cursor") ?? 0);
    const next = page < 2 ? String(page + 1) : null;
    return { json: { total: 120, cursor: { next }, results: new Array(page < 2 ? 50 : 20).fill(moved) } };
  });

  expect(await readMoves(api, "0x1")).toHaveLength(120);
  expect(api.requests).toHaveLength(3);
});

test.each<[string, string, Canned]>([
  ["temporary", "the server does not know the transaction", { status: 404 }],
  ["temporary", "the transaction is in the mempool again", { status: 400 }],
  ["permanent", "it has too many events", { json: { total: 10_000, cursor: { next: "1" }, results: [moved] } }],
  ["temporary", "the response lacks events", { json: { total: 3, cursor: { next: null }, results: [moved, print] } }],
])("the events are missing (%s) when %s", async (missing, _, canned) => {
  const api = cannedApi(() => canned);
  expect(await readMoves(api, "0x1")).toBe(missing);
});

test.each([
  ["all are too large", 413, "permanent"],
  ["the others are switched off", 410, "temporary"],
])("transfers that no operation returns are missing, and not none: %s", async (_, status, missing) => {
  const api = cannedApi((_, operation) => ({ status: operation === "transactions_with_transfers" ? 413 : status }));
  const complete = withTransfers(api, "SP1");
  const listed = { hash: "0xa", height: 5, index: 0, moved: "any", sender: "SP1" };

  expect(await complete([{ ...listed, id: "0x1" } as never])).toMatchObject({ rows: [], missing: "permanent" });
  expect(await complete([{ ...listed, id: "0x2" } as never])).toMatchObject({ rows: [], missing });
});
