// The exporter itself, and the API behind it: one alert for one trouble.
import { successAge, whileFresh, whileUp } from "./guards.ts";
import type { Alert, Subject } from "./model.ts";
import { onNetwork, series } from "./series.ts";
import { EXPORTER, seconds } from "./thresholds.ts";
import { upstreamAlerts } from "./upstreams.ts";

const onCollector = "on (network, collector, job, instance)";

// Prometheus makes this series itself for whatever it scrapes; no family of ours has it.
const scraped = "up";
const build = series("stacks_exporter_build_info");
const notScraped = `${scraped} == 0 and on (job, instance) present_over_time(${build}[${EXPORTER.down.memory}])`;

const SEE = {
  failures: {
    shows: "Failed polls an hour, by collector and reason.",
    query: `3600 * rate(${series("stacks_exporter_collector_failures_total")}[1h]) > 0`,
  },
  codes: {
    shows: "Answers of the API an hour, by operation and code.",
    query: `3600 * rate(${series("stacks_exporter_upstream_requests_total")}[1h]) > 0`,
  },
  state: { shows: "The state of each collector.", query: `${series("stacks_exporter_collector_state")} == 1` },
  pause: {
    shows: "How long the server still wants to be left alone. Seconds.",
    query: `${series("stacks_exporter_upstream_pause_end_timestamp_seconds")} - time()`,
  },
  budget: { shows: "Requests that are left.", query: series("stacks_exporter_budget_remaining_requests") },
  age: { shows: "Intervals since the last success of each collector.", query: successAge.record },
} as const;

const down: Alert = {
  alert: "StacksExporterDown",
  severity: "critical",
  expr: notScraped,
  for: EXPORTER.down.for,
  summary: "The exporter {{ $labels.instance }} cannot be scraped",
  description: "Prometheus knows the target and got no page from it for five minutes.",
  runbook: {
    meaning: `The target answered within ${EXPORTER.down.memory} and does not now.`,
    impact: "Nothing is known of its networks; none of the other alerts can fire for them.",
    diagnosis: [
      { shows: "Which targets are not scraped.", query: notScraped },
      { shows: "Its memory before it went. Bytes.", query: `max_over_time(process_resident_memory_bytes[6h])` },
    ],
    actions: [
      "Look whether the process runs, and read its last log lines: a bad configuration is told there, with the key.",
      "If it was killed for memory, compare with docs/benchmarks.md and raise the limit.",
      "If it runs, look at the way from Prometheus to it: port, host, TLS.",
    ],
  },
};

const absent: Alert = {
  alert: "StacksExporterAbsent",
  severity: "critical",
  expr: `absent(${build})
unless on () (${notScraped})`,
  for: EXPORTER.absent.for,
  summary: "No exporter is scraped at all",
  description: "Prometheus has no target that is a stacks-exporter.",
  runbook: {
    meaning:
      "No target gives `stacks_exporter_build_info`, and none is known to be down: it was never there, or it left the scrape configuration.",
    impact: "None of the other alerts can fire.",
    diagnosis: [{ shows: "Which exporters there are.", query: build }],
    actions: [
      "Look at the scrape configuration and at the service discovery.",
      "If there is none on purpose, do not load these rules.",
    ],
  },
};

const upstreamDown: Alert = {
  alert: "StacksUpstreamDown",
  severity: "critical",
  expr: `${series("stacks_up")} == 0`,
  for: EXPORTER.upstreamDown.for,
  keepFiringFor: EXPORTER.upstreamDown.keepFiringFor,
  summary: "The API of {{ $labels.network }} does not answer",
  description: "The last poll of every collector failed.",
  runbook: {
    meaning:
      "No collector of the network gets a valid answer. Alerts about the network's data are silent meanwhile, because the data disappears.",
    impact: "Nothing is known of the network. Counters go on where they were when it comes back.",
    diagnosis: [SEE.failures, SEE.codes, SEE.pause, SEE.budget],
    actions: [
      "`http_server`, `timeout`, `network`: ask the API by hand (`/extended`); if it is down for others too, follow its status page.",
      "`rate_limited`: the server asked to wait; set a key, or lower the budget.",
      "`budget`: the month's requests are used up; see StacksBudgetMonthLow.",
      "`unauthorized`: the key is wrong; see StacksApiUnauthorized.",
      "`http_client`: the URL is wrong.",
      "`wrong_chain`: check the URL. If the chain is a new one on purpose, use another `name` for the network, start once with `--reset-state`, or set `on_new_chain: reset`.",
      "`empty`: the API has no block yet; wait for its database to be filled, or restore it.",
    ],
  },
};

