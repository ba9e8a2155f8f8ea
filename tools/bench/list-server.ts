// An API with any number of addresses, in a separate process. Every address has one old transaction, a balance and
// nothing new, so each of its responses can be a 304. The address of the command line has a long history. Rows are
// captured, with other ids. Usage: list-server.ts ADDRESS TRANSACTIONS. GET /stats returns the number of responses
// by status since the last call.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [busy = "", count = "100000"] = process.argv.slice(2);
const TOTAL = Number(count);
const PER_BLOCK = 4;
const QUIET_HEIGHT = 100;
const TIP = Math.ceil(TOTAL / PER_BLOCK) + 1000;

interface Row {
  readonly tx: Readonly<Record<string, unknown>> & { readonly tx_type: string };
  readonly [field: string]: unknown;
}
function jsonOf(name: string): { readonly results: readonly Row[] } & Readonly<Record<string, unknown>> {
  const text = readFileSync(new URL(`../../test/responses/captured/${name}.http`, import.meta.url), "utf8");
  return JSON.parse(text.slice(text.indexOf("{")));
}
const balance = jsonOf("v3-balances-stx.account");
const listed = jsonOf("address-transactions.exclude-function-args").results;
const moved = jsonOf("transactions-with-transfers.ok-default").results;
const block = jsonOf("extended-v2-blocks.latest");
const rowOf = (rows: readonly Row[], type: string) => rows.find(({ tx }) => tx.tx_type === type) as Row;

const NONE = { transfer: 0, mint: 0, burn: 0 };
const NO_EVENTS = { stx: NONE, ft: NONE, nft: NONE };

const hash = (kind: number, of: number) => `0x${kind}${String(of).padStart(63, "0")}`;
// Four of five transactions are plain transfers, which the list contains. The transfers of the fifth need a request.
const typeOf = (place: number) => (place % 5 === 0 ? "contract_call" : "token_transfer");

function row(rows: readonly Row[], address: string, place: number, height: number): unknown {
  const found = rowOf(rows, typeOf(place));
  const other = "SP000000000000000000002Q6VF78";
  const isSender = place % 2 === 0;
  const isIdle = place === 5 && address !== busy;
  const { token_transfer } = found.tx as { token_transfer?: object };
  const tx = {
    ...found.tx,
    ...(token_transfer && { token_transfer: { ...token_transfer, recipient_address: isSender ? other : address } }),
    tx_id: hash(1, place),
    block_height: height,
    block_hash: hash(3, height),
    tx_index: place % PER_BLOCK,
    nonce: place,
    sender_address: isSender ? address : other,
  };
  return isIdle ? { ...found, tx: { ...tx, event_count: 0 }, events: NO_EVENTS } : { ...found, tx };
}

// A quarter called a contract, a quarter received a transfer, half were called without transfers: on average 25 series
// each.
const quietPlace = (address: string): number => [0, 1, 5, 5][address.charCodeAt(address.length - 1) % 4] as number;

function list(address: string, limit: number, offset: number): unknown {
  const [total, first] = address === busy ? [TOTAL, 0] : [1, quietPlace(address)];
  const count = Math.max(0, Math.min(limit, total - offset));
  const places = Array.from({ length: count }, (_, index) => first + total - 1 - offset - index);
  const heightOf = (place: number) => (address === busy ? 1 + Math.floor(place / PER_BLOCK) : QUIET_HEIGHT);
  const results = places.map((place) => row(listed, address, place, heightOf(place)));
  return { limit, offset, total: results.length === 0 ? 0 : total, results };
}

function transfers(address: string, height: number): unknown {
  const first = (height - 1) * PER_BLOCK;
  const places =
    address === busy ? Array.from({ length: PER_BLOCK }, (_, index) => first + index) : [quietPlace(address)];
  return { limit: 50, offset: 0, total: 1, results: places.map((place) => row(moved, address, place, height)) };
}

const blockAt = (height: number) => ({
  ...block,
  height,
  hash: hash(3, height),
  parent_block_hash: hash(3, height - 1),
});
// As many as an exporter knows after some hours. With fewer than a hundred, a poll requests blocks, eight at a time.
const blocks = Array.from({ length: 130 }, (_, index) => blockAt(TIP - index));

let statuses: Record<string, number> = {};
const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://server");
  const [, , version, kind, principal = ""] = url.pathname.split("/");
  const number = (name: string, fallback: number) => Number(url.searchParams.get(name) ?? fallback);
  const send = (json: unknown, etag: string) => {
    const isUnchanged = request.headers["if-none-match"] === etag;
    const key = `${kind} ${isUnchanged ? 304 : 200}`;
    statuses[key] = (statuses[key] ?? 0) + 1;
    response.writeHead(isUnchanged ? 304 : 200, { "content-type": "application/json", etag });
    response.end(isUnchanged ? undefined : JSON.stringify(json));
  };
  if (url.pathname === "/stats") {
    response.end(JSON.stringify(statuses));
    statuses = {};
  } else if (version === "v2" && kind === "blocks") {
    if (principal === "") send({ results: blocks }, '"tip"');
    else send(blockAt(Number(principal)), `"${principal}"`);
  } else if (version === "v2") send(list(principal, number("limit", 20), number("offset", 0)), `"${principal}"`);
  else if (url.pathname.endsWith("/balances/stx")) send(balance, '"stx"');
  else if (url.pathname.endsWith("/balances/ft")) send({ cursor: { next: null }, results: [] }, '"ft"');
  else if (kind === "address") send(transfers(principal, number("height", 1)), '"transfers"');
  else response.writeHead(404).end();
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
process.on("disconnect", () => process.exit());
