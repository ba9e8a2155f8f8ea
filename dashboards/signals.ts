// Queries that several boards use.
import { dedupe, metric, recording } from "./select.ts";

// With fewer transactions, the median is the choice of a single sender.
const LEAST_OF_TYPE = 5;

/** Query: fee of each type relative to its usual level, priority low. */
export const feeRatioByType = {
  expr: `${dedupe(recording("stacks:mempool_fee_priority_microstx:ratio7d", { tx_type: "all", priority: "low" }))} or (${dedupe(recording("stacks:mempool_fee_priority_microstx:ratio7d", { priority: "low" }))} and on (network, tx_type) ${metric("stacks_mempool_transactions")} >= ${LEAST_OF_TYPE})`,
  legend: "{{tx_type}}",
};

/** Note for the descriptions of its panels. */
export const FEW_LEFT_OUT = `Types with fewer than ${LEAST_OF_TYPE} waiting transactions are not shown.`;
