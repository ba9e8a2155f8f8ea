// A small model chain: the responses of the block operations, and the expected counts.
import type { Canned } from "./canned-api.ts";

export interface ModelBlock {
  readonly height: number;
  readonly hash: string;
  readonly parent: string;
  readonly time: number;
  readonly burnHeight: number;
  readonly transactions: number;
}

const START = 1_795_000_000;

export class ModelChain {
  blocks: ModelBlock[] = [];
  readonly orphans: ModelBlock[] = [];
  /** Operations that were removed (410) or never existed (404). */
  readonly status = new Map<string, number>();
  /** Number of blocks that the server is behind. */
  lag = 0;
  #made = 0;

  mine(count: number, burnEvery = 6): void {
    for (let made = 0; made < count; made += 1) {
      const height = this.blocks.length + 1;
      this.#made += 1;
      this.blocks.push({
        height,
        hash: `0x${this.#made.toString(16)}`,
        parent: this.blocks.at(-1)?.hash ?? "0x0",
        time: START + height * 10 + (this.#made % 3),
        burnHeight: 100 + Math.floor(height / burnEvery),
        transactions: this.#made % 7,
      });
    }
  }

  reorg(depth: number, longer: number): void {
    const cut = Math.min(depth, this.blocks.length - 1);
    this.orphans.push(...this.blocks.splice(this.blocks.length - cut));
    this.mine(cut + longer);
  }

  get shown(): ModelBlock[] {
    return this.blocks.slice(0, Math.max(0, this.blocks.length - this.lag));
  }

  /** The response to one request. */
  respond = (url: string, operation: string): Canned => {
    const gone = this.status.get(operation);
    if (gone !== undefined) return { status: gone };
    const { pathname, searchParams } = new URL(url, "http://model");
    const last = pathname.split("/").at(-1) ?? "";
    const tip = this.shown.at(-1);
    if (operation === "status")
      return { json: { status: "ready", ...(tip ? { chain_tip: { block_height: tip.height } } : {}) } };
    if (operation === "blocks") {
      const cursor = searchParams.get("cursor");
      const start = cursor === null ? 0 : this.shown.toReversed().findIndex(({ hash }) => `${hash}f` === cursor);
      const offset = start + Number(searchParams.get("offset") ?? 0);
      if (start < 0) return { status: 404 };
      if (offset - start > 300) return { status: 400 };
      const page = this.shown.toReversed().slice(offset, offset + Number(searchParams.get("limit")));
      return {
        json: { limit: 30, offset, total: this.shown.length, results: page.map((block) => this.#json(block, true)) },
      };
    }
    if (operation === "block_by_height") {
      const block = this.shown.find(({ height }) => height === Number(last));
      return block === undefined ? { status: 404 } : { json: { ...this.#json(block, true), ...this.#old(block) } };
    }
    const block = this.shown.find(({ hash, height }) => hash === last || String(height) === last);
    if (block !== undefined) return { json: this.#json(block, true) };
    const orphan = this.orphans.find(({ hash }) => hash === last);
    return orphan === undefined || operation === "block" ? { status: 404 } : { json: this.#json(orphan, false) };
  };

  #old({ transactions, height }: ModelBlock): object {
    return {
      txs: Array.from({ length: transactions }, (_, index) => `0x${height}${index}`),
      tx_count: undefined,
      microblocks_accepted: [],
      microblocks_streamed: [],
      microblock_tx_count: {},
      parent_microblock_sequence: -1,
    };
  }

  #json({ height, hash, parent, time, burnHeight, transactions }: ModelBlock, canonical: boolean): object {
    return {
      canonical,
      height,
      hash,
      index_block_hash: `${hash}f`,
      parent_block_hash: parent,
      block_time: time,
      block_time_iso: new Date(time * 1000).toISOString(),
      burn_block_time: START + burnHeight,
      burn_block_time_iso: new Date((START + burnHeight) * 1000).toISOString(),
      burn_block_height: burnHeight,
      tx_count: transactions,
      execution_cost_read_count: 15,
      execution_cost_read_length: height,
      execution_cost_runtime: 1,
      execution_cost_write_count: 2,
      execution_cost_write_length: 3,
    };
  }
}
