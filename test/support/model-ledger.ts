// A chain with transactions of one principal: what the operations answer, with everything that can go wrong on the way, and
// an independent count of what is canonical at a depth.
import type { ChainView } from "../../src/collectors/collector.ts";
import type { Canned } from "./canned-api.ts";

export const PRINCIPAL = "SP000000000000000000002Q6VF78";
const OTHER_PRINCIPAL = "SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE";
const ASSET = "SP000000000000000000002Q6VF78.token::coin";

export interface ModelTx {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly isSender: boolean;
  readonly fee: bigint;
  readonly amount: bigint;
  readonly ft: bigint;
}

interface ModelBlock {
  readonly height: number;
  readonly hash: string;
  readonly txs: readonly ModelTx[];
}

const TYPES = ["token_transfer", "contract_call", "smart_contract"] as const;
const STATUSES = ["success", "success", "success", "abort_by_response"] as const;

/** A ledger; every choice comes from the numbers that it is handed. */
export class ModelLedger {
  blocks: ModelBlock[] = [];
  /** Blocks that the answering server is behind. */
  lag = 0;
  readonly status = new Map<string, number>();
  /** Called after every answer: lets the chain move between two pages. */
  afterAnswer: () => void = () => undefined;
  reorgs = 0;
  lastReorg: ChainView["lastReorg"];
  /** Milliseconds. */
  now = 1_795_000_000_000;
  answers = 0;
  #made = 0;

  get tip(): number {
    return this.blocks.length;
  }

  /** What follows the chain sees at once. */
  get view(): ChainView {
    return { tipHeight: this.tip, seenAt: this.now, reorgs: this.reorgs, lastReorg: this.lastReorg };
  }

  mine(sizes: readonly number[]): void {
    for (const size of sizes) this.#append(Array.from({ length: size }, () => this.#make()));
  }

  /** Replaces the newest blocks: their transactions are mined again or lost, as `keep` says, one block later. */
  reorg(depth: number, keep: readonly boolean[]): void {
    const cut = Math.min(depth, this.blocks.length - 1);
    if (cut <= 0) return;
    const lost = this.blocks.splice(this.blocks.length - cut);
    const height = this.tip + 1;
    let place = 0;
    this.#append([this.#make()]);
    for (const { txs } of lost) {
      this.#append(txs.filter(() => keep.length === 0 || keep[place++ % keep.length]));
    }
    this.reorgs += 1;
    this.lastReorg = { at: this.now, height };
  }

  #append(txs: readonly ModelTx[]): void {
    this.#made += 1;
    this.blocks.push({ height: this.tip + 1, hash: `0xb${this.#made}`, txs });
  }

  #make(): ModelTx {
    this.#made += 1;
    const n = this.#made;
    const type = TYPES[n % 3] ?? "contract_call";
    const status = STATUSES[n % 4] ?? "success";
    return {
      id: `0x${n.toString(16)}`,
      type,
      status,
      isSender: n % 5 < 3,
      fee: BigInt(100 + (n % 1000)),
      amount: type === "token_transfer" && status === "success" ? BigInt(n) * 1_000n : 0n,
      ft: type === "contract_call" && status === "success" && n % 2 === 0 ? 2n ** 127n + BigInt(n) : 0n,
    };
  }

  /** Every canonical transaction from one height to another, oldest first. */
  *between(from: number, to: number): Iterable<ModelTx> {
    for (const { height, txs } of this.blocks) if (height >= from && height <= to) yield* txs;
  }

  #rows(): { block: ModelBlock; tx: ModelTx; index: number }[] {
    return this.blocks
      .slice(0, Math.max(0, this.blocks.length - this.lag))
      .flatMap((block) => block.txs.map((tx, index) => ({ block, tx, index })))
      .reverse();
  }

  answer = (url: string, operation: string): Canned => {
    const canned = this.#answer(url, operation);
    this.answers += 1;
    this.afterAnswer();
    return canned;
  };

  #answer(url: string, operation: string): Canned {
    const status = this.status.get(operation) ?? this.status.get("*");
    if (status !== undefined) return { status };
    const { searchParams } = new URL(url, "http://model");
    const rows = this.#rows();
    const limit = Number(searchParams.get("limit") ?? 20);
    if (operation === "transactions_with_transfers") {
      const height = Number(searchParams.get("height"));
      const results = rows.filter(({ block }) => block.height === height).map((row) => transfersJson(row));
      return { json: { limit, offset: 0, total: results.length, results } };
    }
    if (operation === "address_transaction_events") {
      const id = /transactions\/([^/]+)\/events/.exec(url)?.[1];
      const row = rows.find(({ tx }) => tx.id === id);
      if (row === undefined) return { status: 404 };
      const all = eventsJson(row);
      const offset = Number(searchParams.get("offset") ?? 0);
      return { json: { limit, offset, total: all.length, results: all.slice(offset, offset + limit) } };
    }
    if (operation === "principal_transactions") {
      const cursor = searchParams.get("cursor");
      const spell = ({ block, index }: (typeof rows)[number]) => `${block.hash}:${index}`;
      const first = cursor === null ? 0 : rows.findIndex((row) => spell(row) === cursor);
      if (first < 0) return { status: 404 };
      const next = rows[first + limit];
      return {
        json: {
          total: rows.length,
          limit,
          cursor: { next: next === undefined ? null : spell(next) },
          results: rows.slice(first, first + limit).map(newJson),
        },
      };
    }
    const offset = Number(searchParams.get("offset") ?? 0);
    const results = rows.slice(offset, offset + limit).map(oldJson);
    return { json: { limit, offset, total: results.length === 0 ? 0 : rows.length, results } };
  }
}

