// Alerts on watched addresses: low balances, outgoing STX, failing transactions, addresses that stop sending.
import { waitingAlerts } from "./address-waiting.ts";
import { FIRST_POLLS_END, unreadFor, whilePolledWithin } from "./freshness.ts";
import { grown } from "./grown.ts";
import type { Alert, Recording, Subject } from "./model.ts";
import { lately, type Matchers, on, onNetwork, recorded, series, withChain } from "./series.ts";
import { BASELINES, MICRO, OUTFLOW, seconds, WINDOWS } from "./thresholds.ts";
import { limitsOf, scaled } from "./values.ts";

/** The increase of a counter within a window, of an address that was known when the window began. */
const rise = (name: string, window: string, matchers: Matchers = {}) => grown(series(name, matchers), window);

const unusual = limitsOf("StacksAddressOutflowUnusual");
const fails = limitsOf("StacksAddressTransactionsFailing");

const outflow = (window: string) => `increase(${series("stacks_address_sent_microstx_total")}[${window}])`;
const hourly: Recording = {
  record: `stacks:address_sent_microstx:increase${OUTFLOW.window}`,
  about: `STX sent by an address within ${OUTFLOW.window}, including fees. In microSTX.`,
  expr: outflow(OUTFLOW.window),
  labels: ["network", "name", "address"],
};
const hourlyBaseline: Recording = {
  record: `stacks:address_sent_microstx:baseline${OUTFLOW.baseline}`,
  about: `Usual outflow of an address within ${OUTFLOW.window}: the median over ${OUTFLOW.baseline}. In microSTX.
    Absent until there is ${OUTFLOW.minHistory} of history.`,
  expr: `quantile_over_time(0.5, ${hourly.record}[${OUTFLOW.baseline}])
and count_over_time(${hourly.record}[${OUTFLOW.baseline}]) >= ${seconds(OUTFLOW.minHistory) / seconds(BASELINES.interval)}`,
  labels: ["network", "name", "address"],
};

const outflowUnusual: Alert = {
  alert: "StacksAddressOutflowUnusual",
  severity: "warning",
  expr: `${outflow(OUTFLOW.window)} / ${MICRO} > ${unusual.minStx}
and ${outflow(OUTFLOW.window)} > ${unusual.ratio} * last_over_time(${hourlyBaseline.record}[${BASELINES.staleness}])
${whilePolledWithin("addresses", seconds(OUTFLOW.window))}`,
  summary: "{{ $labels.name }} on {{ $labels.network }} sends far more STX than usual",
  description: `{{ printf "%.0f" $value }} STX were counted within an hour: more than ${unusual.ratio} times the usual,
    and more than ${unusual.minStx} STX.`,
  runbook: {
    meaning: `The address sent more than ${unusual.ratio} times its usual outflow (the median over
      ${OUTFLOW.baseline}), and more than ${unusual.minStx} STX, within ${OUTFLOW.window}: a payout, a stolen
      key, or all of a long outage. It does not fire where polls are rarer than that: set \`max_outflow\`.`,
    check: [
      ["STX sent in the last hour, in microSTX.", outflow(OUTFLOW.window)],
      ["Usual outflow per hour, in microSTX.", hourlyBaseline.record],
    ],
    actions: [
      "The status page lists the last ten counted transactions of the address: `/?name=` and its name; an explorer has older ones. Ask the owner of the key whether they were intended.",
      "If they were not, move the remaining funds to a new key immediately.",
    ],
  },
};

/**
 * The amounts above or below the limits of the watch lists, in STX, in tokens where their decimals are configured, and
 * otherwise in base units. The labels `limit` and `unit` are for the texts of alerts.
 */
function beyond(comparison: "<" | ">", [stx, stxLimit]: Names, [units, unitLimit]: Names): string {
  const withLimit = (amount: string, limit: string, unit: string) =>
    `label_replace((${amount} ${comparison} ${limit}) * ignoring (limit) group_left (limit) count_values without () ("limit", ${limit}), "unit", "${unit}", "", "")`;
  const [amount, limit] = [series(units), series(unitLimit)];
  const decimals = series("stacks_asset_decimals");
  const tokens = (selector: string) => `${selector} / ${onAsset} group_left () (10 ^ ${decimals})`;
  return `label_replace(${withLimit(`${series(stx)} / ${MICRO}`, `${series(stxLimit)} / ${MICRO}`, "STX")}, "asset", "stx", "", "")
or ${withLimit(tokens(amount), tokens(limit), "tokens")}
or ${withLimit(`(${amount} unless ${onAsset} ${decimals})`, limit, "base units")}`;
}

