// Watched addresses: money that leaves, transactions that fail, silence where there should be none.
import { whileActive } from "./guards.ts";
import type { Alert, Recording, Subject } from "./model.ts";
import { series } from "./series.ts";
import { ADDRESSES, FEES, MICRO, seconds } from "./thresholds.ts";

const onAddress = "on (network, name, address, job, instance)";
const inGroup = (group: string) => `and ${onAddress} ${series("stacks_address_info", { group })}`;

const { outflowUnusual: unusual, outflowHigh: high, failing: fails, newAsset: fresh } = ADDRESSES;

const outflow = (window: string) => `increase(${series("stacks_address_sent_microstx_total")}[${window}])`;
const hourly: Recording = {
  record: `stacks:address_sent_microstx:increase${unusual.window}`,
  about: `STX that left an address within ${unusual.window}, fees included. MicroSTX.`,
  expr: outflow(unusual.window),
  labels: ["network", "name", "address"],
};
const hourlyBaseline: Recording = {
  record: `stacks:address_sent_microstx:baseline${unusual.baseline}`,
  about: `Usual outflow of an address within ${unusual.window}, the median over ${unusual.baseline}. MicroSTX. Absent before there is a history of ${unusual.leastHistory}.`,
  expr: `quantile_over_time(0.5, ${hourly.record}[${unusual.baseline}])
and count_over_time(${hourly.record}[${unusual.baseline}]) >= ${seconds(unusual.leastHistory) / seconds(FEES.baseline.interval)}`,
  labels: ["network", "name", "address"],
};

const FLOW = {
  out: { shows: "What left in the last hour. MicroSTX.", query: outflow("1h") },
  usual: { shows: "What usually leaves in an hour. MicroSTX.", query: hourlyBaseline.record },
  where: {
    shows: "STX moved, by direction. MicroSTX in a day.",
    query: `increase(${series("stacks_address_stx_transfer_microstx_total")}[1d])`,
  },
  types: {
    shows: "Transactions in a day, by type and end.",
    query: `increase(${series("stacks_address_transactions_total", { direction: "sent" })}[1d]) > 0`,
  },
} as const;

const outflowUnusual: Alert = {
  alert: "StacksAddressOutflowUnusual",
  severity: "warning",
  expr: `${outflow(unusual.window)} / ${MICRO} > ${unusual.leastMicrostx / MICRO}
and ${outflow(unusual.window)} > ${unusual.ratio} * last_over_time(${hourlyBaseline.record}[${FEES.baseline.staleness}])`,
  for: unusual.for,
  keepFiringFor: unusual.keepFiringFor,
  summary: "Far more STX than usual leaves {{ $labels.name }} on {{ $labels.network }}",
  description: '{{ printf "%.0f" $value }} STX left within an hour.',
  runbook: {
    meaning: `More than ${unusual.ratio} times what usually leaves within ${unusual.window} (the median over ${unusual.baseline}), and more than ${unusual.leastMicrostx / MICRO} STX.`,
    impact: "A payout, or a key in wrong hands.",
    diagnosis: [FLOW.out, FLOW.usual, FLOW.where, FLOW.types],
    actions: [
      "Find the transactions in an explorer and ask who sent them.",
      "If nobody did, move what is left to a new key at once.",
      "If it was planned, do nothing: it is over an hour after the last one.",
    ],
  },
};

const outflowHigh: Alert = {
  alert: "StacksAddressOutflowHigh",
  severity: "warning",
  optional: "The limit is an example: put in your own.",
  expr: `${outflow(high.window)} / ${MICRO} > ${high.microstx / MICRO}`,
  for: high.for,
  keepFiringFor: high.keepFiringFor,
  summary: "More STX than allowed leaves {{ $labels.name }} on {{ $labels.network }}",
  description: '{{ printf "%.0f" $value }} STX left within an hour.',
  runbook: {
    meaning: `More than ${high.microstx / MICRO} STX left within ${high.window}, fees included.`,
    impact: "The limit that was set for this address is broken, planned or not.",
    diagnosis: [FLOW.out, FLOW.where, FLOW.types],
    actions: [
      "Find the transactions in an explorer and ask who sent them.",
      "If nobody did, move what is left to a new key at once.",
    ],
  },
};

