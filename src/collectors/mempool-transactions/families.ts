// The metric families of the collector `mempool_transactions`, and their samples. Pure.
import { gauge, type Sample } from "../../exposition/family.ts";
import { FEE_TYPES } from "../transactions/window.ts";
import { type FeeEstimate, TARGETS } from "./estimate.ts";

const LIST = "GET /extended/v3/mempool/transactions, polled";
const BOTH = `fee_rate, receipt_time and block.time of GET /extended/v3/transactions and ${LIST}`;
const network = "name of the network";
const feeType = { about: "type of the transaction; all is enough for each of the types", values: FEE_TYPES };

const families = {
  fee: gauge({
    name: "stacks_fee_estimate_microstx",
    help:
      "Fee with which a new transaction is mined within the target time, from waiting and mined transactions: between " +
      "the 25th and the 95th percentile of what was mined. In microSTX. Absent with fewer than 20 mined transactions of " +
      "5 senders.",
    source: BOTH,
    labels: { network, tx_type: feeType, target: { about: "target time", values: Object.keys(TARGETS) } },
  }),
};

/** Every family, in the order of the documentation. */
export const estimateFamilies = Object.values(families);

/** The samples of an observation. */
export function* estimateSamples(
  { estimate }: { readonly estimate: FeeEstimate | undefined },
  network: string,
): Iterable<Sample> {
  if (estimate === undefined) return;
  for (const [tx_type, { fees }] of Object.entries(estimate.types)) {
    for (const [target, fee] of Object.entries(fees)) yield families.fee.at({ network, tx_type, target }, fee);
  }
}
