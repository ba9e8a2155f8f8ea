// A small chain with transactions of one principal and events of one contract, and servers that return its current
// state or an earlier one. Expected totals are computed from the blocks.
import type { ChainView } from "../../src/chain/branch.ts";
import { type Canned, logsPage } from "./canned-api.ts";
import { printedHex } from "./prints.ts";

export const PRINCIPAL = "SP000000000000000000002Q6VF78";
export const CONTRACT = "SP000000000000000000002Q6VF78.printer";
const OTHER_CONTRACT = "SP000000000000000000002Q6VF78.other";
const OTHER_PRINCIPAL = "SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE";
const ASSET = "SP000000000000000000002Q6VF78.token::coin";

export interface WorldTx {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly isSender: boolean;
  readonly nonce: number;
  readonly fee: bigint;
  readonly amount: bigint;
  readonly ft: bigint;
  readonly prints: number;
  /** The called function of a contract_call. */
  readonly call?: { readonly contract: string; readonly function: string; readonly result: string };
}

export interface WorldBlock {
  readonly height: number;
  readonly hash: string;
  readonly indexHash: string;
  readonly parent: string;
  /** Unix time, seconds. No other block has it, so that a metrics page with it shows this block. */
  readonly time: number;
  readonly txs: readonly WorldTx[];
}

/**
 * The behaviour of a server. `lag`: some changes behind. `flip`: so in every second response. `forged`: with blocks of
 * the year 9999 on top. `lie`: lists of transactions with invented rows in a real block, without others, or with wrong
 * amounts; the block is `below` blocks below the tip.
 */
export type Server =
  | { readonly kind: "fresh" }
  | { readonly kind: "lag"; readonly changes: number }
  | { readonly kind: "flip"; readonly changes: number }
  | { readonly kind: "resync"; readonly blocks: number }
  | { readonly kind: "high"; readonly by: number }
  | { readonly kind: "empty" }
  | { readonly kind: "forged"; readonly blocks: number }
  | {
      readonly kind: "lie";
      readonly invented: number;
      readonly omitted: number;
      readonly below: number;
      readonly factor: bigint;
    };

/** Names of the operations that newer servers lack. */
export const REMOVED = [
  "address_transactions",
  "transactions_with_transfers",
  "address_transaction_events",
  "contract_events",
  "block_by_height",
  "block_by_hash",
];

/** The operations that are no lists of transactions: a limit of requests does not count them. */
const CHAIN = ["status", "blocks", "block", "block_by_height", "block_by_hash"];

const START = 1_795_000_000;
const YEAR_9999 = 253_370_764_800;
const BLOCK_SECONDS = 10;
const TYPES = ["token_transfer", "contract_call", "smart_contract"] as const;
const STATUSES = ["success", "success", "success", "abort_by_response"] as const;
const word = (kind: string, number: number) => `0x${kind}${number.toString(16).padStart(64 - kind.length, "0")}`;

/** A deterministic world. */
export class ModelWorld {
  readonly history: (readonly WorldBlock[])[] = [[]];
  server: Server = { kind: "fresh" };
  /** Statuses of errors by operation; `*` is every operation. */
  readonly status = new Map<string, number>();
  /** Called after every response, so that the chain can change between two pages. */
  afterResponse: () => void = () => undefined;
  /** Ids of the transactions that a server has invented, or left out. */
  readonly told = new Set<string>();
  /** Requests of one poll to lists that the server accepts: it refuses others with a 429. */
  allowance = Number.POSITIVE_INFINITY;
  /** Such requests since the last poll began. */
  asked = 0;
  /** More rows on a page of a list with cursors are too large. */
  largest = Number.POSITIVE_INFINITY;
  /** Whether the list of the whole chain has another sender in each row. */
  hasManySenders = false;
  /** Unix time, milliseconds. */
  now = START * 1000;
  responses = 0;
  #made = 0;
  #time = 0;
  #resynced = 0;

  get blocks(): readonly WorldBlock[] {
    return this.history.at(-1) ?? [];
  }

  get tip(): number {
    return this.blocks.length;
  }

  /** The view of a follower without delay. */
  get view(): ChainView {
    const { blocks, now } = this;
    return {
      tipHeight: this.tip,
      tipAt: now,
      seenAt: now,
      lowest: 1,
      isReplaced({ height, hash }) {
        const block = blocks[height - 1];
        return block && block.hash !== hash && block.indexHash !== hash;
      },
    };
  }