const unauthorizedPolls = `sum without (collector, reason) (increase(${series("stacks_exporter_collector_failures_total", { reason: "unauthorized" })}[${EXPORTER.unauthorized.window}]))`;
const unauthorized: Alert = {
  alert: "StacksApiUnauthorized",
  severity: "critical",
  expr: `round(${unauthorizedPolls}) >= ${EXPORTER.unauthorized.failures}`,
  for: EXPORTER.unauthorized.for,
  summary: "The API of {{ $labels.network }} refuses the key",
  description: `It answered 401 or 403 to {{ $value }} polls in ${EXPORTER.unauthorized.window}.`,
  runbook: {
    meaning:
      "The API does not accept the key, or wants one and there is none. The exporter does not repeat such a request, and sends none without the key instead.",
    impact: "The collectors that fail have no new values; those they have disappear at their maximum age.",
    diagnosis: [
      { shows: "Polls that were refused.", query: unauthorizedPolls },
      SEE.codes,
      { shows: "Which collectors fail.", query: `${series("stacks_exporter_collector_success")} == 0` },
    ],
    actions: [
      "Look at the last error on the status page: it has the words of the server.",
      "Check `api_key`, `api_key_file` and `api_key_header`; the key may have expired, or belong to another API.",
      "Send the same request by hand with the key. If that works, look for a proxy that drops the header.",
      "Restart the exporter with the new key.",
    ],
  },
};

const collectorFailing: Alert = {
  alert: "StacksCollectorFailing",
  severity: "warning",
  expr: `${series("stacks_exporter_collector_success")} == 0
unless ${onCollector} ${series("stacks_exporter_collector_state", { state: "retired" })} == 1
${whileUp}`,
  for: EXPORTER.collectorFailing.for,
  keepFiringFor: EXPORTER.collectorFailing.keepFiringFor,
  summary: "The collector {{ $labels.collector }} of {{ $labels.network }} fails",
  description: "Its last poll of at least one target failed, while other collectors succeed.",
  runbook: {
    meaning: `For ${EXPORTER.collectorFailing.for} at least one target of the collector could not be polled, and the API answers others.`,
    impact: "Its values disappear when they reach their maximum age; alerts on them are silent.",
    diagnosis: [
      SEE.failures,
      { shows: "Targets by state.", query: `${series("stacks_exporter_collector_targets")} > 0` },
      SEE.codes,
    ],
    actions: [
      "`not_found`: a watched principal is misspelt, or belongs to another network.",
      "`bad_body`: the API has changed; see StacksSchemaDrift.",
      "`timeout`: raise `timeout` of the collector, or watch less at once.",
    ],
  },
};

const collectorStale: Alert = {
  alert: "StacksCollectorStale",
  severity: "warning",
  expr: `${successAge.record} > ${EXPORTER.collectorStale.intervals}
and ${onCollector} ${series("stacks_exporter_collector_success")} == 1
${whileUp}`,
  for: EXPORTER.collectorStale.for,
  summary: "The collector {{ $labels.collector }} of {{ $labels.network }} is not polled",
  description: "Its last success is {{ $value | humanize }} intervals ago, and no poll has failed since.",
  runbook: {
    meaning: `The last poll succeeded, and was more than ${EXPORTER.collectorStale.intervals} intervals ago: polls do not start, or do not end.`,
    impact: "Its values are old, and disappear when they reach their maximum age.",
    diagnosis: [
      SEE.age,
      {
        shows: "Polls an hour, by outcome.",
        query: `3600 * rate(${series("stacks_exporter_collector_runs_total")}[1h])`,
      },
      {
        shows: "How long a poll takes. Seconds.",
        query: `histogram_quantile(0.9, rate(${series("stacks_exporter_collector_duration_seconds_bucket")}[1h]))`,
      },
    ],
    actions: [
      "`skipped_overlap`: a poll takes longer than its interval; poll less often.",
      "`skipped_budget`: the budget is too small; see StacksBudgetStretched.",
      "If no poll ends at all, restart the exporter and report it with its log.",
    ],
  },
};

