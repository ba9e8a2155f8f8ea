// Alerts on the exporter and the API behind it: one alert per problem.
import { CALLS_READ, EVENTS_READ, onContract } from "./contracts.ts";
import { FIRST_POLLS_END, onCollector, successAge, whileFresh, whilePolledWithin, whileUp } from "./freshness.ts";
import { grown } from "./grown.ts";
import type { Alert, Check, Subject } from "./model.ts";
import { on, onNetwork, series, withReason } from "./series.ts";
import { shardAlerts } from "./shards.ts";
import { seconds, WINDOWS } from "./thresholds.ts";
import { FAILED_POLLS, upstreamAlerts } from "./upstreams.ts";
import { limitsOf, scaled } from "./values.ts";

// Prometheus creates this series for every target that it scrapes; the exporter has no such family.
const scraped = "up";
const build = series("stacks_exporter_build_info");
const notScraped = `${scraped} == 0 and ${on()} present_over_time(${build}[${WINDOWS.exporter}])`;

const CODES: Check = [
  "Responses of the API per hour, by operation and status code.",
  `3600 * rate(${series("stacks_exporter_upstream_requests_total")}[1h]) > 0`,
];

const down: Alert = {
  alert: "StacksExporterDown",
  severity: "critical",
  expr: notScraped,
  summary: "The exporter {{ $labels.instance }} cannot be scraped",
  description: `Prometheus has scraped this target before, and has failed to scrape it for
    ${limitsOf("StacksExporterDown").for}. Check whether the process runs, and read its last log lines.`,
  runbook: {
    meaning: `The target was scraped successfully within ${WINDOWS.exporter} and cannot be scraped now. No data of
      its networks is available, and no other alert can fire for them.`,
    check: [
      ["Targets that cannot be scraped.", notScraped],
      ["Peak memory of the last six hours, in bytes.", `max_over_time(process_resident_memory_bytes[6h])`],
    ],
    actions: [
      "Check whether the process runs, and read its last log lines. They show errors in the configuration.",
      "If it was killed for its memory use, compare with docs/benchmarks.md and raise the limit.",
      "If it runs, check the connection from Prometheus to it: port, host, TLS.",
    ],
  },
};

const absent: Alert = {
  alert: "StacksExporterAbsent",
  severity: "critical",
  expr: `absent(${build})
unless on () (${notScraped})`,
  summary: "No exporter is scraped",
  description: "Prometheus has no target that is a stacks-exporter.",
  runbook: {
    meaning: `No target exposes \`stacks_exporter_build_info\`, and none is known to be down: the exporter was never
      scraped, or it was removed from the scrape configuration. No other alert can fire.`,
    check: [["Exporters that are scraped.", build]],
    actions: [
      "Check the scrape configuration and the service discovery.",
      "If no exporter is intended, do not load these rules.",
    ],
  },
};

const upstreamDown: Alert = {
  alert: "StacksUpstreamDown",
  severity: "critical",
  expr: `${series("stacks_up")} == 0`,
  summary: "The API of {{ $labels.network }} does not respond",
  description: "The last poll of every target failed, or no request gets a response.",
  queried: withReason(" The most frequent reason: {{ . }}."),
  runbook: {
    meaning: `No collector of the network gets a valid response. Gauges disappear, so alerts on the network's data
      do not fire. Counters continue when the API recovers.`,
    check: [FAILED_POLLS, CODES],
    actions: [
      "`http_server`, `timeout`, `network`: send a request to `/extended` by hand, and follow the status page of the API.",
      "`rate_limited`: see StacksUpstreamRateLimited. `budget`: see StacksBudgetStretched and StacksBudgetMonthLow.",
      "`unauthorized`, `http_client`: the key or the URL is wrong.",
      "`wrong_chain`: check the URL, or continue as docs/state.md describes. `empty`: wait until the API has blocks.",
    ],
  },
};