  /** Mines a block for each number of transactions. Each block is one change. */
  mine(sizes: readonly number[]): void {
    for (const size of sizes) {
      this.now += BLOCK_SECONDS * 1000;
      this.history.push([
        ...this.blocks,
        this.#seal(
          this.blocks,
          Array.from({ length: size }, () => this.#tx()),
        ),
      ]);
    }
  }

  /** Replaces the newest blocks in one change. `keep` selects the transactions that are mined again, a block later. */
  reorg(depth: number, keep: readonly boolean[]): void {
    const cut = Math.min(depth, this.blocks.length - 1);
    if (cut <= 0) return;
    this.now += BLOCK_SECONDS * 1000;
    const lost = this.blocks.slice(this.blocks.length - cut);
    const blocks = this.blocks.slice(0, this.blocks.length - cut);
    blocks.push(this.#seal(blocks, [this.#tx()]));
    let place = 0;
    for (const { txs } of lost) {
      blocks.push(
        this.#seal(
          blocks,
          txs.filter(() => keep.length === 0 || keep[place++ % keep.length]),
        ),
      );
    }
    this.history.push(blocks);
  }

  /** Every canonical transaction from one height to another, oldest first. */
  between(from: number, to: number): WorldTx[] {
    return this.blocks.filter(({ height }) => height >= from && height <= to).flatMap(({ txs }) => txs);
  }

  /** The hashes of the branch that ends with the block of a time. */
  branchOf(time: number): readonly string[] {
    const branch = this.history.findLast((blocks) => blocks.some((block) => block.time === time)) ?? [];
    return branch.slice(0, branch.findIndex((block) => block.time === time) + 1).map(({ hash }) => hash);
  }

  #seal(below: readonly WorldBlock[], txs: readonly WorldTx[]): WorldBlock {
    this.#made += 1;
    const height = below.length + 1;
    const parent = below.at(-1)?.hash ?? word("0", 0);
    this.#time = Math.max(this.#time + 1, Math.floor(this.now / 1000));
    const [hash, indexHash] = [word("b", this.#made), word("1", this.#made)];
    return { height, hash, indexHash, parent, time: this.#time, txs };
  }

  #tx(): WorldTx {
    this.#made += 1;
    const n = this.#made;
    const type = TYPES[n % 3] ?? "contract_call";
    const status = STATUSES[n % 4] ?? "success";
    return {
      id: word("f", n),
      type,
      status,
      isSender: n % 5 < 3,
      nonce: n,
      fee: BigInt(100 + (n % 1000)),
      amount: type === "token_transfer" && status === "success" ? BigInt(n) * 1_000n : 0n,
      ft: type === "contract_call" && status === "success" && n % 2 === 0 ? 2n ** 127n + BigInt(n) : 0n,
      prints: type === "contract_call" && status === "success" ? n % 3 : 0,
      ...(type === "contract_call" ? { call: callOf(n, status) } : {}),
    };
  }

  #servedBlocks(): readonly WorldBlock[] {
    const { server, history } = this;
    const ago = (changes: number) => history[Math.max(0, history.length - 1 - changes)] ?? [];
    if (server.kind === "lag") return ago(server.changes);
    if (server.kind === "flip") return this.responses % 2 === 0 ? this.blocks : ago(server.changes);
    if (server.kind === "empty") return [];
    if (server.kind === "forged") return this.#forged(server.blocks);
    if (server.kind !== "resync") return this.blocks;
    this.#resynced = Math.min(this.#resynced + server.blocks, this.blocks.length);
    return this.blocks.slice(0, this.#resynced);
  }

  #forged(count: number): readonly WorldBlock[] {
    const blocks = [...this.blocks];
    for (let made = 0; made < count; made += 1) {
      const [height, parent] = [blocks.length + 1, blocks.at(-1)?.hash ?? word("0", 0)];
      const [hash, indexHash] = [word("bad", height), word("1bad", height)];
      blocks.push({ height, hash, indexHash, parent, time: YEAR_9999 + height, txs: [] });
    }
    return blocks;
  }