const onAsset = on("network", "asset");

/** The names of an amount and of its limit. */
type Names = readonly [amount: string, limit: string];

/** An amount in an annotation: not rounded to its limit, and without an exponent. */
const AMOUNT =
  '{{ if and (gt $value 0.0) (lt $value 0.0001) }}{{ printf "%.8f" $value }}{{ else if lt $value 1e12 }}{{ printf "%.12g" $value }}{{ else }}{{ printf "%.0f" $value }}{{ end }}';
const OF_ASSET = '{{ $labels.unit }}{{ if ne $labels.asset "stx" }} of {{ $labels.asset }}{{ end }}';

const stxOfLimit = `${series("stacks_address_outflow_microstx")} / ${series("stacks_address_max_outflow_microstx")}`;
const tokenOfLimit = `${series("stacks_address_ft_outflow_units")} / ${series("stacks_address_ft_max_outflow_units")}`;
const outflowHigh: Alert = {
  alert: "StacksAddressOutflowHigh",
  severity: "critical",
  expr: beyond(
    ">",
    ["stacks_address_outflow_microstx", "stacks_address_max_outflow_microstx"],
    ["stacks_address_ft_outflow_units", "stacks_address_ft_max_outflow_units"],
  ),
  summary: "{{ $labels.name }} on {{ $labels.network }} sends more than its limit",
  description: `It sent ${AMOUNT} ${OF_ASSET} within an hour, limit {{ $labels.limit }}.`,
  runbook: {
    meaning: `More than \`max_outflow\` of the watch list left the address within an hour of block time: STX
      including fees, or a token. It is a large payout, or a stolen key. It fires for an hour after the transactions
      were counted.`,
    check: [
      ["STX sent within an hour, as a share of the limit.", stxOfLimit],
      ["Tokens sent within an hour, as a share of the limit.", tokenOfLimit],
    ],
    actions: [
      "The status page lists the last ten counted transactions of the address: `/?name=` and its name; an explorer has older ones. Ask the owner of the key whether they were intended.",
      "If they were not, move the remaining funds to a new key immediately.",
      "If it fires for intended payouts, raise `max_outflow`.",
    ],
  },
};

const sinceSent = `time() - max without (direction) (${series("stacks_address_last_transaction_timestamp_seconds", { direction: "sent" })})`;
const silentAfter = series("stacks_address_silent_after_seconds");
const silent: Alert = {
  alert: "StacksAddressSilent",
  severity: "warning",
  expr: `${sinceSent} > ${silentAfter} + ${onNetwork} group_left () (${unreadFor("addresses")})`,
  summary: "{{ $labels.name }} on {{ $labels.network }} has stopped sending",
  description: "Its last transaction is {{ $value | humanizeDuration }} old.",
  runbook: {
    meaning: `The address has sent nothing for longer than its \`silent_after\` of the watch list and the time between
      two polls. Anything that depends on these transactions stops.`,
    check: [
      ["Time since its last sent transaction, in seconds.", sinceSent],
      ["The limit, without the time between two polls, in seconds.", silentAfter],
      ["Transactions that wait for confirmations.", series("stacks_address_pending_depth_transactions")],
    ],
    actions: [
      "Check the sending program: is it running, and does the address have STX for fees?",
      "Check for a nonce gap: one missing transaction blocks all later ones.",
      "Compare its fee with the market: see StacksFeeSpike.",
    ],
  },
};

