// Transactions. The outcome is decided when a transaction is built, and visible once it is mined.
import type { ClarityValue } from "./clarity.ts";
import type { Cost } from "./cost.ts";

/** Transaction types; the last two never wait in the mempool. */
export type TxType =
  | "token_transfer"
  | "smart_contract"
  | "contract_call"
  | "poison_microblock"
  | "coinbase"
  | "tenure_change";

/** The status of a mined transaction. */
export type TxStatus = "success" | "abort_by_response" | "abort_by_post_condition";

/** The kind of an asset event. */
export type Movement = "transfer" | "mint" | "burn";

/** An asset event. A mint has no sender, a burn no recipient. Amounts are µSTX or the token's smallest unit. */
export type AssetEvent = {
  readonly movement: Movement;
  readonly sender: string | null;
  readonly recipient: string | null;
} & (
  | { readonly kind: "stx"; readonly amount: bigint }
  | { readonly kind: "ft"; readonly asset: string; readonly amount: bigint }
  | { readonly kind: "nft"; readonly asset: string; readonly value: ClarityValue }
);

/** A print of a contract. */
export interface PrintEvent {
  readonly kind: "print";
  readonly contract: string;
  readonly topic: string;
  readonly value: ClarityValue;
}

/** An event of a transaction; its event_index is its place in the list. */
export type TxEvent = AssetEvent | PrintEvent;

/** A post condition: a bound on what the sender may lose. */
export type PostCondition = { readonly principal: string | null; readonly code: string } & (
  | { readonly kind: "stx"; readonly amount: bigint }
  | { readonly kind: "fungible"; readonly asset: string; readonly amount: bigint }
  | { readonly kind: "non_fungible"; readonly asset: string; readonly value: ClarityValue }
);

/** One argument of a call. */
export interface Argument {
  readonly name: string;
  readonly type: string;
  readonly value: ClarityValue;
}

/** Causes of tenure changes, as the API names them. */
export type TenureCause =
  | "block_found"
  | "extended"
  | `extended_${"read_count" | "read_length" | "runtime" | "write_count" | "write_length"}`;

/** The part of a transaction that depends on the type. */
export type Payload =
  | { readonly type: "token_transfer"; readonly recipient: string; readonly amount: bigint; readonly memo: string }
  | {
      readonly type: "smart_contract";
      readonly contract: string;
      readonly version: number | null;
      readonly source: string;
    }
  | {
      readonly type: "contract_call";
      readonly contract: string;
      readonly method: string;
      readonly signature: string;
      readonly arguments: readonly Argument[];
    }
  | { readonly type: "poison_microblock"; readonly header1: string; readonly header2: string }
  | { readonly type: "coinbase"; readonly data: string; readonly vrfProof: string }
  | {
      readonly type: "tenure_change";
      readonly cause: TenureCause;
      readonly consensus: string;
      readonly previousConsensus: string;
      readonly previousEnd: string;
      readonly previousBlocks: number;
      readonly pubkeyHash: string;
    };

/** The source of a transaction: ordinary demand, a nonce gap, a scenario, or the protocol. */
export type Origin = "market" | "background" | "spike" | "flood" | "stuck" | "protocol";

/** A transaction before its fee, nonce and id are known. */
export interface UnsignedTx {
  readonly sender: string;
  readonly sponsor: string | null;
  readonly payload: Payload;
  /** Bytes on the wire. */
  readonly size: number;
  readonly cost: Cost;
  readonly conditions: readonly PostCondition[];
  readonly conditionMode: "allow" | "deny" | "originator";
  readonly status: TxStatus;
  readonly result: ClarityValue;
  readonly vmError: string | null;
  readonly events: readonly TxEvent[];
}

/** A signed transaction. Immutable: the ledger holds its place in the chain. */
export interface Tx extends UnsignedTx {
  readonly id: string;
  readonly type: TxType;
  readonly origin: Origin;
  readonly nonce: number;
  readonly sponsorNonce: number;
  /** Total fee, µSTX. */
  readonly fee: number;
  /** Virtual Unix seconds at which the API received it: `receipt_time`. It stays when the transaction is mined. */
  readonly receivedAt: number;
  /** Height of the tip when the API received it. */
  readonly receivedHeight: number;
  /** Virtual Unix seconds from which on miners consider it; Infinity for a nonce gap. */
  readonly readyAt: number;
  /** Virtual Unix seconds at which the mempool drops it. */
  readonly expiresAt: number;
}

/** Transactions sorted by the time of their receipt, oldest first; those of the same second by id. */
export function sortByReceipt(txs: Iterable<Tx>): Tx[] {
  return [...txs].sort((one, other) => one.receivedAt - other.receivedAt || (one.id < other.id ? -1 : 1));
}

/** The principals of a transaction, without the sponsor: some operations omit sponsored transactions. */
export function parties(tx: UnsignedTx): Set<string> {
  const all = new Set([tx.sender]);
  const { payload } = tx;
  if (payload.type === "token_transfer") all.add(payload.recipient);
  if (payload.type === "contract_call" || payload.type === "smart_contract") all.add(payload.contract);
  for (const event of tx.events) {
    if (event.kind === "print") continue;
    if (event.sender !== null) all.add(event.sender);
    if (event.recipient !== null) all.add(event.recipient);
  }
  return all;
}