const unauthorizedPolls = `sum without (collector, reason) (increase(${series("stacks_exporter_collector_failures_total", { reason: "unauthorized" })}[${WINDOWS.unauthorized}]))`;
const unauthorized: Alert = {
  alert: "StacksApiUnauthorized",
  severity: "critical",
  expr: `round(${unauthorizedPolls}) >= ${limitsOf("StacksApiUnauthorized").failures}`,
  summary: "The API of {{ $labels.network }} refuses the key",
  description: `It responded with 401 or 403 to {{ $value }} polls in ${WINDOWS.unauthorized}.`,
  runbook: {
    meaning: `The API does not accept the key, or requires one. The exporter does not retry such a request, and
      never sends it without the key. The failing collectors get no new values.`,
    check: [["Polls that the API refused.", unauthorizedPolls], CODES],
    actions: [
      "Read the message of the server on the status page.",
      "Check `api_key` and `api_key_file`. The key may have expired, or belong to another API.",
      "If the same request works by hand, look for a proxy that drops the header.",
    ],
  },
};

const collectorFailing: Alert = {
  alert: "StacksCollectorFailing",
  severity: "warning",
  expr: `${series("stacks_exporter_collector_success")} == 0
unless ${onCollector} ${series("stacks_exporter_collector_state", { state: "retired" })} == 1
unless ${onCollector} (${series("stacks_exporter_collector_targets", { state: "degraded" })} == 0 and ${onNetwork} ${FIRST_POLLS_END} > time())
${whileUp}`,
  summary: "The collector {{ $labels.collector }} of {{ $labels.network }} fails",
  description: "The last poll of at least one target failed, while other collectors succeed.",
  runbook: {
    meaning: `At least one target of the collector could not be polled for ${limitsOf("StacksCollectorFailing").for}, while
      other collectors succeed. Its gauges disappear at their maximum age. During the first polls, targets that only
      wait for the budget do not count.`,
    check: [FAILED_POLLS, ["Targets by state.", `${series("stacks_exporter_collector_targets")} > 0`]],
    actions: [
      "`not_found`: a watched principal is misspelt, or belongs to another network.",
      "`bad_body`: the API has changed; see StacksSchemaDrift.",
      "`timeout`: raise `timeout` of the collector, at most to `5m`, or watch fewer targets.",
    ],
  },
};

const { intervals } = limitsOf("StacksCollectorStale");
const collectorStale: Alert = {
  alert: "StacksCollectorStale",
  severity: "warning",
  expr: `${successAge.record} > ${intervals}
and ${onCollector} ${series("stacks_exporter_collector_success")} == 1 unless ${onNetwork} ${FIRST_POLLS_END} > time()
${whileUp}`,
  summary: "The collector {{ $labels.collector }} of {{ $labels.network }} is not polled",
  description: "Its last success was {{ $value | humanize }} intervals ago, and no poll has failed since.",
  runbook: {
    meaning: `The last poll succeeded more than ${intervals} intervals ago, and the first polls have ended. Polls do not
      start, or do not end. Values are old; gauges disappear when they reach their maximum age.`,
    check: [
      ["Time since the last success of each collector, in intervals.", successAge.record],
      ["Polls per hour that have ended.", `3600 * rate(${series("stacks_exporter_collector_runs_total")}[1h])`],
    ],
    actions: [
      "If the budget is too small, see StacksBudgetStretched.",
      "If no poll ends, restart the exporter and report the problem with its log.",
    ],
  },
};

const collectorRetired: Alert = {
  alert: "StacksCollectorRetired",
  severity: "warning",
  expr: `${series("stacks_exporter_collector_state", { state: "retired" })} == 1`,
  summary: "An operation of the collector {{ $labels.collector }} of {{ $labels.network }} was removed",
  description: "The API responded with 410 Gone, and the collector knows no replacement.",
  runbook: {
    meaning: `The API has removed an operation: it responded with 410 twice, a minute apart. The exporter requests it
      again every hour. The gauges of this collector have disappeared.`,
    check: [["State of each collector.", `${series("stacks_exporter_collector_state")} == 1`]],
    actions: [
      "Find the operation in the log or on the status page. Update the exporter: a later version may know a replacement.",
      "If there is none, disable the collector.",
    ],
  },
};