  /** The rows of the lists, newest first. */
  #rows(blocks: readonly WorldBlock[]): Row[] {
    const rows = blocks.flatMap((block) => block.txs.map((tx, index): Row => ({ block, tx, index }))).reverse();
    const { server } = this;
    const block = server.kind === "lie" ? blocks.at(-1 - server.below) : undefined;
    if (server.kind !== "lie" || block === undefined) return rows;
    const made = Array.from({ length: server.invented }, (_, number): Row => {
      const id = word("bad", block.height * 100 + number);
      const n = 3 * number + 1;
      const tx = { ...INVENTED, id, nonce: n, isSender: n % 2 === 0, call: callOf(n, "success") };
      return { block, tx, index: block.txs.length + number };
    }).reverse();
    const at = rows.findIndex((row) => row.block.height <= block.height);
    const lied = rows.toSpliced(at < 0 ? rows.length : at, server.omitted, ...made);
    for (const { tx } of [...made, ...(at < 0 ? [] : rows.slice(at, at + server.omitted))]) this.told.add(tx.id);
    const { factor } = server;
    return lied.map((row) => ({ ...row, tx: { ...row.tx, fee: row.tx.fee * factor, amount: row.tx.amount * factor } }));
  }

  /** Sets the behaviour of the server. */
  serve(server: Server): void {
    this.server = server;
    this.#resynced = 0;
  }

  respond = (url: string, operation: string): Canned => {
    // The check which chain a server follows is no part of a story.
    if (operation === "block" && url.endsWith("/1") && this.status.size === 0) return this.#firstBlock();
    if (!CHAIN.includes(operation)) this.asked += 1;
    const isRefused = !CHAIN.includes(operation) && this.asked > this.allowance;
    const status = isRefused ? 429 : (this.status.get(operation) ?? this.status.get("*"));
    const canned = status === undefined ? this.#respond(url, operation) : { status };
    this.responses += 1;
    this.afterResponse();
    return canned;
  };

  #firstBlock(): Canned {
    const [first] = this.server.kind === "empty" ? [] : this.blocks;
    return first === undefined ? { status: 404 } : { json: blockJson(first, true) };
  }

  #respond(url: string, operation: string): Canned {
    const blocks = this.#servedBlocks();
    const { pathname, searchParams } = new URL(url, "http://model");
    const last = pathname.split("/").at(-1) ?? "";
    const tip = blocks.at(-1);
    const page = <Item>(items: readonly Item[]) => {
      const limit = Number(searchParams.get("limit") ?? 20);
      const offset = Number(searchParams.get("offset") ?? 0);
      return { limit, offset, items: items.slice(offset, offset + limit) };
    };
    const rows = () => this.#rows(blocks);
    switch (operation) {
      case "status": {
        const by = this.server.kind === "high" ? this.server.by : 0;
        const chain_tip = tip && { block_height: tip.height + by };
        return { json: { status: "ready", ...(chain_tip ? { chain_tip } : {}) } };
      }
      case "blocks": {
        const all = this.#listed(blocks).toReversed();
        const cursor = searchParams.get("cursor");
        const start = cursor === null ? 0 : all.findIndex(({ indexHash }) => indexHash === cursor);
        if (start < 0) return { status: 404 };
        if (Number(searchParams.get("offset")) > 300) return { status: 400 };
        const { limit, offset, items } = page(all.slice(start));
        return { json: { limit, offset, total: blocks.length, results: items.map((block) => blockJson(block, true)) } };
      }
      case "block_by_height": {
        const block = blocks[Number(last) - 1];
        return block === undefined ? { status: 404 } : { json: oldBlockJson(block) };
      }
      case "block_by_hash":
      case "block": {
        const block = blocks.find(({ hash, height }) => hash === last || String(height) === last);
        if (block !== undefined) return { json: blockJson(block, true) };
        const orphan = this.history.flat().find(({ hash }) => hash === last);
        return orphan === undefined || operation === "block" ? { status: 404 } : { json: blockJson(orphan, false) };
      }
      case "transactions_with_transfers": {
        const height = Number(searchParams.get("height"));
        const results = rows()
          .filter(({ block }) => block.height === height)
          .map(transfersJson);
        return { json: { limit: 20, offset: 0, total: results.length, results } };
      }
      case "transaction": {
        const row = rows().find(({ tx }) => tx.id === last);
        if (row === undefined) return { status: 404 };
        const { height, hash } = row.block;
        return { json: { tx_id: last, block: { height, hash, tx_index: row.index } } };
      }
      case "address_transaction_events": {
        const id = pathname.split("/").at(-2);
        const row = rows().find(({ tx }) => tx.id === id);
        if (row === undefined) return { status: 404 };
        const events = eventsJson(row);
        const { limit, offset, items } = page(events);
        return { json: { limit, offset, total: events.length, results: items } };
      }
      case "transaction_events": {
        const id = pathname.split("/").at(-2);
        const row = rows().find(({ tx }) => tx.id === id);
        if (row === undefined) return { status: 404 };
        const results = newEventsJson(row);
        return { json: { total: results.length, limit: 50, cursor: { next: null }, results } };
      }
      case "original_transaction": {
        const row = rows().find(({ tx }) => tx.id === last);
        if (row === undefined) return { status: 404 };
        return { json: { block_height: row.block.height, block_hash: row.block.hash, tx_index: row.index } };
      }
      case "contract_logs": {
        const events = rows().flatMap(({ block, tx, index }) =>
          printsJson(tx)
            .map((json, event) => ({ place: [block.height, index, event] as const, json }))
            .reverse(),
        );
        return logsPage(events, searchParams, tip && `"${tip.indexHash}"`);
      }
      case "contract_events": {
        const events = rows().flatMap(({ tx }) => printsJson(tx).reverse());
        const { limit, offset, items } = page(events);
        return { json: { limit, offset, results: items }, etag: tip && `"${tip.indexHash}"` };
      }
      case "principal_transactions": {
        if (Number(searchParams.get("limit")) > this.largest) return { status: 413 };
        const { items, ...json } = cursorPage(rows(), searchParams);
        return { json: { ...json, results: items.map(newJson) } };
      }
      case "transactions": {
        if (Number(searchParams.get("limit")) > this.largest) return { status: 413 };
        const { items, ...json } = cursorPage(rows(), searchParams);
        return {
          json: { ...json, results: items.map((row) => newTransactionJson(row, this.hasManySenders)) },
          etag: tip && `"${tip.indexHash}"`,
        };
      }
      default: {
        const all = rows();
        const { limit, offset, items } = page(all);
        return { json: { limit, offset, total: items.length === 0 ? 0 : all.length, results: items.map(oldJson) } };
      }
    }
  }

  // A server with a wrong tip lists the newest blocks at heights that do not exist.
  #listed(blocks: readonly WorldBlock[]): readonly WorldBlock[] {
    if (this.server.kind !== "high") return blocks;
    const { by } = this.server;
    return blocks.map((block) => ({ ...block, height: block.height + by }));
  }
}

