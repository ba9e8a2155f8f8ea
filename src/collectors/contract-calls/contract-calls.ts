import { z } from "zod";
import { counter, gauge } from "../../exposition/family.ts";
import { addressTransactions, PAGE, principalTransactions } from "../addresses/source.ts";
import type { ChainTarget, Watched } from "../collector.ts";
import type { Adder } from "../counted.ts";
import { counting } from "../counting.ts";
import { OTHER, TX_STATUSES } from "../labels.ts";
import { catchUpOption, pagesOption } from "../lists/options.ts";
import { type Call, type ContractTransaction, originalList, replacementList } from "./source.ts";

const identity = {
  network: "name of the network",
  name: "name of the contract in the configuration",
  contract_id: "the contract",
};
const LIST = "GET /extended/v2/addresses/{address}/transactions";
const V3 = "its replacement GET /extended/v3/principals/{principal}/transactions";
const listed = (fields: string) => `${fields} of ${LIST}, or ${V3}, polled`;

const calls = counter({
  name: "stacks_contract_calls_total",
  help:
    "Transactions that call the contract. Each counts once, when it has the configured confirmations. Calls through " +
    "another contract do not count.",
  source: listed("tx.contract_call.function_name, tx.tx_status"),
  labels: {
    ...identity,
    function: "called function; other beyond max_functions, and for names that are not valid",
    tx_status: { about: "status of the transaction", values: [...TX_STATUSES, OTHER] },
  },
});
const errors = counter({
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
});
const fees = counter({
  name: "stacks_contract_call_fees_microstx_total",
  help: "Fees of counted calls, which their senders or sponsors paid. In microSTX.",
  source: listed("tx.fee_rate"),
  unit: "microstx",
  labels: identity,
});
const lastCall = gauge({
  name: "stacks_contract_last_call_timestamp_seconds",
  help: "Block time of the newest call seen, at any depth. Unix time. Absent until the first one.",
  source: listed("tx.block_time"),
  unit: "seconds",
  labels: identity,
});
const pending = gauge({
  name: "stacks_contract_pending_depth_calls",
  help: "Calls that wait for confirmations.",
  source: listed("tx.block_height"),
  labels: identity,
});
const gap = counter({
  name: "stacks_contract_calls_gap_total",
  help:
    "Skipped transactions of the contract: there were more new ones than catch_up allows to read. An unknown number " +
    "of them were calls.",
  source: listed("total, results"),
  labels: identity,
});
const reverted = counter({
  name: "stacks_contract_reverted_calls_total",
  help: "Counted calls whose block was replaced by a confirmed block. Other counters are not lowered.",
  source: listed("tx.block_hash"),
  labels: identity,
});
const restored = counter({
  name: "stacks_contract_restored_calls_total",
  help: "Reverted calls that were mined again. They are not counted again.",
  source: listed("results"),
  labels: identity,
});
const overflow = counter({
  name: "stacks_contract_call_label_overflow_total",
  help: "Calls and errors counted as other: the function is not valid, or exceeds max_functions, max_errors or max_series.",
  source: listed("tx.contract_call.function_name"),
  labels: identity,
});

const options = z.object({
  pages: pagesOption(PAGE),
  catch_up: catchUpOption(PAGE, 100_000),
  max_functions: z.int().min(1).max(1000).default(50).meta({
    description: "Maximum number of functions of one contract that have series. Calls of the others count as `other`.",
  }),
  max_errors: z.int().min(1).max(1000).default(50).meta({
    description:
      "Maximum number of pairs of function and error of one contract that have series. The rest count as `other`.",
  }),
});

/** A watched contract. */
interface CallTarget extends ChainTarget {
  readonly watched: Watched;
}

/** What gauges need. */
interface Own {
  /** The newest call at any depth. */
  readonly last: { readonly height: number; readonly hash: string; readonly time: number } | undefined;
}

// Alerts and dashboards compare failed calls with all calls, so that both start at 0. A call that miners skip is rare.
const ZEROS = TX_STATUSES.filter((status) => status !== "problematic_skipped");

/** Makes the series of a call. */
function start(to: Adder, { function: name, error }: Call): void {
  for (const tx_status of ZEROS) to.start(calls, { function: name, tx_status });
  if (error !== undefined) to.start(errors, { function: name, error });
}

/** Direct calls of watched contracts, each counted once (`address_transactions`, or its replacement). */
export const contractCalls = counting<ContractTransaction, Own, z.infer<typeof options>, CallTarget>({
  name: "contract_calls",
  about: "Calls of watched contracts by function, their errors and fees, each call counted once.",
  schedule: { keyless: "every 5m", free_key: "every 1h" },
  timeout: "1m",
  priority: 5,
  // Six functions, four errors.
  typicalSeries: { [calls.name]: 18, [errors.name]: 4 },
  operations: [addressTransactions, principalTransactions],
  families: [calls, errors, fees, lastCall, pending, gap, reverted, restored, overflow],
  options,
  // Event rules belong to the collector `contracts`.
  targets: ({ contracts, confirmations }): readonly CallTarget[] =>
    contracts.map((watched) => ({ key: watched.principal, watched: { ...watched, rules: [] }, confirmations })),
  requestsPerPoll: () => 1,

  listOperation: addressTransactions,
  lists: ({ api, target }) => [
    originalList(api, target.watched.principal),
    replacementList(api, target.watched.principal),
  ],
  listFamilies: { gap, reverted, restored },
  counts: {
    families: [calls, errors, fees, gap, reverted, restored, overflow],
    identity: (network, { watched: { name, principal } }) => ({ network, name, contract_id: principal }),
    places: (_, { max_functions, max_errors }) => [
      {
        name: "function",
        families: [calls],
        labels: ["function"],
        max: max_functions,
        series: ZEROS.length,
        overflow: { family: overflow },
      },
      {
        name: "error",
        families: [errors],
        labels: ["function", "error"],
        max: max_errors,
        overflow: { family: overflow },
      },
    ],
  },

  start(to, { isFirst, rows = [], view }) {
    for (const family of [fees, gap, reverted, restored, overflow]) to.start(family);
    // What is listed at the first poll does not count. It shows what is called, and what fails.
    const old = isFirst ? rows.filter(({ height }) => height <= view.start) : [];
    for (const { call } of old) if (call !== undefined) start(to, call);
  },
  count({ call }, to) {
    if (call === undefined) return;
    start(to, call);
    to.add(calls, { function: call.function, tx_status: call.status });
    to.add(fees, {}, call.fee ?? 0);
    if (call.error !== undefined) to.add(errors, { function: call.function, error: call.error });
  },
  next(before, { rows = [], counted, view }): Own {
    const known = before?.last !== undefined && view.isReplaced(before.last) !== true ? before.last : undefined;
    const found = [...rows, ...counted.toReversed()].find(({ call, time }) => call !== undefined && time !== undefined);
    if (found === undefined) return { last: known };
    const { height, hash, time = 0 } = found;
    return { last: known !== undefined && known.height > height ? known : { height, hash, time } };
  },
  *gauges({ pending: waiting, own: { last } }, labels) {
    if (last !== undefined) yield lastCall.at(labels, last.time);
    yield pending.at(labels, waiting);
  },
});