interface Row {
  readonly block: ModelBlock;
  readonly tx: ModelTx;
  readonly index: number;
}

const NOTHING = { transfer: 0, mint: 0, burn: 0 };
const sender = ({ isSender }: ModelTx) => (isSender ? PRINCIPAL : OTHER_PRINCIPAL);
const recipient = ({ isSender }: ModelTx) => (isSender ? OTHER_PRINCIPAL : PRINCIPAL);

function oldJson({ block, tx, index }: Row): object {
  return {
    tx: {
      tx_id: tx.id,
      tx_type: tx.type,
      tx_status: tx.status,
      nonce: index,
      fee_rate: String(tx.fee),
      sender_address: sender(tx),
      sponsored: false,
      block_hash: block.hash,
      block_height: block.height,
      block_time: 1_795_000_000 + block.height,
      tx_index: index,
      canonical: true,
      microblock_canonical: true,
      is_unanchored: false,
      post_condition_mode: "deny",
      post_conditions: [],
      event_count: (tx.amount > 0n ? 1 : 0) + (tx.ft > 0n ? 1 : 0),
      execution_cost_read_count: 1,
      execution_cost_read_length: 2,
      execution_cost_runtime: 3,
      execution_cost_write_count: 4,
      execution_cost_write_length: 5,
      ...(tx.type === "token_transfer"
        ? { token_transfer: { recipient_address: recipient(tx), amount: String(tx.amount) } }
        : {}),
    },
    stx_sent: String(tx.isSender ? tx.amount + tx.fee : 0n),
    stx_received: String(tx.isSender ? 0n : tx.amount),
    events: {
      stx: { ...NOTHING, transfer: tx.amount > 0n ? 1 : 0 },
      ft: { ...NOTHING, mint: tx.ft > 0n ? 1 : 0 },
      nft: NOTHING,
    },
  };
}

function newJson({ block, tx, index }: Row): object {
  return {
    transaction: {
      tx_id: tx.id,
      type: tx.type,
      status: tx.status,
      sender: { address: sender(tx), nonce: index },
      sponsor: null,
      fee_rate: String(tx.fee),
      block: { height: block.height, hash: block.hash, time: 1_795_000_000 + block.height, tx_index: index },
    },
    balance_changes: {
      stx: { sent: String(tx.isSender ? tx.amount + tx.fee : 0n), received: String(tx.isSender ? 0n : tx.amount) },
    },
  };
}

function eventsJson({ tx }: Row): object[] {
  const moved = { sender: sender(tx), recipient: recipient(tx) };
  return [
    ...(tx.amount > 0n ? [{ type: "stx", data: { type: "transfer", amount: String(tx.amount), ...moved } }] : []),
    ...(tx.ft > 0n
      ? [
          {
            type: "ft",
            data: { type: "mint", amount: String(tx.ft), asset_identifier: ASSET, recipient: PRINCIPAL },
          },
        ]
      : []),
  ];
}

function transfersJson({ block, tx }: Row): object {
  return {
    tx: { tx_id: tx.id, block_hash: block.hash },
    stx_transfers: tx.amount > 0n ? [{ amount: String(tx.amount), sender: sender(tx), recipient: recipient(tx) }] : [],
    ft_transfers:
      tx.ft > 0n ? [{ amount: String(tx.ft), asset_identifier: ASSET, sender: "", recipient: PRINCIPAL }] : [],
    nft_transfers: [],
  };
}