const window = WINDOWS.mempoolFrozen;
const snapshots = series("stacks_mempool_snapshots_changed_total", { operation: "mempool_stats" });
const changes = `increase(${snapshots}[${window}])`;
const waiting = `sum without (tx_type) (${series("stacks_mempool_transactions")})`;
const mempoolFrozen: Alert = {
  alert: "StacksMempoolFrozen",
  severity: "warning",
  // Its window is full: before the second poll nothing can have changed.
  expr: `${changes} == 0
and present_over_time(${snapshots}[5m] offset ${window})
and ${onNetwork} increase(${series("stacks_chain_blocks_total")}[${window}]) > 0
and ${onNetwork} ${waiting} > 0
${whilePolledWithin("mempool", seconds(WINDOWS.mempoolPolls))}
${whileFresh("mempool")}`,
  summary: "The API of {{ $labels.network }} returns an unchanged mempool",
  description: "New blocks arrive and transactions wait, but the mempool statistics have not changed for 15 minutes.",
  runbook: {
    meaning: `Polls succeed, but no response within ${window} differed from the previous one. The ages of waiting
      transactions grow with every block, so the server repeats an old response. Numbers and fees of waiting transactions
      are outdated. The fee alerts read mined transactions.`,
    check: [
      ["Changed responses in the last 15 minutes.", changes],
      [
        "Age of the mempool values, in seconds.",
        `time() - ${series("stacks_exporter_collector_last_success_timestamp_seconds", { collector: "mempool" })}`,
      ],
      ["Waiting transactions.", series("stacks_mempool_transactions")],
    ],
    actions: [
      "Send the request by hand, bypassing any cache, and compare with another API.",
      "Inform the operator; use another API until then.",
    ],
  },
};

const budgetStretched: Alert = {
  alert: "StacksBudgetStretched",
  severity: "info",
  expr: `${series("stacks_exporter_collector_stretch_ratio")} > ${limitsOf("StacksBudgetStretched").ratio}`,
  summary: "The collector {{ $labels.collector }} of {{ $labels.network }} is polled less often than its schedule",
  description: "Its interval is {{ $value | humanize }} times that of its schedule, because of the request budget.",
  runbook: {
    meaning: `The watch list needs more requests than the budget leaves, so targets are polled at longer
      intervals. Values are older, and alerts fire later.`,
    check: [
      ["Slowdown of each collector.", series("stacks_exporter_collector_stretch_ratio")],
      ["Requests that the schedules need.", series("stacks_exporter_budget_planned_requests")],
    ],
    actions: [
      "Run the command `check`: it shows which collectors need most requests, and what would fit.",
      "Watch fewer targets, poll less often, or raise the budget.",
    ],
  },
};

const { minutes } = limitsOf("StacksBudgetMonthLow");
// The exporter counts a month as 31 days.
const monthLeft = `${series("stacks_exporter_budget_remaining_requests", { window: "month" })} / ${series("stacks_exporter_budget_limit_requests", { window: "month" })} * ${31 * 24 * 60}`;
const budgetMonthLow: Alert = {
  alert: "StacksBudgetMonthLow",
  severity: "warning",
  expr: `${monthLeft} < ${minutes}`,
  summary: "Requests for {{ $labels.network }} use up the monthly budget too fast",
  description: 'Requests for {{ printf "%.1f" $value }} minutes are left in reserve. Without them, polls wait.',
  runbook: {
    meaning: `The monthly budget is released evenly, and unused requests of up to six hours are kept in reserve. Less
      than ${minutes} minutes of it remain. When the reserve is empty, polls wait, those of
      the lowest priority first. Some polls are skipped, and their values disappear.`,
    check: [["Remaining reserve, in minutes of an even rate.", monthLeft], CODES],
    actions: [
      "Check for failed requests: they are retried, which uses up more.",
      "Raise the budget, or poll less often.",
    ],
  },
};