const INVENTED = { type: "contract_call", status: "success", fee: 100n, amount: 0n, ft: 0n, prints: 1 };

// Every fifth call is one of another contract.
const callOf = (n: number, status: string) => ({
  contract: n % 5 === 0 ? OTHER_CONTRACT : CONTRACT,
  function: n % 2 === 0 ? "swap" : "add-liquidity",
  result: status === "success" ? "(ok true)" : `(err u${100 + (n % 7)})`,
});

const callJson = ({ call }: WorldTx): object =>
  call === undefined ? {} : { contract_call: { contract_id: call.contract, function_name: call.function } };

interface Row {
  readonly block: WorldBlock;
  readonly tx: WorldTx;
  readonly index: number;
}

function blockJson({ height, hash, indexHash, parent, time, txs }: WorldBlock, canonical: boolean): object {
  const iso = new Date(time * 1000).toISOString();
  return {
    canonical,
    height,
    hash,
    index_block_hash: indexHash,
    parent_block_hash: parent,
    block_time: time,
    block_time_iso: iso,
    burn_block_time: time,
    burn_block_time_iso: iso,
    burn_block_height: 100 + Math.floor(height / 6),
    tx_count: txs.length,
    execution_cost_read_count: 15,
    execution_cost_read_length: height,
    execution_cost_runtime: 1,
    execution_cost_write_count: 2,
    execution_cost_write_length: 3,
  };
}

function oldBlockJson(block: WorldBlock): object {
  return {
    ...blockJson(block, true),
    tx_count: undefined,
    txs: block.txs.map(({ id }) => id),
  };
}

const NOTHING = { transfer: 0, mint: 0, burn: 0 };
const sender = ({ isSender }: WorldTx) => (isSender ? PRINCIPAL : OTHER_PRINCIPAL);
const recipient = ({ isSender }: WorldTx) => (isSender ? OTHER_PRINCIPAL : PRINCIPAL);
const stxOf = (tx: WorldTx) => ({
  sent: String(tx.isSender ? tx.amount + tx.fee : 0n),
  received: String(tx.isSender ? 0n : tx.amount),
});
const eventsOf = ({ amount, ft, prints }: WorldTx) => (amount > 0n ? 1 : 0) + (ft > 0n ? 1 : 0) + prints;

