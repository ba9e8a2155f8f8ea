// The transactions of a contract's principal, and the calls of the contract among them.
import type { Operation, StacksApi } from "../../api/operation.ts";
import type { Row } from "../../ledger/ledger.ts";
import type { List } from "../../ledger/read.ts";
import {
  addressTransactions,
  type OriginalItem,
  originalRows,
  principalTransactions,
  type ReplacementItem,
  replacementRows,
} from "../addresses/source.ts";
import { feeOf } from "../amounts.ts";
import { isClarityName, isPrincipal } from "../clarity-names.ts";
import { isEnumValue, OTHER } from "../labels.ts";
import { callError } from "./call-error.ts";

/** A call of the contract, with names that can be label values. */
export interface Call {
  /** `other` for a name that is not valid. */
  readonly function: string;
  /** Status of the transaction; `other` for text that is not a value of an enumeration. */
  readonly status: string;
  /** Undefined if the call succeeded. */
  readonly error: string | undefined;
  /** The sender of the transaction; undefined if it is not valid. */
  readonly caller: string | undefined;
  /** In microSTX; undefined if it is not an integer. */
  readonly fee: number | undefined;
}

/** A listed transaction. One that does not call the contract is old: it is read, and not counted. */
export interface ContractTransaction extends Row {
  /** Unix time in seconds; undefined if the server does not know it. */
  readonly time: number | undefined;
  /** Undefined if it does not call the contract. */
  readonly call: Call | undefined;
}

/** The transactions of a contract, from `address_transactions`. */
export function originalList(api: StacksApi, contract: string): List<ContractTransaction> {
  return originalRows(api, contract, ({ tx }: OriginalItem) => ({
    id: tx.tx_id,
    height: tx.block_height,
    index: tx.tx_index,
    hash: tx.block_hash,
    time: timeOf(tx.block_time),
    ...callOf(api, addressTransactions, contract, {
      type: tx.tx_type,
      called: tx.contract_call,
      status: tx.tx_status,
      result: tx.tx_result?.repr,
      sender: tx.sender_address,
      fee: tx.fee_rate,
    }),
  }));
}

/** The same list, from the replacement of `address_transactions`, which does not return results. */
export function replacementList(api: StacksApi, contract: string): List<ContractTransaction> {
  return replacementRows(api, contract, ({ transaction: tx }: ReplacementItem) => ({
    id: tx.tx_id,
    height: tx.block.height,
    index: tx.block.tx_index,
    hash: tx.block.hash,
    time: timeOf(tx.block.time),
    ...callOf(api, principalTransactions, contract, {
      type: tx.type,
      called: tx.contract_call,
      status: tx.status,
      result: undefined,
      sender: tx.sender.address,
      fee: tx.fee_rate,
    }),
  }));
}

/** The fields of a transaction in both operations, which have other names. */
interface Returned {
  readonly type: string;
  readonly called: { readonly contract_id: string; readonly function_name: string } | undefined;
  readonly status: string;
  readonly result: string | undefined;
  readonly sender: string;
  readonly fee: unknown;
}

function callOf(
  api: StacksApi,
  operation: Operation,
  contract: string,
  { type, called, status, result, sender, fee }: Returned,
): Pick<ContractTransaction, "call" | "isOld"> {
  const isCall = type === "contract_call";
  if (isCall && called === undefined) api.noteDrift(operation, "contract_call", "missing");
  if (!isCall || called?.contract_id !== contract) return { call: undefined, isOld: true };
  const call = {
    function: isClarityName(called.function_name) ? called.function_name : OTHER,
    status: isEnumValue(status) ? status : OTHER,
    error: callError(status, result),
    caller: isPrincipal(sender) ? sender : undefined,
    fee: feeOf(fee, api, operation, "fee_rate"),
  };
  return { call };
}

const timeOf = (seconds: number): number | undefined => (seconds > 0 ? seconds : undefined);
