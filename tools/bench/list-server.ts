// An API with any number of quiet addresses, in a separate process. Every address has one old transaction, a balance
// and nothing new, so each of its responses can be a 304. Rows are captured, with other ids. GET /stats returns the
// number of responses by status since the last call.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const HEIGHT = 100;
const TIP = 26_000;
const OTHER = "SP000000000000000000002Q6VF78";

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

const NONE = { transfer: 0, mint: 0, burn: 0 };
const NO_EVENTS = { stx: NONE, ft: NONE, nft: NONE };

const hash = (kind: number, of: number) => `0x${kind}${String(of).padStart(63, "0")}`;

// A quarter called a contract, a quarter received a transfer, half were called without transfers: on average 15 series
// each, with balances.
const KINDS = ["contract_call", "token_transfer", "idle", "idle"] as const;

/** A page with the only transaction of an address; the same one, with its transfers, from another list. */
function list(rows: readonly Row[], address: string, limit: number, offset: number): unknown {
  const kind = KINDS[address.charCodeAt(address.length - 1) % KINDS.length];
  const type = kind === "token_transfer" ? kind : "contract_call";
  const { tx: found, ...rest } = rows.find(({ tx }) => tx.tx_type === type) as Row;
  const { token_transfer } = found as { token_transfer?: object };
  const tx = {
    ...found,
    ...(token_transfer && { token_transfer: { ...token_transfer, recipient_address: address } }),
    tx_id: hash(1, KINDS.indexOf(kind ?? "idle")),
    block_height: HEIGHT,
    block_hash: hash(3, HEIGHT),
    tx_index: 0,
    nonce: 0,
    sender_address: kind === "contract_call" ? address : OTHER,
    ...(kind === "idle" && { event_count: 0 }),
  };
  const row = { ...rest, tx, ...(kind === "idle" && { events: NO_EVENTS }) };
  return { limit, offset, total: 1, results: offset === 0 ? [row] : [] };
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
  const sendList = (rows: readonly Row[], etag: string) =>
    send(list(rows, principal, number("limit", 20), number("offset", 0)), etag);
  if (url.pathname === "/stats") {
    response.end(JSON.stringify(statuses));
    statuses = {};
  } else if (version === "v2" && kind === "blocks") {
    const [offset, limit] = [number("offset", 0), number("limit", 20)];
    if (principal === "") send({ results: blocks.slice(offset, offset + limit) }, `"${offset} ${limit}"`);
    else send(blockAt(Number(principal)), `"${principal}"`);
  } else if (version === "v2") sendList(listed, `"${principal}"`);
  else if (url.pathname.endsWith("/balances/stx")) send(balance, '"stx"');
  else if (url.pathname.endsWith("/balances/ft")) send({ cursor: { next: null }, results: [] }, '"ft"');
  else if (kind === "address") sendList(moved, '"transfers"');
  else response.writeHead(404).end();
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
process.on("disconnect", () => process.exit());
