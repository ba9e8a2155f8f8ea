// The list of a principal's transactions (operation 4.6), in which tests write the rows: one block for each change.
import type { ChainView } from "../../src/chain/branch.ts";
import { type Canned, type CannedApi, cannedApi, captured } from "./canned-api.ts";
import { NOW } from "./collect.ts";
import { chainOf } from "./known-chain.ts";

/** A transaction: what differs from a captured one, and its transfers of tokens. */
export interface ListedRow {
  readonly tx?: object;
  readonly ft?: readonly object[];
  readonly nft?: readonly object[];
}

const [template] = (captured("address-transactions.ok-default").json as { results: readonly { tx: object }[] }).results;
const START = 60;
const NONE = { transfer: 0, mint: 0, burn: 0 };

export class PrincipalList {
  readonly #rows: (ListedRow & { readonly tx: { readonly tx_id: string; readonly block_hash: string } })[] = [];
  tip = START;
  /** Block time and time of polls. Unix time, seconds. */
  now = NOW / 1000;
  readonly api: CannedApi = cannedApi((url, operation) => this.#respond(url, operation));

  /** The chain up to the tip. */
  get view(): ChainView {
    return chainOf(
      this.tip,
      Array.from({ length: this.tip - START }, (_, place) => [START + 1 + place, {}] as const),
    );
  }

  /** Mines a block with these transactions. */
  mine(rows: readonly ListedRow[]): void {
    this.tip += 1;
    for (const [index, row] of rows.entries()) {
      const tx = {
        ...template?.tx,
        tx_id: `0x${String(this.#rows.length).padStart(64, "0")}`,
        block_height: this.tip,
        block_hash: `0xhash${this.tip}`,
        block_time: this.now,
        tx_index: index,
        ...(row.ft || row.nft ? { tx_type: "contract_call", token_transfer: undefined } : {}),
        ...row.tx,
      };
      this.#rows.unshift({ ...row, tx });
    }
  }

  #respond(url: string, operation: string): Canned {
    const { searchParams } = new URL(url, "http://list");
    if (operation === "transactions_with_transfers") {
      const results = this.#rows
        .filter(({ tx }) => tx.block_hash === `0xhash${searchParams.get("height")}`)
        .map(({ tx, ft = [], nft = [] }) => ({ tx, stx_transfers: [], ft_transfers: ft, nft_transfers: nft }));
      return { json: { results } };
    }
    const offset = Number(searchParams.get("offset") ?? 0);
    const results = this.#rows.slice(offset, offset + 50).map(({ tx, ft = [], nft = [] }) => {
      const moved = { stx: NONE, ft: { ...NONE, transfer: ft.length }, nft: { ...NONE, transfer: nft.length } };
      return { ...template, tx, events: moved };
    });
    return { json: { limit: 50, offset, total: this.#rows.length, results } };
  }
}