const collectorRetired: Alert = {
  alert: "StacksCollectorRetired",
  severity: "warning",
  expr: `${series("stacks_exporter_collector_state", { state: "retired" })} == 1`,
  for: EXPORTER.collectorRetired.for,
  summary: "The collector {{ $labels.collector }} of {{ $labels.network }} has lost its operation",
  description: "The API answered 410 Gone, and there is no replacement that the collector knows.",
  runbook: {
    meaning:
      "The API has taken an operation away: it answered 410 twice, a minute apart. The exporter asks again after 10 minutes, then less often, up to once an hour.",
    impact: "The families of this collector are gone from the page.",
    diagnosis: [
      { shows: "Which operation.", query: `${series("stacks_exporter_upstream_operation_retired")} == 1` },
      SEE.state,
    ],
    actions: [
      "Update the exporter: a later version may know the replacement.",
      "If there is none, switch the collector off.",
    ],
  },
};

const operationRetired: Alert = {
  alert: "StacksOperationRetired",
  severity: "info",
  expr: `${series("stacks_exporter_upstream_operation_retired")} == 1`,
  for: EXPORTER.operationRetired.for,
  summary: "The API of {{ $labels.network }} no longer has {{ $labels.operation }}",
  description: "It answered 410 Gone. If the collector knows a replacement, it uses that by itself.",
  runbook: {
    meaning:
      "One operation was taken away. StacksCollectorRetired says so when a collector stands still because of it.",
    impact: "None, when there is a replacement; some families may be absent, because the replacement tells less.",
    diagnosis: [
      { shows: "Which operations.", query: `${series("stacks_exporter_upstream_operation_retired")} == 1` },
      SEE.state,
    ],
    actions: [
      "Read docs/metrics.md for what the replacement does not tell.",
      "Set the collector's `api` option to the replacement, to spare the hourly question.",
    ],
  },
};

const window = EXPORTER.mempoolFrozen.window;
const changes = `increase(${series("stacks_mempool_snapshots_changed_total", { operation: "mempool_stats" })}[${window}])`;
const waiting = `sum without (tx_type) (${series("stacks_mempool_transactions")})`;
const mempoolFrozen: Alert = {
  alert: "StacksMempoolFrozen",
  severity: "warning",
  expr: `${changes} == 0
and ${onNetwork} increase(${series("stacks_chain_blocks_total")}[${window}]) > 0
and ${onNetwork} ${waiting} > 0
and ${onNetwork} ${series("stacks_exporter_collector_interval_seconds", { collector: "mempool" })} <= ${seconds(EXPORTER.mempoolFrozen.slowest)}
${whileFresh("mempool")}`,
  for: EXPORTER.mempoolFrozen.for,
  keepFiringFor: EXPORTER.mempoolFrozen.keepFiringFor,
  summary: "The mempool that the API of {{ $labels.network }} shows does not change",
  description: "Blocks come, transactions wait, and their statistics have been the same for a quarter of an hour.",
  runbook: {
    meaning: `Polls succeed, and within ${window} no answer differed from the one before, although the ages of what waits grow with every block: the server repeats an old answer.`,
    impact: "Fees and backlog are not those of today; the fee alerts judge an old market.",
    diagnosis: [
      { shows: "Changes in a quarter of an hour.", query: changes },
      {
        shows: "When the answers were last confirmed. Seconds ago.",
        query: `time() - ${series("stacks_mempool_snapshot_timestamp_seconds")}`,
      },
      { shows: "What waits.", query: series("stacks_mempool_transactions") },
    ],
    actions: [
      "Ask the API by hand, past any cache between, and compare with another API.",
      "Tell its operator; use another API meanwhile.",
    ],
  },
};

