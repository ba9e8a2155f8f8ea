// The metric families of the collector `mempool_transactions`, and their samples. Pure.
import { gauge, type Sample } from "../../exposition/family.ts";
import { FEE_TYPES } from "../transactions/window.ts";
import { type Estimate, TARGETS } from "./estimate.ts";

const LIST = "GET /extended/v3/mempool/transactions, polled";
const BOTH = `fee_rate, receipt_time and block.time of GET /extended/v3/transactions and ${LIST}`;
const network = "name of the network";
const feeType = { about: "type of the transaction; all covers every transaction of users", values: FEE_TYPES };

const families = {
  fee: gauge({
    name: "stacks_fee_estimate_microstx",
    help:
      "Lowest fee with which a new transaction is mined within the target time, from waiting and mined transactions. " +
      "Never below the 25th percentile of the fees that were mined in the last 10 minutes. In microSTX. Absent when " +
      "fewer than five transactions of the type were mined.",
    source: BOTH,
    unit: "microstx",
    labels: { network, tx_type: feeType, target: { about: "target time", values: Object.keys(TARGETS) } },
  }),
  room: gauge({
    name: "stacks_fee_estimate_blocks_have_room",
    help:
      "Whether everything that waits or arrives is mined within the target times, so that no fee has to compete: 1 or " +
      "0. Absent when the use of blocks is unknown.",
    source: `${BOTH.replace(", polled", "")}, and execution_cost_* of the block operations, polled`,
    labels: { network },
  }),
};

/** Every family, in the order of the documentation. */
export const estimateFamilies = Object.values(families);

/** The samples of an observation. */
export function* estimateSamples(
  { estimate }: { readonly estimate: Estimate | undefined },
  network: string,
): Iterable<Sample> {
  if (estimate === undefined) return;
  if (estimate.hasRoom !== undefined) yield families.room.at({ network }, estimate.hasRoom ? 1 : 0);
  for (const [tx_type, { fees }] of Object.entries(estimate.types)) {
    for (const [target, fee] of Object.entries(fees)) yield families.fee.at({ network, tx_type, target }, fee);
  }
}