/** Transactions that an address has sent lately. */
export const sentLately: Recording = {
  record: `stacks:address_sent_transactions:increase${WINDOWS.usual}`,
  about: `Transactions sent by an address within ${WINDOWS.usual}, by type and status.`,
  expr: `sum without (direction) (${rise("stacks_address_transactions_total", WINDOWS.usual, { direction: "sent" })})`,
  labels: ["network", "name", "address", "tx_type", "tx_status"],
};
const failedCount = `sum without (tx_type, tx_status) (${recorded(sentLately, { tx_status: "!success" })})`;
const failedShare = `${failedCount} / sum without (tx_type, tx_status) (${recorded(sentLately)})`;
const failing: Alert = {
  alert: "StacksAddressTransactionsFailing",
  severity: "warning",
  expr: `${failedShare} > ${fails.ratio}
and round(${failedCount}) >= ${fails.minFailed}`,
  summary: "Transactions of {{ $labels.name }} on {{ $labels.network }} fail",
  description: "{{ $value | humanizePercentage }} of the transactions it sent in the last hour failed on chain.",
  runbook: {
    meaning: `More than ${scaled(fails.ratio, 100)} % of the transactions that the address sent within ${WINDOWS.usual},
      and at least ${fails.minFailed}, were mined and failed. It pays fees without effect.`,
    check: [
      ["Transactions sent in the last hour, by type and status.", `${recorded(sentLately)} > 0`],
      ["Share of failed transactions.", failedShare],
    ],
    actions: [
      "`abort_by_response`: the contract returned an error; read it in an explorer.",
      "`abort_by_post_condition`: prices moved, or the conditions are too tight.",
      "Stop the sending program if it repeats the same transaction.",
    ],
  },
};

const stxShare = `${series("stacks_address_available_balance_microstx")} / ${series("stacks_address_min_balance_microstx")}`;
const balanceLow: Alert = {
  alert: "StacksAddressBalanceLow",
  severity: "critical",
  expr: beyond(
    "<",
    ["stacks_address_available_balance_microstx", "stacks_address_min_balance_microstx"],
    ["stacks_address_ft_balance_units", "stacks_address_ft_min_balance_units"],
  ),
  summary: "The balance of {{ $labels.name }} on {{ $labels.network }} is below its minimum",
  description: `It has ${AMOUNT} ${OF_ASSET}, minimum {{ $labels.limit }}.`,
  runbook: {
    meaning: `The available balance is below \`min_balance\` of the watch list: STX that are not locked, or a
      token. Waiting transfers are not included. Payments will fail, and without STX for fees nothing can be sent.`,
    check: [
      ["Available STX.", `${series("stacks_address_available_balance_microstx")} / ${MICRO}`],
      ["Available STX, as a share of the minimum.", stxShare],
    ],
    actions: [
      `Top up the address. The alert resolves ${limitsOf("StacksAddressBalanceLow").keepFiringFor} after the next poll.`,
      "If the outflow was not expected, see StacksAddressOutflowHigh.",
    ],
  },
};

const unread = (setting: string, limit: string, value: string) =>
  `label_replace(${lately(series(limit))} unless ${lately(series(value))}, "setting", "${setting}", "", "")`;
const limitUnwatched: Alert = {
  alert: "StacksAddressLimitUnwatched",
  severity: "critical",
  expr: `max without (asset) (
${unread("min_balance", "stacks_address_min_balance_microstx", "stacks_address_available_balance_microstx")}
or ${unread("max_outflow", "stacks_address_max_outflow_microstx", "stacks_address_outflow_microstx")}
or ${unread("min_balance", "stacks_address_ft_min_balance_units", "stacks_address_ft_balance_units")}
or ${unread("max_outflow", "stacks_address_ft_max_outflow_units", "stacks_address_ft_outflow_units")}
)
and ${onNetwork} (time() > min_over_time(${FIRST_POLLS_END}[5m]))`,
  summary: "The {{ $labels.setting }} of {{ $labels.name }} on {{ $labels.network }} is not watched",
  description: "The value that it limits is not known: it was not read, or the last read is too old.",
  runbook: {
    meaning: `The address has a limit in the watch list (\`setting\`), and after the first polls the exporter has no
      current value to compare it with: its polls fail, or the collector is disabled. StacksAddressBalanceLow or
      StacksAddressOutflowHigh cannot fire for it.`,
    check: [
      ["Targets by state.", series("stacks_exporter_collector_targets", { collector: "~addresses|balances" })],
      [
        "Failed polls of the last hour, by reason.",
        `increase(${series("stacks_exporter_collector_failures_total", { collector: "~addresses|balances" })}[1h]) > 0`,
      ],
    ],
    actions: [
      "The status page shows the target and its last error. Correct the principal, or wait for the API. If the collector is disabled, enable it, or remove the limit.",
      "A token that the address does not hold among its first 1,000 has no balance; on a server without the operations for transfers, tokens have no outflow: remove that limit.",
      "With reason `state`, see StacksStateDamaged and StacksStateWriteFailing.",
    ],
  },
};