const budgetStretched: Alert = {
  alert: "StacksBudgetStretched",
  severity: "info",
  expr: `${series("stacks_exporter_collector_stretch_ratio")} > ${EXPORTER.budgetStretched.ratio}`,
  for: EXPORTER.budgetStretched.for,
  summary: "The collector {{ $labels.collector }} of {{ $labels.network }} is polled less often than wished",
  description:
    "Its interval is {{ $value | humanize }} times the configured one, because the request budget allows no more.",
  runbook: {
    meaning:
      "The watch list needs more requests than the budget leaves it after the fees, the mempool and the blocks, so the time between two polls of a target was stretched, for all alike.",
    impact: "Values are older, and alerts come later.",
    diagnosis: [
      { shows: "How much each is stretched.", query: series("stacks_exporter_collector_stretch_ratio") },
      { shows: "Requests that are needed.", query: series("stacks_exporter_budget_planned_requests") },
      { shows: "Requests that are allowed.", query: series("stacks_exporter_budget_limit_requests") },
    ],
    actions: [
      "Run the exporter's `plan` command to see what costs most.",
      "Watch less, poll less often, or raise the budget (with a key of the API).",
    ],
  },
};

// A month is 31 days, as the exporter reckons.
const monthLeft = `${series("stacks_exporter_budget_remaining_requests", { window: "month" })} / ${series("stacks_exporter_budget_limit_requests", { window: "month" })} * ${31 * 24}`;
const budgetMonthLow: Alert = {
  alert: "StacksBudgetMonthLow",
  severity: "warning",
  expr: `${monthLeft} < ${EXPORTER.budgetMonthLow.hours}`,
  for: EXPORTER.budgetMonthLow.for,
  summary: "Requests for {{ $labels.network }} leave faster than the month allows",
  description: "What is kept for bursts is nearly used up: {{ $value | humanize }} hours of an even pace are left.",
  runbook: {
    meaning: `The month's budget is let out evenly, and what is not used is kept for about an hour. Less than ${EXPORTER.budgetMonthLow.hours * 60} minutes of it are left.`,
    impact:
      "When nothing is left, polls wait, the less important ones first; some are skipped and their values disappear.",
    diagnosis: [
      { shows: "Hours of an even pace that are left.", query: monthLeft },
      SEE.codes,
      {
        shows: "Requests that were sent again.",
        query: `increase(${series("stacks_exporter_upstream_retries_total")}[1d]) > 0`,
      },
    ],
    actions: ["Look for retries: a failing API costs requests.", "Raise the budget, or poll less often."],
  },
};

const pauses = `increase(${series("stacks_exporter_upstream_pauses_total")}[${EXPORTER.rateLimited.window}])`;
const rateLimited: Alert = {
  alert: "StacksUpstreamRateLimited",
  severity: "warning",
  expr: `round(${pauses}) >= ${EXPORTER.rateLimited.pauses}`,
  for: EXPORTER.rateLimited.for,
  summary: "The API of {{ $labels.network }} limits the exporter",
  description: "It asked {{ $value }} times in an hour to wait (429).",
  runbook: {
    meaning: `The server answered 429 at least ${EXPORTER.rateLimited.pauses} times within ${EXPORTER.rateLimited.window}, although the exporter keeps to its own budget: that is larger than what the server allows, or others share the address.`,
    impact: "No request leaves during a pause; values grow old.",
    diagnosis: [
      { shows: "Pauses in an hour.", query: pauses },
      { shows: "What the server says it allows.", query: series("stacks_exporter_upstream_ratelimit_limit") },
      { shows: "What it says is left.", query: series("stacks_exporter_upstream_ratelimit_remaining") },
      SEE.pause,
    ],
    actions: [
      "Lower `budget.per_minute` below the limit of the server.",
      "Use a key of your own, if the address is shared.",
    ],
  },
};