const sinceSent = `time() - ${series("stacks_address_last_transaction_timestamp_seconds", { direction: "sent" })}`;
const silent: Alert = {
  alert: "StacksAddressSilent",
  severity: "warning",
  expr: `${sinceSent} > ${seconds(ADDRESSES.silent.after)}
${inGroup(ADDRESSES.groups.heartbeat)}
${whileActive("addresses")}`,
  for: ADDRESSES.silent.for,
  keepFiringFor: ADDRESSES.silent.keepFiringFor,
  summary: "{{ $labels.name }} on {{ $labels.network }} has stopped sending",
  description: "Its last transaction is {{ $value | humanizeDuration }} old.",
  runbook: {
    meaning: `An address of the group \`${ADDRESSES.groups.heartbeat}\` has sent nothing for more than ${ADDRESSES.silent.after}. Put into that group what should send regularly: oracles, relayers, keepers.`,
    impact: "Whatever it keeps going stands still.",
    diagnosis: [
      { shows: "Time since it last sent. Seconds.", query: sinceSent },
      { shows: "What is seen and not yet deep enough.", query: series("stacks_address_pending_depth_transactions") },
      { shows: "Its nonce.", query: series("stacks_address_nonce", { role: "sender" }) },
    ],
    actions: [
      "Look at the sending program: is it running, has it money for fees?",
      "Look for a gap of nonces: one transaction that is not mined holds up all after it.",
      "Compare its fee with the market: see StacksFeeSpike.",
    ],
  },
};

const sentCount = (failed: boolean) =>
  `sum without (tx_type, tx_status, direction) (increase(${series("stacks_address_transactions_total", failed ? { direction: "sent", tx_status: "!success" } : { direction: "sent" })}[${fails.window}]))`;
const failing: Alert = {
  alert: "StacksAddressTransactionsFailing",
  severity: "warning",
  expr: `${sentCount(true)} / ${sentCount(false)} > ${fails.ratio}
and round(${sentCount(true)}) >= ${fails.leastFailed}`,
  for: fails.for,
  keepFiringFor: fails.keepFiringFor,
  summary: "Transactions of {{ $labels.name }} on {{ $labels.network }} fail",
  description: "{{ $value | humanizePercentage }} of what it sent in the last hour failed on chain.",
  runbook: {
    meaning: `More than ${fails.ratio * 100} % of what the address sent within ${fails.window} was mined and failed, at least ${fails.leastFailed} transactions.`,
    impact: "Fees are paid for nothing, and what was meant did not happen.",
    diagnosis: [FLOW.types, { shows: "Share that failed.", query: `${sentCount(true)} / ${sentCount(false)}` }],
    actions: [
      "`abort_by_response`: the contract refused; read the error of the call in an explorer.",
      "`abort_by_post_condition`: the sender's own conditions did not hold; prices moved, or the conditions are too tight.",
      "Stop what sends them, if it repeats blindly.",
    ],
  },
};

// The series of an asset begins with its first transfer, which `increase` cannot see; so it is asked whether there ever was one.
const everReceived = (metric: string, range: string) =>
  `max_over_time(${series(metric, { direction: "in", asset: "!other" })}[${range}) > 0`;
const newAssets = ["stacks_address_ft_transfers_total", "stacks_address_nft_transfers_total"]
  .map(
    (metric) =>
      `${everReceived(metric, `${fresh.now}]`)}
unless ${everReceived(metric, `${fresh.memory}] offset ${fresh.fresh}`)}
and ${onAddress} present_over_time(${series("stacks_address_info")}[${fresh.fresh}] offset ${fresh.known})`,
  )
  .join("\nor\n");