const pauses = `increase(${series("stacks_exporter_upstream_pauses_total")}[${WINDOWS.usual}])`;
const { pauses: many } = limitsOf("StacksUpstreamRateLimited");
const rateLimited: Alert = {
  alert: "StacksUpstreamRateLimited",
  severity: "warning",
  expr: `round(${pauses}) >= ${many}`,
  summary: "The API of {{ $labels.network }} limits the rate of requests",
  description: "It requested a pause (429) {{ $value }} times in an hour.",
  runbook: {
    meaning: `The server responded with 429 at least ${many} times within
      ${WINDOWS.usual}, although the exporter stays within its own budget. The budget exceeds what the
      server allows, or other clients share the IP address. No request is sent during a pause, so values become older.`,
    check: [["Pauses in the last hour.", pauses]],
    actions: [
      "Lower `budget.per_minute` below the limit of the server.",
      "Use your own API key if the IP address is shared.",
    ],
  },
};

const drift = grown(series("stacks_exporter_unexpected_payload_total"), WINDOWS.usual, onNetwork, series("stacks_up"));
const schemaDrift: Alert = {
  alert: "StacksSchemaDrift",
  severity: "warning",
  expr: `sum without (field, kind) ${drift} > 0`,
  summary: "Responses of {{ $labels.operation }} on {{ $labels.network }} are not as declared",
  description: 'Unexpected values in an hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `A field is missing, null, of another type, or has an unknown value. The API has changed, or is broken.
      Values that cannot be read are absent. A new value of an enum is exposed as it is, within limits.`,
    check: [["Affected fields, and what is unexpected.", `${drift} > 0`], FAILED_POLLS],
    actions: [
      "Read the release notes of the API, and update the exporter.",
      "If no version supports the new value, report the field and its value.",
    ],
  },
};

const otherAssets = (name: string) => grown(series(name, { asset: "other" }), WINDOWS.usual);
// Series of both kinds have the same labels.
const ofKind = (kind: "ft" | "nft") =>
  `label_replace(${otherAssets(`stacks_address_${kind}_transfers_total`)}, "unit", "${kind}", "", "")`;
const otherTransfers = `sum without (asset, direction, unit) (${ofKind("ft")} or ${ofKind("nft")}) > 0`;
const ofContract = (name: string, label: string, known: string) =>
  grown(series(name, { [label]: "other" }), WINDOWS.usual, onContract, known);
const otherEvents = ofContract("stacks_contract_events_total", "topic", EVENTS_READ);
const otherCalls = ofContract("stacks_contract_calls_total", "function", CALLS_READ);
const othersOfContract = `sum without (topic, event_type, function, tx_status) (${otherEvents} or ${otherCalls}) > 0`;
const labelOverflow: Alert = {
  alert: "StacksLabelOverflow",
  severity: "info",
  expr: `${otherTransfers}
or ${othersOfContract}`,
  summary: "{{ $labels.name }} on {{ $labels.network }} exceeds its limit of label values",
  description: 'Counted as other in the last hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `Transfers, events or calls count as \`other\`: there are more assets, topics or functions
      than the limits (\`max_assets\`, and 50 of a contract) or \`max_series\` allow, or names are not valid. Totals
      stay correct.`,
    check: [
      ["Addresses.", otherTransfers],
      ["Contracts.", othersOfContract],
    ],
    actions: [
      "List the important tokens under `assets` of the network: they always keep their series.",
      "If the others are spam, do nothing. Otherwise raise `max_assets` or `max_series`; the limits of 50 are fixed.",
    ],
  },
};

const filled = `${series("stacks_exporter_series")} / ${series("stacks_exporter_series_limit")}`;
const { ratio: full } = limitsOf("StacksSeriesHigh");
const seriesHigh: Alert = {
  alert: "StacksSeriesHigh",
  severity: "warning",
  expr: `${filled} > ${full}`,
  summary: "{{ $labels.instance }} has nearly reached its limit of series",
  description: "It exposes {{ $value | humanizePercentage }} of the series that the configuration allows.",
  runbook: {
    meaning: `The exporter exposes more than ${scaled(full, 100)} % of the configured \`max_series\`.
      New assets, topics and labels of event rules count as \`other\`, so that the number of series stays within the
      limit.`,
    check: [["Used share of the limit.", filled]],
    actions: [
      "Lower `max_assets`.",
      `Raise the limit if the scrape and Prometheus can handle it, or split the watch list between two exporters.`,
    ],
  },
};