const drifted = `sum without (field, kind) (increase(${series("stacks_exporter_unexpected_payload_total")}[${EXPORTER.schemaDrift.window}]))`;
const schemaDrift: Alert = {
  alert: "StacksSchemaDrift",
  severity: "warning",
  expr: `${drifted} > 0`,
  for: EXPORTER.schemaDrift.for,
  summary: "Answers of {{ $labels.operation }} on {{ $labels.network }} are not as they should be",
  description: 'Unexpected values in an hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning:
      "A field is missing, null, of another type, or has a value that is new. The API has changed, or is broken.",
    impact: "What could not be read is absent. A new value of an enum is shown as it is, within bounds.",
    diagnosis: [
      {
        shows: "Which fields, and what is wrong.",
        query: `increase(${series("stacks_exporter_unexpected_payload_total")}[1h]) > 0`,
      },
      SEE.failures,
    ],
    actions: [
      "Read the release notes of the API, and update the exporter.",
      "Report the field and its value if no version knows it.",
    ],
  },
};

const overflowOf = (metric: string) => `increase(${series(metric)}[${EXPORTER.labelOverflow.window}]) > 0`;
const labelOverflow: Alert = {
  alert: "StacksLabelOverflow",
  severity: "info",
  expr: `${overflowOf("stacks_address_label_overflow_total")}
or ${overflowOf("stacks_contract_label_overflow_total")}`,
  for: EXPORTER.labelOverflow.for,
  summary: "{{ $labels.name }} on {{ $labels.network }} has more label values than series are allowed",
  description: 'Counted as other in the last hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning:
      "An address has more assets than `max_assets`, a contract has more topics than `max_topics`, `max_series` is reached, or names are not valid in Clarity. These transfers and events count as `other`.",
    impact: "Sums are right; the split by asset or topic is not complete.",
    diagnosis: [
      { shows: "Of addresses.", query: overflowOf("stacks_address_label_overflow_total") },
      { shows: "Of contracts.", query: overflowOf("stacks_contract_label_overflow_total") },
      { shows: "The largest families. Series.", query: `${series("stacks_exporter_series")} > 1000` },
    ],
    actions: [
      "Name the tokens that matter under `assets` of the network: they keep their series whatever strangers send.",
      "If the rest is spam, leave it: that is what the bound is for.",
      "Otherwise raise the bound, and see that Prometheus can carry the series.",
    ],
  },
};

const filled = `sum without (family) (${series("stacks_exporter_series")}) / ${series("stacks_exporter_series_limit")}`;
const seriesHigh: Alert = {
  alert: "StacksSeriesHigh",
  severity: "warning",
  expr: `${filled} > ${EXPORTER.seriesHigh.ratio}`,
  for: EXPORTER.seriesHigh.for,
  summary: "The page of {{ $labels.instance }} is nearly full",
  description: "It has {{ $value | humanizePercentage }} of the series that there may be.",
  runbook: {
    meaning: `More than ${EXPORTER.seriesHigh.ratio * 100} % of the series that the configuration allows are on the page.`,
    impact: "Assets and topics that are new are counted as other, so that the page does not grow beyond its bound.",
    diagnosis: [
      { shows: "The share that is used.", query: filled },
      { shows: "The largest families. Series.", query: `${series("stacks_exporter_series")} > 1000` },
    ],
    actions: [
      "Set `zeros: false` for addresses that have little to tell, or lower `max_assets` and `max_topics`.",
      "Raise the bound, if the scrape and Prometheus can carry it, or split the watch list over two exporters.",
    ],
  },
};

const refused = `${series("stacks_exporter_watch_list_last_reload_successful")} == 0`;
const watchListRefused: Alert = {
  alert: "StacksWatchListRefused",
  severity: "warning",
  expr: refused,
  for: EXPORTER.watchListReload.for,
  summary: "The changed watch list of {{ $labels.instance }} is not in force",
  description: "A file of the watch list has a mistake; the list before stays in force.",
  runbook: {
    meaning: "The files of the watch list were read again and found wrong.",
    impact:
      "What was added to them is not watched, and what was taken out still is. At the next start the exporter would refuse to run.",
    diagnosis: [
      { shows: "Whether the last reading was right: 0 is not.", query: refused },
      {
        shows: "Time since they were last right. Seconds.",
        query: `time() - ${series("stacks_exporter_watch_list_last_reload_success_timestamp_seconds")}`,
      },
    ],
    actions: [
      "Read the log: it names the file, the line and the mistake.",
      "Try the files with the `check` command before they are put in place.",
    ],
  },
};

