// The metric families of the collector `contract_calls`, and their samples. Pure.
import { counter, gauge, type Sample } from "../../exposition/family.ts";
import type { Watched } from "../collector.ts";
import { valuesOf } from "../counters.ts";
import { OTHER, TX_STATUSES } from "../labels.ts";
import { pauseSamples, pauses } from "../pauses.ts";
import { MAX_CALLERS } from "./callers.ts";
import type { Observation } from "./state.ts";

const identity = {
  network: "name of the network",
  name: "name of the contract in the configuration",
  contract_id: "the contract",
};
const LIST = "GET /extended/v2/addresses/{address}/transactions";
const V3 = "its replacement GET /extended/v3/principals/{principal}/transactions";
const listed = (fields: string) => `${fields} of ${LIST}, or ${V3}, polled`;
const functionName = "called function; other beyond max_functions, and for names that are not valid";

const families = {
  calls: counter({
    name: "stacks_contract_calls_total",
    help:
      "Transactions that call the contract. Each counts once, when it has the configured confirmations. Calls through " +
      "another contract do not count.",
    source: listed("tx.contract_call.function_name, tx.tx_status"),
    labels: {
      ...identity,
      function: functionName,
      tx_status: { about: "status of the transaction", values: [...TX_STATUSES, OTHER] },
    },
  }),
  errors: counter({
    name: "stacks_contract_call_errors_total",
    help: "Counted calls that failed, by error.",
    source: `tx.tx_result.repr of ${LIST}, which ${V3} lacks, polled`,
    labels: {
      ...identity,
      function: "called function; other beyond max_errors, and for names that are not valid",
      error:
        "error that the function returned, such as u101; none for a runtime error; post_condition if a post-condition " +
        "did not hold; unknown while the API does not return results; other for other values",
    },
  }),
  fees: counter({
    name: "stacks_contract_call_fees_microstx_total",
    help: "Fees of counted calls, which their senders or sponsors paid. In microSTX.",
    source: listed("tx.fee_rate"),
    unit: "microstx",
    labels: identity,
  }),
  callers: gauge({
    name: "stacks_contract_recent_callers",
    help: `Distinct senders of confirmed calls in the hour before the last poll, at most ${MAX_CALLERS}.`,
    source: listed("tx.sender_address, tx.block_time"),
    labels: identity,
  }),
  lastCall: gauge({
    name: "stacks_contract_last_call_timestamp_seconds",
    help: "Block time of the newest call seen, at any depth. Unix time. Absent until the first one.",
    source: listed("tx.block_time"),
    unit: "seconds",
    labels: identity,
  }),
  pending: gauge({
    name: "stacks_contract_pending_depth_calls",
    help: "Calls that wait for confirmations.",
    source: listed("tx.block_height"),
    labels: identity,
  }),
  gap: counter({
    name: "stacks_contract_calls_gap_total",
    help:
      "Skipped transactions of the contract: there were more new ones than catch_up allows to read. An unknown number " +
      "of them were calls.",
    source: listed("total, results"),
    labels: identity,
  }),
  reverted: counter({
    name: "stacks_contract_reverted_calls_total",
    help: "Counted calls whose block was replaced by a confirmed block. Other counters are not lowered.",
    source: listed("tx.block_hash"),
    labels: identity,
  }),
  restored: counter({
    name: "stacks_contract_restored_calls_total",
    help: "Reverted calls that were mined again. They are not counted again.",
    source: listed("results"),
    labels: identity,
  }),
  overflow: counter({
    name: "stacks_contract_call_label_overflow_total",
    help:
      "Calls and errors counted as other: the function is not valid, exceeds max_functions, max_errors or max_series, " +
      "or lost its series.",
    source: listed("tx.contract_call.function_name"),
    labels: identity,
  }),
};

/** Every family, in the order of the documentation. */
export const callFamilies = [...Object.values(families), pauses];

/** The samples of one contract. */
export function* callSamples(
  { totals, callers, pending, last, rhythm }: Observation,
  network: string,
  { name, principal }: Watched,
): Iterable<Sample> {
  const labels = { network, name, contract_id: principal };
  for (const [key, count] of Object.entries(totals.calls)) {
    const [of = "", tx_status = ""] = valuesOf(key);
    yield families.calls.at({ ...labels, function: of, tx_status }, count);
  }
  for (const [key, count] of Object.entries(totals.errors)) {
    const [of = "", error = ""] = valuesOf(key);
    yield families.errors.at({ ...labels, function: of, error }, count);
  }
  yield families.fees.at(labels, totals.fees);
  yield families.callers.at(labels, Object.keys(callers).length);
  const time = last?.time ?? rhythm.known?.last;
  if (time !== undefined) yield families.lastCall.at(labels, time);
  yield families.pending.at(labels, pending);
  yield families.gap.at(labels, totals.gap);
  yield families.reverted.at(labels, totals.reverted);
  yield families.restored.at(labels, totals.restored);
  yield families.overflow.at(labels, totals.overflow);
  yield* pauseSamples(rhythm, labels, "call");
}