const newAsset: Alert = {
  alert: "StacksAddressNewAsset",
  severity: "info",
  optional: "Anybody can send a token to anybody: of interest where that is rare.",
  expr: newAssets,
  for: fresh.for,
  summary: "{{ $labels.name }} on {{ $labels.network }} received an asset it did not have",
  description: "{{ $labels.asset }} was received for the first time in a week.",
  runbook: {
    meaning: `A token or collection was received that had not been received within ${fresh.memory}. It stays for ${fresh.fresh}. Addresses that were not watched ${fresh.known} ago are left out.`,
    impact: "Mostly spam; sometimes a payment in the wrong token.",
    diagnosis: [
      {
        shows: "Fungible tokens received in a day.",
        query: `increase(${series("stacks_address_ft_transfers_total", { direction: "in" })}[1d]) > 0`,
      },
      {
        shows: "Other tokens received in a day.",
        query: `increase(${series("stacks_address_nft_transfers_total", { direction: "in" })}[1d]) > 0`,
      },
    ],
    actions: [
      "Do not touch unknown tokens: their contracts may be made to lure.",
      "If it was a payment, find its sender in an explorer.",
    ],
  },
};

const bare = `sum without (tx_type) (increase(${series("stacks_address_unprotected_transactions_total")}[${ADDRESSES.unprotected.window}]))`;
const unprotected: Alert = {
  alert: "StacksAddressUnprotectedTransaction",
  severity: "warning",
  expr: `${bare} > 0
${inGroup(ADDRESSES.groups.treasury)}`,
  for: ADDRESSES.unprotected.for,
  summary: "{{ $labels.name }} on {{ $labels.network }} sent a transaction without any post-condition",
  description:
    'Transactions of the last hour that would have let a contract take anything: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `An address of the group \`${ADDRESSES.groups.treasury}\` sent a transaction in mode allow with no post-condition.`,
    impact: "The called contract could have moved any asset of the address.",
    diagnosis: [
      {
        shows: "Which type of transaction.",
        query: `increase(${series("stacks_address_unprotected_transactions_total")}[1d]) > 0`,
      },
      FLOW.out,
    ],
    actions: [
      "Find the transaction and compare what moved with what was meant to.",
      "Let the wallet or program set mode deny.",
    ],
  },
};

const sponsored = `sum without (tx_type) (increase(${series("stacks_address_fees_paid_microstx_total", { role: "sponsor" })}[${ADDRESSES.sponsor.window}]))`;
const sponsor: Alert = {
  alert: "StacksSponsorFeesHigh",
  severity: "warning",
  optional: "The budget is an example: put in your own.",
  expr: `${sponsored} / ${MICRO} > ${ADDRESSES.sponsor.microstx / MICRO}`,
  for: ADDRESSES.sponsor.for,
  keepFiringFor: ADDRESSES.sponsor.keepFiringFor,
  summary: "{{ $labels.name }} on {{ $labels.network }} pays more than its budget for others",
  description: 'It paid {{ printf "%.2f" $value }} STX as a sponsor within a day.',
  runbook: {
    meaning: `Fees paid as a sponsor within ${ADDRESSES.sponsor.window} are above ${ADDRESSES.sponsor.microstx / MICRO} STX. The API gives no balance, so days that are left cannot be told: divide the balance by this.`,
    impact: "The sponsor runs dry, and sponsored transactions are no longer mined.",
    diagnosis: [
      { shows: "What it paid in a day. MicroSTX.", query: sponsored },
      {
        shows: "Sponsored transactions in a day.",
        query: `increase(${series("stacks_address_sponsored_transactions_total", { role: "sponsor" })}[1d])`,
      },
    ],
    actions: [
      "Look for misuse: many sponsored transactions of one user.",
      "Compare with the fee market, and bound the fee that is sponsored.",
      "Fill it up.",
    ],
  },
};

const behind: Alert = {
  alert: "StacksAddressBehind",
  severity: "info",
  expr: `${series("stacks_address_backlog_transactions")} > ${ADDRESSES.behind.transactions}`,
  for: ADDRESSES.behind.for,
  keepFiringFor: ADDRESSES.behind.keepFiringFor,
  summary: "Reading {{ $labels.name }} on {{ $labels.network }} does not keep up",
  description: "{{ $value }} transactions are not counted yet.",
  runbook: {
    meaning: `For ${ADDRESSES.behind.for} more than ${ADDRESSES.behind.transactions} transactions were deep enough to be counted and were not.`,
    impact: "Counters of the address lag behind the chain. While history is read back on purpose, that is expected.",
    diagnosis: [
      { shows: "What is left.", query: series("stacks_address_backlog_transactions") },
      {
        shows: "Whether the budget slows it down: 1 is not.",
        query: series("stacks_exporter_collector_stretch_ratio", { collector: "addresses" }),
      },
    ],
    actions: ["Raise the request budget, or watch fewer addresses.", "When it only reads history back, wait."],
  },
};

