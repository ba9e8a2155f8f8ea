import { z } from "zod";
import { type Row, startOf } from "../../ledger/ledger.ts";
import {
  addressTransactions,
  PAGE,
  principalTransactions,
  type Transaction,
  transactionLists,
} from "../addresses/source.ts";
import { type WatchedTarget, watchedTargets } from "../collector.ts";
import type { Adder } from "../counted.ts";
import { counting } from "../counting.ts";
import { type LastTime, lastTimeOf } from "../list.ts";
import { pagesOption } from "../options.ts";
import { ofContract } from "../subjects.ts";
import { isClarityName, OTHER, TX_STATUSES } from "../values.ts";

const LIST = "GET /extended/v2/addresses/{address}/transactions";
const V3 = "its replacement GET /extended/v3/principals/{principal}/transactions";
const listed = (fields: string) => `${fields} of ${LIST}, or ${V3}, polled`;

const calls = ofContract.counter({
  name: "stacks_contract_calls_total",
  help:
    "Transactions that call the contract. Each counts once, when it has the configured confirmations. Calls through " +
    "another contract do not count.",
  source: listed("tx.contract_call.function_name, tx.tx_status"),
  labels: {
    function: "called function; other beyond the first 50, and for names that are not valid",
    tx_status: { about: "status of the transaction", values: [...TX_STATUSES, OTHER] },
  },
});
const errors = ofContract.counter({
  name: "stacks_contract_call_errors_total",
  help: "Counted calls that failed, by error.",
  source: `tx.tx_result.repr of ${LIST}, which ${V3} lacks, polled`,
  labels: {
    function: "called function; other beyond the first 50 pairs, and for names that are not valid",
    error:
      "error that the function returned, such as u101; none for a runtime error or a skipped transaction; " +
      "post_condition if a post-condition did not hold; unknown if the API returns no result; other for other values",
  },
});
const fees = ofContract.counter({
  name: "stacks_contract_call_fees_microstx_total",
  help: "Fees of counted calls, which their senders or sponsors paid. In microSTX.",
  source: listed("tx.fee_rate"),
});
const lastCall = ofContract.gauge({
  name: "stacks_contract_last_call_timestamp_seconds",
  help: "Block time of the newest call seen, at any depth. Unix time. Absent until the first one.",
  source: listed("tx.block_time"),
});
const pending = ofContract.pending("calls", listed("tx.block_height"));
const { reverted, restored } = ofContract.reversals("calls", listed("tx.block_hash"));

const options = z.object({ pages: pagesOption(PAGE) });

/** Maximum number of functions, and of pairs of function and error, of one contract that have series. */
const MAX_VALUES = 50;
// Alerts and dashboards compare failed calls with all calls, so that both start at 0. A call that miners skip is rare.
const ZEROS = TX_STATUSES.filter((status) => status !== "problematic_skipped");

/** The call succeeded, but a post-condition of its transaction did not hold. */
const POST_CONDITION = "post_condition";
/** The operation does not return the result of the call. */
const UNKNOWN = "unknown";

// An integer has at most 39 digits. Other values, such as strings and tuples, have no bound.
const CODE = /^\(err (u?\d{1,39}|-\d{1,39}|true|false|none)\)$/;

/**
 * Maps the status and the result of a call to its error: `u101` for `(err u101)`, `none` for a runtime error, `other`
 * for an error that is neither a number nor a boolean. Undefined if the call succeeded.
 * @param result undefined if the operation does not return it
 */
export function callError(status: string, result: string | undefined): string | undefined {
  if (status === "success") return undefined;
  if (status === "abort_by_post_condition") return POST_CONDITION;
  return result === undefined ? UNKNOWN : (CODE.exec(result)?.[1] ?? OTHER);
}

/** A transaction of the contract. One that does not call it is old: it is read, and not counted. */
interface CallRow extends Row, Pick<Transaction, "time" | "fee" | "status"> {
  /** `other` for a name that is not valid. */
  readonly function: string;
  /** Undefined if the call succeeded. */
  readonly error: string | undefined;
}

const toRow =
  (contract: string) =>
  ({ id, height, index, hash, time, fee, status, call }: Transaction): CallRow => ({
    ...{ id, height, index, hash, time, fee, status },
    isOld: call?.contract !== contract,
    function: call !== undefined && isClarityName(call.function) ? call.function : OTHER,
    error: callError(status, call?.result),
  });

function startCall(to: Adder, { function: name, error }: CallRow): void {
  for (const tx_status of ZEROS) to.start(calls, { function: name, tx_status });
  if (error !== undefined) to.start(errors, { function: name, error });
}

/** Direct calls of watched contracts, each counted once (`address_transactions`, or its replacement). */
export const contractCalls = counting<CallRow, LastTime | undefined, z.infer<typeof options>, WatchedTarget>({
  name: "contract_calls",
  about: "Calls of watched contracts by function, their errors and fees, each call counted once.",
  schedule: { keyless: "every 5m", free_key: "every 1h" },
  timeout: "4m",
  priority: 5,
  // Six functions, four errors.
  typicalSeries: { [calls.name]: 18, [errors.name]: 4 },
  operations: [addressTransactions, principalTransactions],
  families: [calls, errors, fees, lastCall, pending, reverted, restored],
  options,
  // Event rules belong to the collector `contracts`.
  targets(network) {
    const withoutRules = network.contracts.map((watched) => ({ ...watched, rules: [] }));
    return watchedTargets(withoutRules, network);
  },

  lists: ({ api, target: { key } }) => transactionLists(api, key, toRow(key)),
  listFamilies: { reverted, restored },
  counts: {
    identity: (network, { watched: { name, principal } }) => ({ network, name, contract_id: principal }),
    places: () => [
      { name: "function", families: [calls], labels: ["function"], max: MAX_VALUES, series: ZEROS.length },
      { name: "error", families: [errors], labels: ["function", "error"], max: MAX_VALUES },
    ],
  },

  start(to, { isFirst, rows = [], view }) {
    for (const family of [fees, reverted, restored]) to.start(family);
    // What is listed at the first poll does not count. It shows what is called, and what fails.
    for (const row of rows) if (isFirst && row.height <= startOf(view, rows) && !row.isOld) startCall(to, row);
  },
  count(row, to) {
    startCall(to, row);
    to.add(calls, { function: row.function, tx_status: row.status });
    to.add(fees, {}, row.fee ?? 0n);
    if (row.error !== undefined) to.add(errors, { function: row.function, error: row.error });
  },
  next(before, { rows = [], counted, view }) {
    const called = [...counted, ...rows].filter(({ isOld }) => !isOld);
    return lastTimeOf(before, called, view);
  },
  *gauges({ pending: waiting, own: last }, labels) {
    if (last !== undefined) yield lastCall.at(labels, last.value);
    yield pending.at(labels, waiting);
  },
});