const { cycle, firstBurnBlock, prepare, burnBlocks } = limitsOf("StacksAddressUnlockSoon");
const unlock = series("stacks_address_unlock_burn_block_height");
const burnBlock = withChain(series("stacks_chain_burn_block_height"));
// A lock ends where a cycle begins. A new lock counts for this cycle if it is made before its prepare phase.
const untilPrepare = `${unlock} - (${unlock} - ${firstBurnBlock}) % ${cycle} - ${prepare} - ${burnBlock}`;
const unlockSoon: Alert = {
  alert: "StacksAddressUnlockSoon",
  severity: "warning",
  expr: `(${untilPrepare}) <= ${burnBlocks} >= 0`,
  summary: "The lock of {{ $labels.name }} on {{ $labels.network }} ends: extend it before the prepare phase",
  description: `The prepare phase of the next cycle begins in {{ printf "%.0f" $value }} burn blocks, of about ten
    minutes each. A lock that is extended later misses the cycle.`,
  runbook: {
    meaning: `The lock (stacking) of the address ends with this reward cycle. The prepare phase, the last ${prepare}
      of its ${cycle} burn blocks, begins within ${burnBlocks} of them. STX that are not locked again until then earn
      nothing in the next cycle. The cycles are those of mainnet, unless they are
      values of the rules. The lock is that of the polled balance.`,
    check: [
      ["Burn blocks until the prepare phase.", untilPrepare],
      ["Burn blocks until the lock ends.", `${unlock} - ${burnBlock}`],
      [
        "Burn blocks until the prepare phase, as the node says (collector `pox`).",
        `${series("stacks_chain_pox_phase_start_burn_block_height", { phase: "prepare" })} - ${burnBlock}`,
      ],
      [
        "Locked STX.",
        `(${series("stacks_address_balance_microstx")} - ${series("stacks_address_available_balance_microstx")}) / ${MICRO}`,
      ],
    ],
    actions: [
      "Extend the lock before the prepare phase if it is to continue.",
      "Otherwise do nothing: the alert ends soon after the prepare phase has begun.",
    ],
  },
};

const reading = limitsOf("StacksAddressBehind");
const behind: Alert = {
  alert: "StacksAddressBehind",
  severity: "info",
  expr: `${series("stacks_address_backlog_transactions")} > ${reading.transactions}`,
  summary: "Reading {{ $labels.name }} on {{ $labels.network }} falls behind",
  description: '{{ printf "%.0f" $value }} transactions are not counted yet.',
  runbook: {
    meaning: `For ${reading.for} more than ${reading.transactions} transactions had enough
      confirmations and were not counted. The counters of the address lag behind the chain. This is expected during a
      backfill.`,
    check: [
      ["Transactions not counted yet.", series("stacks_address_backlog_transactions")],
      ["Slowdown, 1 is none.", series("stacks_exporter_collector_stretch_ratio", { collector: "addresses" })],
    ],
    actions: ["Raise the request budget, or watch fewer addresses.", "During a backfill, wait."],
  },
};

const undone = rise("stacks_address_reverted_transactions_total", WINDOWS.usual);
const reverted: Alert = {
  alert: "StacksAddressReverted",
  severity: "critical",
  expr: `${undone} > 0`,
  summary: "Counted transactions of {{ $labels.name }} on {{ $labels.network }} are reverted",
  description: 'Counted transactions whose block was replaced: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `A reorganisation replaced the blocks of transactions that already had the configured confirmations, and
      the new blocks have the confirmations too. Payments that were treated as final are not final. Counters are not
      lowered; subtract the reverted transactions.`,
    check: [
      ["Transactions reverted in the last hour.", `${undone} > 0`],
      ["Those that were mined again.", `${rise("stacks_address_restored_transactions_total", WINDOWS.usual)} > 0`],
      ["Depth of the last reorganisation, in blocks.", series("stacks_chain_last_reorg_depth_blocks")],
    ],
    actions: [
      "Look up each payment: most are mined again.",
      "Raise `confirmations` in the configuration above the depth of the reorganisation.",
    ],
  },
};

/** Rules for watched addresses. */
export const addresses: Subject = {
  name: "addresses",
  board: "stacks-addresses",
  title: "Watched addresses",
  baselines: [hourly, hourlyBaseline],
  recordings: [sentLately],
  alerts: [
    outflowUnusual,
    outflowHigh,
    silent,
    failing,
    balanceLow,
    limitUnwatched,
    unlockSoon,
    ...waitingAlerts,
    behind,
    reverted,
  ],
};
