// The fee market: fees of mined and waiting transactions relative to their usual levels, and alerts on the difference.

import { sentLately } from "./addresses.ts";
import { grown } from "./grown.ts";
import type { Alert, Check, Recording, Subject } from "./model.ts";
import { estimated, quoted, recorded, series, withChain } from "./series.ts";
import { MICRO, PRICE, WINDOWS } from "./thresholds.ts";
import { limitsOf } from "./values.ts";

/** Types of which the board and the page show the price. */
const TYPES = { tx_type: "~contract_call|token_transfer" };
const ratio: Recording = {
  record: "stacks:chain_mined_fee_microstx:ratio",
  about: "Lowest fee of mined transactions, divided by the 25th percentile of the usual fee, by type.",
  expr: `${series("stacks_chain_mined_fee_lowest_microstx")} / max without (percentile) (${series("stacks_chain_mined_fee_baseline_microstx", { percentile: PRICE.usual })})`,
  labels: ["network", "tx_type"],
};

const SEE = {
  ratio: ["Fee of mined transactions relative to the usual fee, by type.", recorded(ratio)],
  fees: [
    "Fees of mined transactions by type and percentile, in microSTX.",
    series("stacks_chain_mined_fee_microstx", TYPES),
  ],
  estimate: ["Fee estimates by type and target, in microSTX.", series("stacks_fee_estimate_microstx")],
  contracts: ["Calls of the busiest contracts in the last 10 minutes.", series("stacks_chain_recent_contract_calls")],
} as const satisfies Readonly<Record<string, Check>>;

const limits = limitsOf("StacksFeeSpike");
/** The ratio while StacksFeeSpike has a reason to fire; no value otherwise. @param ratio a selector */
export const spikeOf = (ratio: string): string =>
  `${ratio} > ${limits.feeRatio} and (${ratio} > ${limits.highRatio} or min_over_time(${ratio}[${limits.window}]) > ${limits.feeRatio})`;

/** What a transaction of a type pays now, and usually. */
const priceOf = (tx_type: string): string =>
  estimated(tx_type) +
  quoted(
    series("stacks_chain_mined_fee_baseline_microstx", { tx_type, percentile: PRICE.usual }),
    " Its usual fee is {{ . }} STX.",
  );
const spike: Alert = {
  alert: "StacksFeeSpike",
  severity: "warning",
  expr: spikeOf(recorded(ratio, { tx_type: PRICE.type })),
  summary: `Fees on {{ $labels.network }} are more than ${limits.feeRatio} times the usual`,
  description: "The lowest fee with which contract calls were mined lately is {{ $value | humanize }} times the usual.",
  queried: ["contract_call", "token_transfer"].map(priceOf).join(""),
  runbook: {
    meaning: `The fourth lowest fee of the contract calls of the last two minutes (the newest 30 if those are more) is more
      than ${limits.feeRatio} times the usual 25th percentile (samples of seven days) for ${limits.window}, or more than
      ${limits.highRatio} times now: hardly any call gets in with the usual fee. Fees are those of a call of typical execution cost.
      Transfers of STX hardly ever wait.`,
    check: [SEE.ratio, SEE.estimate, SEE.contracts],
    actions: [
      "Pay the estimate of the type for urgent transactions (target 10m or 1h). Hold back others.",
      "To speed up a waiting transaction, send it again with the same nonce and a higher fee.",
    ],
  },
};

const { transferStx, callStx } = limitsOf("StacksFeeAbsolute");
const LIMITS_STX = { token_transfer: transferStx, contract_call: callStx };
const listed = Object.entries(LIMITS_STX)
  .map(([type, limit]) => `${type} ${limit} STX`)
  .join(", ");
const absolute: Alert = {
  alert: "StacksFeeAbsolute",
  severity: "warning",
  expr: Object.entries(LIMITS_STX)
    .map(
      ([tx_type, limit]) =>
        `${series("stacks_chain_mined_fee_microstx", { tx_type, percentile: "p50" })} / ${MICRO} > ${limit}`,
    )
    .join("\nor "),
  summary: "A {{ $labels.tx_type }} on {{ $labels.network }} costs more than your limit",
  description: 'The median fee of a mined {{ $labels.tx_type }} is {{ printf "%.3f" $value }} STX.',
  runbook: {
    meaning: `The median fee of the mined transactions of a type exceeds its limit: ${listed}. It is independent of
      the usual level.`,
    check: [SEE.fees, SEE.ratio],
    actions: [
      "Hold back transactions that are not urgent.",
      "If the limit is outdated, change it in the values of the rules, and load them again.",
    ],
  },
};

const own = limitsOf("StacksOwnFeeAboveMarket");
const ownFees = series("stacks_address_fees_paid_microstx_total", { role: "sender" });
const paidFees = `sum without (role) (${grown(ownFees, WINDOWS.usual)})`;
const payments = `sum without (tx_status) (${recorded(sentLately)})`;
const paid = `${paidFees} / ${payments}`;
const marketFee = series("stacks_chain_mined_fee_microstx", { percentile: "p50" });
const ownFee: Alert = {
  alert: "StacksOwnFeeAboveMarket",
  severity: "warning",
  expr: `${paid}
/ ${withChain(`max_over_time(${marketFee}[${WINDOWS.usual}])`, "tx_type")} > ${own.feeRatio}
and round(${payments}) >= ${own.minTransactions}`,
  summary: "{{ $labels.name }} pays far more than the market on {{ $labels.network }}",
  description: `The mean fee that {{ $labels.name }} paid for {{ $labels.tx_type }} in the last hour is {{ $value |
    humanize }} times what others paid.`,
  runbook: {
    meaning: `The mean fee that the address paid within ${WINDOWS.usual}, for at least ${own.minTransactions}
      transactions of a type, is more than ${own.feeRatio} times the highest median fee of the type in that time.
      Transactions that a sponsor paid for lower the mean.`,
    check: [
      ["Mean fee that the address paid, by type, in microSTX.", paid],
      ["Median fee of all mined transactions by type, in microSTX.", marketFee],
    ],
    actions: [
      "Check how the sender chooses its fee: often it is a constant, or priority high.",
      "Set an upper limit, or use the fees of mined transactions.",
    ],
  },
};

/** Rules for the fee market. */
export const fees: Subject = {
  name: "fees",
  board: "stacks-fees",
  title: "Fees and the mempool",
  baselines: [],
  recordings: [ratio],
  alerts: [spike, absolute, ownFee],
};