const passedOver = `increase(${series("stacks_address_gap_transactions_total")}[${ADDRESSES.gap.window}])`;
const gap: Alert = {
  alert: "StacksAddressGap",
  severity: "warning",
  expr: `${passedOver} > 0`,
  for: ADDRESSES.gap.for,
  summary: "Transactions of {{ $labels.name }} on {{ $labels.network }} were passed over",
  description: 'Transactions of the last hour that were not counted: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: "More transactions had come since the last poll than `catch_up` allows to read.",
    impact: "The counters of this address are too low from now on.",
    diagnosis: [
      { shows: "Transactions passed over.", query: passedOver },
      { shows: "What is left to read.", query: series("stacks_address_backlog_transactions") },
    ],
    actions: [
      "After an outage it is expected, once.",
      "If it repeats, raise `catch_up` of the collector addresses, or the request budget.",
    ],
  },
};

const undone = `increase(${series("stacks_address_reverted_transactions_total")}[${ADDRESSES.reverted.window}])`;
const reverted: Alert = {
  alert: "StacksAddressReverted",
  severity: "warning",
  expr: `${undone} > 0`,
  for: ADDRESSES.reverted.for,
  summary: "Counted transactions of {{ $labels.name }} on {{ $labels.network }} are reverted",
  description: 'Counted transactions whose block was replaced: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning:
      "A reorganisation replaced the blocks of transactions that already had the configured confirmations, and the new blocks have them too.",
    impact: "Payments that were taken as final are not. Counters are not lowered; subtract the reverted ones.",
    diagnosis: [
      {
        shows: "Transactions that were reverted.",
        query: `increase(${series("stacks_address_reverted_transactions_total")}[1d]) > 0`,
      },
      {
        shows: "Of these, mined again.",
        query: `increase(${series("stacks_address_restored_transactions_total")}[1d])`,
      },
      { shows: "Depth of the last reorganisation. Blocks.", query: series("stacks_chain_last_reorg_depth_blocks") },
    ],
    actions: [
      "Look up each payment: most are mined again.",
      "Raise `confirmations` in the configuration above the depth.",
    ],
  },
};

const brought = `increase(${series("stacks_address_irregularities_total", { kind: "impossible_height" })}[${ADDRESSES.repaired.window}])`;
const repaired: Alert = {
  alert: "StacksAddressCountingRepaired",
  severity: "warning",
  expr: `${brought} > 0`,
  for: ADDRESSES.repaired.for,
  summary: "Counting of {{ $labels.name }} on {{ $labels.network }} had stopped above the tip and goes on",
  description: "The state file held a height above the tip of the chain. Nothing was counted until now.",
  runbook: {
    meaning:
      "A server once reported a tip that does not exist, and a height made from it was stored. The exporter brought it back to the newest transaction that was really listed.",
    impact: "Transactions from the time in between are counted now, all at once.",
    diagnosis: [
      { shows: "Addresses that were repaired.", query: `${brought} > 0` },
      { shows: "What is left to read.", query: series("stacks_address_backlog_transactions") },
    ],
    actions: ["Nothing: counting goes on from what can be proved.", "Find out which server reported the tip."],
  },
};

/** The rules about watched addresses. */
export const addresses: Subject = {
  name: "addresses",
  title: "Watched addresses",
  baselines: [hourly, hourlyBaseline],
  recordings: [],
  alerts: [
    outflowUnusual,
    outflowHigh,
    silent,
    failing,
    newAsset,
    unprotected,
    sponsor,
    behind,
    gap,
    reverted,
    repaired,
  ],
};
