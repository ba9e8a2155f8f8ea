// Balances of principals: what they had at genesis, and what the canonical transactions have changed since.
import type { Block } from "./block.ts";
import type { Tx } from "./transaction.ts";

// Large enough that no balance falls below zero: accounts send without a check of their balance, and the largest amount
// of a token at once. Contracts start with nothing.
const GENESIS = { stx: 10n ** 13n, token: 2n ** 144n };

/** Balances after the canonical blocks, in µSTX or the token's smallest unit. */
export class Balances {
  /** Changes since genesis, by principal and asset. */
  readonly #changes: Map<string, bigint>;

  /** With a `source`: its balances before `blocks`, which are its newest. */
  constructor(source?: Balances, blocks: readonly Block[] = []) {
    this.#changes = new Map(source === undefined ? [] : source.#changes);
    for (const { txs } of blocks) this.undo(txs);
  }

  /** The balance of `stx`, or of a fungible token by its identifier. */
  of(principal: string, asset: string): bigint {
    const genesis = principal.includes(".") ? 0n : GENESIS[asset === "stx" ? "stx" : "token"];
    return genesis + (this.#changes.get(`${principal} ${asset}`) ?? 0n);
  }

  apply(txs: readonly Tx[]): void {
    for (const tx of txs) this.#addAll(tx, 1n);
  }

  undo(txs: readonly Tx[]): void {
    for (const tx of txs) this.#addAll(tx, -1n);
  }

  #addAll({ sender, sponsor, fee, events }: Tx, sign: bigint): void {
    this.#add(sponsor ?? sender, "stx", -sign * BigInt(fee));
    for (const event of events) {
      if (event.kind !== "stx" && event.kind !== "ft") continue;
      const asset = event.kind === "stx" ? "stx" : event.asset;
      if (event.sender !== null) this.#add(event.sender, asset, -sign * event.amount);
      if (event.recipient !== null) this.#add(event.recipient, asset, sign * event.amount);
    }
  }

  #add(principal: string, asset: string, amount: bigint): void {
    const key = `${principal} ${asset}`;
    this.#changes.set(key, (this.#changes.get(key) ?? 0n) + amount);
  }
}