const unwritten = `increase(${series("stacks_exporter_state_write_failures_total")}[${EXPORTER.stateWrite.window}])`;
const stateWriteFailing: Alert = {
  alert: "StacksStateWriteFailing",
  severity: "critical",
  expr: `${unwritten} > 0`,
  for: EXPORTER.stateWrite.for,
  summary: "The state file of {{ $labels.instance }} cannot be written",
  description: 'Writes that failed within a quarter of an hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning:
      "The exporter cannot keep its counters: the disk is full, the file or its folder may not be written, or the disk is broken.",
    impact:
      "A poll that cannot be kept fails and shows nothing, so that nothing is counted twice after a restart; values disappear.",
    diagnosis: [
      { shows: "Writes that failed.", query: unwritten },
      {
        shows: "Time since the last good write. Seconds.",
        query: `time() - ${series("stacks_exporter_state_write_timestamp_seconds")}`,
      },
    ],
    actions: [
      "Make room on the disk, or set the permissions right: the exporter goes on by itself.",
      "See docs/state.md for what its messages mean.",
    ],
  },
};

// By its time and not by an increase: rows are set aside at start, before the first scrape, often by a new instance.
const setAsideAge = `time() - ${series("stacks_exporter_state_set_aside_timestamp_seconds")}`;
const stateRowSetAside: Alert = {
  alert: "StacksStateRowSetAside",
  severity: "warning",
  expr: `${setAsideAge} < ${seconds(EXPORTER.stateRowSetAside.window)}`,
  for: EXPORTER.stateRowSetAside.for,
  summary: "The exporter {{ $labels.instance }} could not use a row of its state file",
  description:
    "Counting of its target starts again. The row is kept. The last one was set aside {{ $value | humanizeDuration }} ago.",
  runbook: {
    meaning: `Within ${EXPORTER.stateRowSetAside.window} a saved row had a wrong checksum, or this version cannot read it. The exporter moved it to the table \`set_aside\` of the state file and went on without it.`,
    impact:
      "The counters of that target start again; `rate()` and `increase()` take that for a reset. Other targets are not affected. With `backfill`, what the API still lists is counted again.",
    diagnosis: [
      { shows: "Seconds since the last one.", query: setAsideAge },
      { shows: "Rows that are set aside in the state file.", query: series("stacks_exporter_state_rows_set_aside") },
    ],
    actions: [
      "Read the log of the last start: each row is named with network, collector, target and reason.",
      "If checksums are wrong, check the disk and the file system.",
      "If the reason is another one after an update, report it: docs/state.md says how to put a row back.",
    ],
  },
};

const warnings = `increase(${series("stacks_exporter_deprecation_warnings_total")}[${EXPORTER.deprecated.window}])`;
const deprecated: Alert = {
  alert: "StacksOperationDeprecated",
  severity: "info",
  optional: "Servers call some operations deprecated with every answer, for years.",
  expr: `${warnings} > 0`,
  for: EXPORTER.deprecated.for,
  summary: "The API of {{ $labels.network }} calls {{ $labels.operation }} deprecated",
  description: 'It may be taken away. Warnings in an hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: "The server sends a Warning, Deprecation or Sunset header with its answers.",
    impact: "None yet. Later: StacksOperationRetired.",
    diagnosis: [{ shows: "Warnings in an hour, by operation.", query: warnings }],
    actions: [
      "Look whether the exporter already uses the replacement where there is one.",
      "Update the exporter before the operation goes.",
    ],
  },
};

/** The rules about the exporter and its API. */
export const exporter: Subject = {
  name: "exporter",
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
    operationRetired,
    mempoolFrozen,
    budgetStretched,
    budgetMonthLow,
    rateLimited,
    schemaDrift,
    labelOverflow,
    seriesHigh,
    watchListRefused,
    stateWriteFailing,
    stateRowSetAside,
    deprecated,
    ...upstreamAlerts,
  ],
};
