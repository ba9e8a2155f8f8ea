// The metric families of the collector `transactions`, and their samples. Pure.
import { counter, gauge, type Sample } from "../../exposition/family.ts";
import { valuesOf } from "../counters.ts";
import { OTHER, TX_STATUSES, TX_TYPES } from "../labels.ts";
import { baselineFees } from "./baseline.ts";
import { callsOf } from "./busiest.ts";
import { rowsOf } from "./recent.ts";
import type { Observation } from "./state.ts";
import { FEE_TYPES, type FeesByType, feesOf, PERCENTILES, type Percentile, rowsInWindow } from "./window.ts";

const network = "name of the network";
const listed = (fields: string) => `${fields} of GET /extended/v3/transactions, polled`;
const FEES = listed("fee_rate, type, block.time");
const feeType = { about: "type of the transactions; all covers every transaction of users", values: FEE_TYPES };
const percentile = { about: "percentile of the transactions", values: Object.keys(PERCENTILES) };
const txType = { about: "type of the transaction", values: [...TX_TYPES, OTHER] };

const families = {
  fee: gauge({
    name: "stacks_chain_mined_fee_microstx",
    help:
      "Fee of the transactions of users that were mined in the last 10 minutes, by percentile. Transactions without a " +
      "fee are left out. At any depth. In microSTX. Absent when there were none.",
    source: FEES,
    unit: "microstx",
    labels: { network, tx_type: feeType, percentile },
  }),
  feeSample: gauge({
    name: "stacks_chain_mined_fee_sample_transactions",
    help: "Number of mined transactions behind the percentiles of their fees.",
    source: FEES,
    labels: { network, tx_type: feeType },
  }),
  baselineFee: gauge({
    name: "stacks_chain_mined_fee_baseline_microstx",
    help:
      "Usual fee of mined transactions of users, by percentile: the median of samples of the last seven days, of which " +
      "there is one for every seven hours. In microSTX. Absent until there are enough samples.",
    source: FEES,
    unit: "microstx",
    labels: { network, tx_type: feeType, percentile },
  }),
  transactions: counter({
    name: "stacks_chain_mined_transactions_total",
    help: "Mined transactions. Each counts once, when it has the configured confirmations.",
    source: listed("type, status"),
    labels: {
      network,
      tx_type: txType,
      tx_status: { about: "status of the transaction", values: [...TX_STATUSES, OTHER] },
    },
  }),
  calls: gauge({
    name: "stacks_chain_recent_contract_calls",
    help:
      "Calls of a contract that were mined in the last 10 minutes, for the contracts with the most calls. A contract " +
      "leaves an hour after it was last among them.",
    source: listed("contract_call.contract_id, block.time"),
    labels: { network, contract_id: "the contract" },
  }),
  pending: gauge({
    name: "stacks_chain_pending_depth_transactions",
    help: "Mined transactions that wait for confirmations.",
    source: listed("block.height"),
    labels: { network },
  }),
  gaps: counter({
    name: "stacks_chain_transactions_gap_total",
    help: "Mined transactions that were skipped, because there were more than catch_up after a pause.",
    source: listed("total"),
    labels: { network },
  }),
  reverted: counter({
    name: "stacks_chain_reverted_transactions_total",
    help: "Counted transactions whose block was replaced. Other counters are not lowered.",
    source: listed("block.hash"),
    labels: { network },
  }),
  restored: counter({
    name: "stacks_chain_restored_transactions_total",
    help: "Reverted transactions that are in a block again. They are not counted again.",
    source: listed("block.hash"),
    labels: { network },
  }),
};

/** Every family, in the order of the documentation. */
export const chainFamilies = Object.values(families);

/** The samples of the chain's transactions. */
export function* chainSamples(observation: Observation, network: string): Iterable<Sample> {
  const { pending, totals, recent, baseline, busiest, at } = observation;
  const now = at / 1000;
  const rows = rowsOf(recent);
  const window = rowsInWindow(rows, now);
  const labels = { network };
  const fees = feesOf(window);
  for (const tx_type of FEE_TYPES) yield families.feeSample.at({ network, tx_type }, fees[tx_type].transactions);
  yield* feeSamples(fees, network, families.fee);
  const usual = baselineFees(baseline, rows, now);
  if (usual !== undefined) yield* feeSamples(usual, network, families.baselineFee);
  for (const [key, count] of Object.entries(totals.transactions)) {
    const [tx_type = "", tx_status = ""] = valuesOf(key);
    yield families.transactions.at({ network, tx_type, tx_status }, count);
  }
  const calls = callsOf(window);
  for (const { id } of busiest) yield families.calls.at({ network, contract_id: id }, calls.get(id) ?? 0);
  yield families.pending.at(labels, pending);
  yield families.gaps.at(labels, totals.gap);
  yield families.reverted.at(labels, totals.reverted);
  yield families.restored.at(labels, totals.restored);
}

function* feeSamples(fees: FeesByType, network: string, fee: typeof families.fee): Iterable<Sample> {
  for (const tx_type of FEE_TYPES) {
    const { percentiles } = fees[tx_type];
    if (percentiles === undefined) continue;
    for (const name of Object.keys(PERCENTILES) as Percentile[]) {
      yield fee.at({ network, tx_type, percentile: name }, percentiles[name]);
    }
  }
}
