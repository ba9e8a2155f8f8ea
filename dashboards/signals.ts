// What more than one board shows.
import { of, once, rec } from "./select.ts";

// Of fewer, the median is one sender's choice.
const LEAST_OF_TYPE = 5;

/** Fee of each type against its own usual level, priority low, as a query of a panel. */
export const feeRatioByType = {
  expr: `${once(rec("stacks:mempool_fee_priority_microstx:ratio7d", { tx_type: "all", priority: "low" }))} or (${once(rec("stacks:mempool_fee_priority_microstx:ratio7d", { priority: "low" }))} and on (network, tx_type) ${of("stacks_mempool_transactions")} >= ${LEAST_OF_TYPE})`,
  legend: "{{tx_type}}",
};

/** Said of it. */
export const FEW_LEFT_OUT = `Types of which fewer than ${LEAST_OF_TYPE} wait are left out.`;