/** What the exporter reloads, and the family that shows whether the last reload succeeded. */
const refused = Object.entries({
  configuration: "stacks_exporter_config_last_reload_successful",
  "watch list": "stacks_exporter_watch_list_last_reload_successful",
  "web configuration": "stacks_exporter_web_config_last_reload_successful",
})
  .map(([part, family]) => `label_replace(${series(family)} == 0, "part", "${part}", "", "")`)
  .join("\nor ");
const reloadRefused: Alert = {
  alert: "StacksReloadRefused",
  severity: "warning",
  expr: refused,
  summary: "The changed {{ $labels.part }} of {{ $labels.instance }} was refused",
  description:
    "It has an error, or a change that needs a restart; the previous content stays in use. Part: {{ $labels.part }}.",
  runbook: {
    meaning: `The exporter has reloaded a changed file, and found an error, or a change that needs a restart. The
      previous content stays in use, a certificate until it expires. With an error, the exporter does not start
      again.`,
    check: [["Refused parts.", refused]],
    actions: [
      "Read the log or the status page: they show the file, the line and the error.",
      "Validate with the command `check` (`--web.config.file FILE`), and correct the file.",
    ],
  },
};

const stateFailures = (window: string) =>
  `increase(${series("stacks_exporter_collector_failures_total", { reason: "state" })}[${window}])`;
const damaged = series("stacks_exporter_state_damaged");
const unwritten = `sum without (network, collector, reason) (${stateFailures(WINDOWS.stateWrite)})`;
const stateWriteFailing: Alert = {
  alert: "StacksStateWriteFailing",
  severity: "critical",
  expr: `${unwritten} > 0
unless ${on()} max_over_time(${damaged}[${WINDOWS.stateWrite}]) == 1`,
  summary: "The state file of {{ $labels.instance }} cannot be written",
  description: 'Polls that could not be saved in the last 15 minutes: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `The exporter cannot save its counters: the disk is full, the file or its folder is not writable, or the
      disk is broken. A poll that cannot be saved fails and changes no value, so that nothing is counted twice after a
      restart. Gauges disappear at their maximum age.`,
    check: [["Polls that could not be saved.", unwritten]],
    actions: [
      "Free space on the disk, or correct the permissions: the exporter continues automatically.",
      "See docs/state.md for the meaning of its messages.",
    ],
  },
};

const lost = `increase(${series("stacks_exporter_state_gaps_total")}[1h]) > 0`;
const stateDamaged: Alert = {
  alert: "StacksStateDamaged",
  severity: "critical",
  expr: `${damaged} == 1`,
  summary: "The exporter {{ $labels.instance }} counts nothing: its state file is damaged",
  description: "Its counters stand still or are absent. Gauges that need no state are exposed as before.",
  runbook: {
    meaning: `SQLite's integrity check failed, or a counter in the state file cannot be parsed. The exporter leaves the file
      as it is, and fails the polls of collectors that count with the reason \`state\`. Counters do not increase, and
      alerts on them cannot fire. Fees, the mempool and balances are exposed.`,
    check: [
      ["1 while the state file is damaged.", damaged],
      ["Polls that failed for the state file, by collector.", stateFailures("1h")],
      ["Targets whose position in their list was lost: they count again, with a gap.", lost],
    ],
    actions: [
      "Read the log of the last start, or the status page: it names the damage.",
      "Check the disk and the file system.",
      "Stop the exporter, delete the files with `-wal` and `-shm` at the end, and restore a copy of the file. Counting continues from the copy.",
      "Without a copy, start once with `--reset-state`: it keeps the damaged file, and counters start from zero.",
    ],
  },
};

/** Rules for the exporter and its API. */
export const exporter: Subject = {
  name: "exporter",
  board: "stacks-exporter",
  title: "The exporter and its API",
  baselines: [],
  recordings: [successAge],
  alerts: [
    down,
    absent,
    upstreamDown,
    unauthorized,
    collectorFailing,
    collectorStale,
    collectorRetired,
    mempoolFrozen,
    budgetStretched,
    budgetMonthLow,
    rateLimited,
    schemaDrift,
    labelOverflow,
    seriesHigh,
    reloadRefused,
    stateWriteFailing,
    stateDamaged,
    ...shardAlerts,
    ...upstreamAlerts,
  ],
};