function oldJson({ block, tx, index }: Row): object {
  const { sent, received } = stxOf(tx);
  return {
    tx: {
      tx_id: tx.id,
      tx_type: tx.type,
      tx_status: tx.status,
      fee_rate: String(tx.fee),
      sender_address: sender(tx),
      block_hash: block.hash,
      block_height: block.height,
      block_time: block.time,
      tx_index: index,
      canonical: true,
      event_count: eventsOf(tx),
      ...transferJson(tx, "recipient_address"),
      ...callJson(tx),
      tx_result: { hex: "0x", repr: tx.call?.result ?? "(ok true)" },
    },
    stx_sent: sent,
    stx_received: received,
    events: {
      stx: { ...NOTHING, transfer: tx.amount > 0n ? 1 : 0 },
      ft: { ...NOTHING, mint: tx.ft > 0n ? 1 : 0 },
      nft: NOTHING,
    },
  };
}

const transferJson = (tx: WorldTx, name: string): object =>
  tx.type === "token_transfer" ? { token_transfer: { [name]: recipient(tx), amount: String(tx.amount) } } : {};

function newJson(row: Row): object {
  return {
    transaction: newTransactionJson(row),
    balance_changes: { stx: stxOf(row.tx) },
    affected_balances: { ft: row.tx.ft > 0n, nft: false },
  };
}

function newTransactionJson({ block, tx, index }: Row, hasManySenders = false): object {
  return {
    tx_id: tx.id,
    type: tx.type,
    status: tx.status,
    sender: { address: hasManySenders ? `S${tx.id}` : sender(tx), nonce: tx.nonce },
    sponsor: null,
    fee_rate: String(tx.fee),
    block: { height: block.height, hash: block.hash, time: block.time, tx_index: index },
    ...transferJson(tx, "recipient"),
    ...callJson(tx),
  };
}

function eventsJson({ tx }: Row): { readonly type: string; readonly data: object }[] {
  const stx = { type: "transfer", amount: String(tx.amount), sender: sender(tx), recipient: recipient(tx) };
  const ft = { type: "mint", amount: String(tx.ft), asset_identifier: ASSET, recipient: PRINCIPAL };
  return [...(tx.amount > 0n ? [{ type: "stx", data: stx }] : []), ...(tx.ft > 0n ? [{ type: "ft", data: ft }] : [])];
}

function newEventsJson(row: Row): object[] {
  return [
    ...eventsJson(row).map(({ type, data }) => ({ type: `${type}_asset`, [`${type}_asset`]: data })),
    ...printsJson(row.tx).map(() => ({ type: "contract_log", contract_log: {} })),
  ].map((event, event_index) => ({ event_index, ...event }));
}

function transfersJson({ block, tx }: Row): object {
  const stx = { amount: String(tx.amount), sender: sender(tx), recipient: recipient(tx) };
  const ft = { amount: String(tx.ft), asset_identifier: ASSET, sender: "", recipient: PRINCIPAL };
  return {
    tx: { tx_id: tx.id, block_hash: block.hash },
    stx_transfers: tx.amount > 0n ? [stx] : [],
    ft_transfers: tx.ft > 0n ? [ft] : [],
    nft_transfers: [],
  };
}

const printsJson = (tx: WorldTx): object[] =>
  Array.from({ length: tx.prints }, (_, index) => ({
    event_index: index,
    event_type: "smart_contract_log",
    tx_id: tx.id,
    contract_log: { contract_id: CONTRACT, topic: "print", value: { hex: printedHex(tx.nonce, index), repr: "none" } },
  }));

/** A page of rows, newest first, from the first one at or below the position of a cursor. */
function cursorPage(all: readonly Row[], query: URLSearchParams) {
  const limit = Number(query.get("limit"));
  const cursorOf = (row: Row | undefined) => (row === undefined ? null : `${row.block.height}:2147483647:${row.index}`);
  const [height = 0, , index = 0] = (query.get("cursor") ?? `${2 ** 40}:0:0`).split(":").map(Number);
  const isWithin = ({ block, index: at }: Row) => block.height < height || (block.height === height && at <= index);
  const found = all.findIndex(isWithin);
  const first = found < 0 ? all.length : found;
  const items = all.slice(first, first + limit);
  const newer = items.length === 0 ? undefined : all.slice(Math.max(0, first - limit), first)[0];
  const [current, next, previous] = [cursorOf(items[0]), cursorOf(all[first + limit]), cursorOf(newer)];
  return { items, total: items.length === 0 ? 0 : all.length, limit, cursor: { next, previous, current } };
}
