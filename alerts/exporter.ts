// Alerts on the exporter and the API behind it: one alert per problem.
import { successAge, whileFresh, whilePolledWithin, whileUp } from "./freshness.ts";
import { grown } from "./grown.ts";
import type { Alert, Subject } from "./model.ts";
import { onNetwork, series } from "./series.ts";
import { shardAlerts } from "./shards.ts";
import { EXPORTER, seconds } from "./thresholds.ts";
import { upstreamAlerts } from "./upstreams.ts";

const onCollector = "on (network, collector, job, instance)";

// Prometheus creates this series for every target that it scrapes; the exporter has no such family.
const scraped = "up";
const build = series("stacks_exporter_build_info");
const notScraped = `${scraped} == 0 and on (job, instance) present_over_time(${build}[${EXPORTER.down.memory}])`;

const SEE = {
  failures: {
    shows: "Failed polls per hour, by collector and reason.",
    query: `3600 * rate(${series("stacks_exporter_collector_failures_total")}[1h]) > 0`,
  },
  codes: {
    shows: "Responses of the API per hour, by operation and status code.",
    query: `3600 * rate(${series("stacks_exporter_upstream_requests_total")}[1h]) > 0`,
  },
  state: { shows: "State of each collector.", query: `${series("stacks_exporter_collector_state")} == 1` },
  pause: {
    shows: "Remaining pause requested by the server, in seconds.",
    query: `${series("stacks_exporter_upstream_pause_end_timestamp_seconds")} - time()`,
  },
  budget: { shows: "Remaining requests.", query: series("stacks_exporter_budget_remaining_requests") },
  age: { shows: "Time since the last success of each collector, in intervals.", query: successAge.record },
} as const;

const down: Alert = {
  alert: "StacksExporterDown",
  severity: "critical",
  expr: notScraped,
  for: EXPORTER.down.for,
  summary: "The exporter {{ $labels.instance }} cannot be scraped",
  description: "Prometheus has scraped this target before, and has failed to scrape it for five minutes.",
  runbook: {
    meaning: `The target was scraped successfully within ${EXPORTER.down.memory} and cannot be scraped now.`,
    impact: "No data of its networks is available, and no other alert can fire for them.",
    diagnosis: [
      { shows: "Targets that cannot be scraped.", query: notScraped },
      {
        shows: "Peak memory of the last six hours, in bytes.",
        query: `max_over_time(process_resident_memory_bytes[6h])`,
      },
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
  for: EXPORTER.absent.for,
  summary: "No exporter is scraped",
  description: "Prometheus has no target that is a stacks-exporter.",
  runbook: {
    meaning: `No target exposes \`stacks_exporter_build_info\`, and none is known to be down: the exporter was never
      scraped, or it was removed from the scrape configuration.`,
    impact: "No other alert can fire.",
    diagnosis: [{ shows: "Exporters that are scraped.", query: build }],
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
  for: EXPORTER.upstreamDown.for,
  keepFiringFor: EXPORTER.upstreamDown.keepFiringFor,
  summary: "The API of {{ $labels.network }} does not respond",
  description: "The last poll of every target failed, or no request gets a response.",
  runbook: {
    meaning: `No collector of the network gets a valid response. Alerts on the network's data do not fire,
      because the data disappears.`,
    impact: `No current data of the network is available. Counters continue from their last values when the API
      recovers.`,
    diagnosis: [SEE.failures, SEE.codes, SEE.pause, SEE.budget],
    actions: [
      `\`http_server\`, \`timeout\`, \`network\`: send a request by hand (\`/extended\`). If the API is down for others
        too, follow its status page.`,
      "`rate_limited`: the server requested a pause; set a key, or lower the budget.",
      "`budget`: the monthly requests are used up; see StacksBudgetMonthLow.",
      "`unauthorized`: the key is wrong; see StacksApiUnauthorized.",
      "`http_client`: the URL is wrong.",
      `\`wrong_chain\`: check the URL. If the chain was replaced on purpose, use another \`name\` for the network,
        start once with \`--reset-state\`, or set \`on_new_chain: reset\`.`,
      "`empty`: the API has no block; wait until its database is filled, or restore it.",
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
  description: `It responded with 401 or 403 to {{ $value }} polls in ${EXPORTER.unauthorized.window}.`,
  runbook: {
    meaning: `The API does not accept the key, or requires one and none is configured. The exporter does not retry such
      a request, and never sends it without the key.`,
    impact: "The failing collectors get no new values; their gauges disappear at their maximum age.",
    diagnosis: [
      { shows: "Polls that the API refused.", query: unauthorizedPolls },
      SEE.codes,
      { shows: "Failing collectors.", query: `${series("stacks_exporter_collector_success")} == 0` },
    ],
    actions: [
      "Read the last error on the status page: it contains the message of the server.",
      `Check \`api_key\`, \`api_key_file\` and \`api_key_header\`. The key may have expired, or belong to another API.`,
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
  description: "The last poll of at least one target failed, while other collectors succeed.",
  runbook: {
    meaning: `For ${EXPORTER.collectorFailing.for} at least one target of the collector could not be polled, and the
      API responds other collectors.`,
    impact: "Gauges disappear when they reach their maximum age, and alerts on them cannot fire.",
    diagnosis: [
      SEE.failures,
      { shows: "Targets by state.", query: `${series("stacks_exporter_collector_targets")} > 0` },
      SEE.codes,
    ],
    actions: [
      "`not_found`: a watched principal is misspelt, or belongs to another network.",
      "`bad_body`: the API has changed; see StacksSchemaDrift.",
      "`timeout`: raise `timeout` of the collector, or watch fewer targets.",
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
  description: "Its last success was {{ $value | humanize }} intervals ago, and no poll has failed since.",
  runbook: {
    meaning: `The last poll succeeded more than ${EXPORTER.collectorStale.intervals} intervals ago. Polls do not start,
      or do not end.`,
    impact: "Values are old; gauges disappear when they reach their maximum age.",
    diagnosis: [
      SEE.age,
      {
        shows: "Polls per hour, by outcome.",
        query: `3600 * rate(${series("stacks_exporter_collector_runs_total")}[1h])`,
      },
      {
        shows: "Duration of a poll (90th percentile), in seconds.",
        query: `histogram_quantile(0.9, rate(${series("stacks_exporter_collector_duration_seconds_bucket")}[1h]))`,
      },
    ],
    actions: [
      "`skipped_overlap`: a poll takes longer than its interval; poll less often.",
      "`skipped_budget`: the budget is too small; see StacksBudgetStretched.",
      "If no poll ends, restart the exporter and report the problem with its log.",
    ],
  },
};

const collectorRetired: Alert = {
  alert: "StacksCollectorRetired",
  severity: "warning",
  expr: `${series("stacks_exporter_collector_state", { state: "retired" })} == 1`,
  for: EXPORTER.collectorRetired.for,
  summary: "An operation of the collector {{ $labels.collector }} of {{ $labels.network }} was removed",
  description: "The API responded with 410 Gone, and the collector knows no replacement.",
  runbook: {
    meaning: `The API has removed an operation: it responded with 410 twice, a minute apart. The exporter requests it again
      after 10 minutes, then less often, up to once an hour.`,
    impact: "The gauges of this collector have disappeared.",
    diagnosis: [
      { shows: "Retired operations.", query: `${series("stacks_exporter_upstream_operation_retired")} == 1` },
      SEE.state,
    ],
    actions: [
      "Update the exporter: a later version may know a replacement.",
      "If there is none, disable the collector.",
    ],
  },
};

const operationRetired: Alert = {
  alert: "StacksOperationRetired",
  severity: "info",
  expr: `${series("stacks_exporter_upstream_operation_retired")} == 1`,
  for: EXPORTER.operationRetired.for,
  summary: "The API of {{ $labels.network }} no longer has {{ $labels.operation }}",
  description: "It responded with 410 Gone. If the collector knows a replacement, it uses it automatically.",
  runbook: {
    meaning: `The API has removed one operation. StacksCollectorRetired fires when a collector cannot continue without
      it.`,
    impact: "None when there is a replacement. Some families may be absent, because the replacement returns less.",
    diagnosis: [
      { shows: "Retired operations.", query: `${series("stacks_exporter_upstream_operation_retired")} == 1` },
      SEE.state,
    ],
    actions: [
      "Read in docs/metrics.md what the replacement does not return.",
      "Set the option `api` of the collector to the replacement, to save the hourly request.",
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
${whilePolledWithin("mempool", seconds(EXPORTER.mempoolFrozen.slowest))}
${whileFresh("mempool")}`,
  for: EXPORTER.mempoolFrozen.for,
  keepFiringFor: EXPORTER.mempoolFrozen.keepFiringFor,
  summary: "The API of {{ $labels.network }} returns an unchanged mempool",
  description: "New blocks arrive and transactions wait, but the mempool statistics have not changed for 15 minutes.",
  runbook: {
    meaning: `Polls succeed, but no response within ${window} differed from the previous one. The ages of waiting
      transactions grow with every block, so the server repeats an old response.`,
    impact: "Fees and backlog are outdated, and so are the fee alerts.",
    diagnosis: [
      { shows: "Changed responses in the last 15 minutes.", query: changes },
      {
        shows: "Age of the mempool values, in seconds.",
        query: `time() - ${series("stacks_exporter_collector_last_success_timestamp_seconds", { collector: "mempool" })}`,
      },
      { shows: "Waiting transactions.", query: series("stacks_mempool_transactions") },
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
  expr: `${series("stacks_exporter_collector_stretch_ratio")} > ${EXPORTER.budgetStretched.ratio}`,
  for: EXPORTER.budgetStretched.for,
  summary: "The collector {{ $labels.collector }} of {{ $labels.network }} is polled less often than its schedule",
  description: "Its interval is {{ $value | humanize }} times that of its schedule, because of the request budget.",
  runbook: {
    meaning: `The watch list needs more requests than the budget leaves after fees, mempool and blocks. The exporter
      polls all targets at longer intervals.`,
    impact: "Values are older, and alerts fire later.",
    diagnosis: [
      { shows: "Slowdown of each collector.", query: series("stacks_exporter_collector_stretch_ratio") },
      { shows: "Requests that the schedules need.", query: series("stacks_exporter_budget_planned_requests") },
      { shows: "Requests that the budget allows.", query: series("stacks_exporter_budget_limit_requests") },
    ],
    actions: [
      `Run the command \`check\` of the exporter: it shows which collectors need most requests and, if the interval was
        configured, which budget or interval would fit.`,
      `Watch fewer targets, poll less often, or raise the budget. A free API key does not raise it: it allows fewer
        requests in a month than no key.`,
    ],
  },
};

// The exporter counts a month as 31 days.
const monthLeft = `${series("stacks_exporter_budget_remaining_requests", { window: "month" })} / ${series("stacks_exporter_budget_limit_requests", { window: "month" })} * ${31 * 24}`;
const budgetMonthLow: Alert = {
  alert: "StacksBudgetMonthLow",
  severity: "warning",
  expr: `${monthLeft} < ${EXPORTER.budgetMonthLow.hours}`,
  for: EXPORTER.budgetMonthLow.for,
  summary: "Requests for {{ $labels.network }} use up the monthly budget too fast",
  description: "The reserve is nearly used up: {{ $value | humanize }} hours of an even rate remain.",
  runbook: {
    meaning: `The monthly budget is released evenly, and unused requests of up to six hours are kept in reserve.
      Less than ${EXPORTER.budgetMonthLow.hours * 60} minutes of it remain.`,
    impact: `When the reserve is empty, polls wait, those of the lowest priority first. Some polls are skipped, and
      their values disappear.`,
    diagnosis: [
      { shows: "Remaining reserve, in hours of an even rate.", query: monthLeft },
      SEE.codes,
      {
        shows: "Retries in the last day.",
        query: `increase(${series("stacks_exporter_upstream_retries_total")}[1d]) > 0`,
      },
    ],
    actions: ["Check for retries: a failing API uses up requests.", "Raise the budget, or poll less often."],
  },
};

const pauses = `increase(${series("stacks_exporter_upstream_pauses_total")}[${EXPORTER.rateLimited.window}])`;
const rateLimited: Alert = {
  alert: "StacksUpstreamRateLimited",
  severity: "warning",
  expr: `round(${pauses}) >= ${EXPORTER.rateLimited.pauses}`,
  for: EXPORTER.rateLimited.for,
  summary: "The API of {{ $labels.network }} limits the rate of requests",
  description: "It requested a pause (429) {{ $value }} times in an hour.",
  runbook: {
    meaning: `The server responded with 429 at least ${EXPORTER.rateLimited.pauses} times within
      ${EXPORTER.rateLimited.window}, although the exporter stays within its own budget. The budget exceeds what the
      server allows, or other clients share the IP address.`,
    impact: "No request is sent during a pause, so values become older.",
    diagnosis: [
      { shows: "Pauses in the last hour.", query: pauses },
      { shows: "Requests that the server allows.", query: series("stacks_exporter_upstream_ratelimit_limit") },
      {
        shows: "Requests that the server reports as remaining.",
        query: series("stacks_exporter_upstream_ratelimit_remaining"),
      },
      SEE.pause,
    ],
    actions: [
      "Lower `budget.per_minute` below the limit of the server.",
      "Use your own API key if the IP address is shared.",
    ],
  },
};

const drifted = `sum without (field, kind) (increase(${series("stacks_exporter_unexpected_payload_total")}[${EXPORTER.schemaDrift.window}]))`;
const schemaDrift: Alert = {
  alert: "StacksSchemaDrift",
  severity: "warning",
  expr: `${drifted} > 0`,
  for: EXPORTER.schemaDrift.for,
  summary: "Responses of {{ $labels.operation }} on {{ $labels.network }} are not as declared",
  description: 'Unexpected values in an hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: "A field is missing, null, of another type, or has an unknown value. The API has changed, or is broken.",
    impact: "Values that cannot be read are absent. A new value of an enum is exposed as it is, within limits.",
    diagnosis: [
      {
        shows: "Affected fields, and what is unexpected.",
        query: `increase(${series("stacks_exporter_unexpected_payload_total")}[1h]) > 0`,
      },
      SEE.failures,
    ],
    actions: [
      "Read the release notes of the API, and update the exporter.",
      "If no version supports the new value, report the field and its value.",
    ],
  },
};

const { window: overflowWindow } = EXPORTER.labelOverflow;
const addressOverflow = `${grown(series("stacks_address_label_overflow_total"), series("stacks_address_info"), overflowWindow)} > 0`;
const contractOverflow = `increase(${series("stacks_contract_label_overflow_total")}[${overflowWindow}]) > 0`;
const callOverflow = `increase(${series("stacks_contract_call_label_overflow_total")}[${overflowWindow}]) > 0`;
const labelOverflow: Alert = {
  alert: "StacksLabelOverflow",
  severity: "info",
  expr: `${addressOverflow}
or ${contractOverflow}
or ${callOverflow}`,
  for: EXPORTER.labelOverflow.for,
  summary: "{{ $labels.name }} on {{ $labels.network }} exceeds its limit of label values",
  description: 'Counted as other in the last hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `An address has more assets than \`max_assets\`, a contract has more topics than \`max_topics\`, functions
      than \`max_functions\` or errors than \`max_errors\`, \`max_series\` is reached, or names are not valid in Clarity.
      Such transfers, events and calls count as \`other\`.`,
    impact: "Totals are correct; the breakdown by asset, topic, function or error is incomplete.",
    diagnosis: [
      { shows: "Addresses.", query: addressOverflow },
      { shows: "Events of contracts.", query: contractOverflow },
      { shows: "Calls of contracts.", query: callOverflow },
      { shows: "Number of series of the largest families.", query: `${series("stacks_exporter_series")} > 1000` },
    ],
    actions: [
      "List the important tokens under `assets` of the network: they always keep their series.",
      "If the others are spam, do nothing: the limit is meant for that.",
      "Otherwise raise the limit, and check that Prometheus can handle the series.",
    ],
  },
};

const filled = `sum without (family) (${series("stacks_exporter_series")}) / ${series("stacks_exporter_series_limit")}`;
const seriesHigh: Alert = {
  alert: "StacksSeriesHigh",
  severity: "warning",
  expr: `${filled} > ${EXPORTER.seriesHigh.ratio}`,
  for: EXPORTER.seriesHigh.for,
  summary: "{{ $labels.instance }} has nearly reached its limit of series",
  description: "It exposes {{ $value | humanizePercentage }} of the series that the configuration allows.",
  runbook: {
    meaning: `The exporter exposes more than ${EXPORTER.seriesHigh.ratio * 100} % of the configured \`max_series\`.`,
    impact: `New assets, topics and labels of event rules count as \`other\`, so that the number of series stays within
      the limit.`,
    diagnosis: [
      { shows: "Used share of the limit.", query: filled },
      { shows: "Number of series of the largest families.", query: `${series("stacks_exporter_series")} > 1000` },
    ],
    actions: [
      "Remove `details` of the collector addresses, or lower `max_assets` and `max_topics`.",
      `Raise the limit if the scrape and Prometheus can handle it, or split the watch list between two exporters.`,
    ],
  },
};

const configRefused = `${series("stacks_exporter_config_last_reload_successful")} == 0`;
const configurationRefused: Alert = {
  alert: "StacksConfigurationRefused",
  severity: "warning",
  expr: configRefused,
  for: EXPORTER.reload.for,
  summary: "The changed configuration of {{ $labels.instance }} was refused",
  description: "The configuration has an error; the previous one stays in use.",
  runbook: {
    meaning: "SIGHUP or `POST /-/reload` has requested a reload, and the configuration has an error.",
    impact: "The previous configuration stays in use. At the next start the exporter would refuse to run.",
    diagnosis: [
      { shows: "Result of the last reload: 0 is a failure.", query: configRefused },
      {
        shows: "Hash of the configuration in use, which differs between exporters with different ones.",
        query: `${series("stacks_exporter_config_hash")}`,
      },
    ],
    actions: [
      "Read the log or the status page: they show the line and the error.",
      "Validate the file with the command `check`, correct it, and reload again.",
      "If `listen`, `state.path` or `log.format` has to change, restart the exporter.",
    ],
  },
};

const refused = `${series("stacks_exporter_watch_list_last_reload_successful")} == 0`;
const watchListRefused: Alert = {
  alert: "StacksWatchListRefused",
  severity: "warning",
  expr: refused,
  for: EXPORTER.reload.for,
  summary: "The changed watch list of {{ $labels.instance }} was refused",
  description: "A file of the watch list, or a key file, has an error; the previous content stays in use.",
  runbook: {
    meaning:
      "The exporter has reloaded the files that its configuration names, watch lists and keys: one has an error.",
    impact: `Added targets are not watched, removed targets still are, and a new key is not in use. At the next start
      the exporter would refuse to run.`,
    diagnosis: [{ shows: "Result of the last reload: 0 is a failure.", query: refused }],
    actions: [
      "Read the log: it shows the file, the line and the error.",
      "Validate the files with the command `check` before you replace them.",
    ],
  },
};

const webRefused = `${series("stacks_exporter_web_config_last_reload_successful")} == 0`;
const webConfigRefused: Alert = {
  alert: "StacksWebConfigRefused",
  severity: "warning",
  expr: webRefused,
  for: EXPORTER.reload.for,
  summary: "The changed web configuration of {{ $labels.instance }} was refused",
  description: "The file, a certificate or a key has an error; the previous ones stay in use.",
  runbook: {
    meaning: `The exporter has reloaded the web configuration, its certificate, key or CA, and found an error, or a
      change that needs a restart.`,
    impact: `The previous certificate stays in use until it expires; then scrapes fail. Changed users and passwords are
      not in force. At the next start the exporter would refuse to run if there is an error.`,
    diagnosis: [{ shows: "Result of the last reload: 0 is a failure.", query: webRefused }],
    actions: [
      "Read the log or the status page: they show the file, the line and the error.",
      "Check that the key belongs to the certificate, and that the exporter may read both.",
      "Restart the exporter if the log requests it.",
      "Validate a new file with `stacks-exporter check --web.config.file` before you replace the old one.",
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
  description: 'Failed writes in the last 15 minutes: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `The exporter cannot save its counters: the disk is full, the file or its folder is not writable, or the
      disk is broken.`,
    impact: `A poll that cannot be saved fails and changes no value, so that nothing is counted twice after a restart.
      Gauges disappear at their maximum age.`,
    diagnosis: [
      { shows: "Failed writes.", query: unwritten },
      {
        shows: "Time since the last successful write, in seconds.",
        query: `time() - ${series("stacks_exporter_state_write_timestamp_seconds")}`,
      },
    ],
    actions: [
      "Free space on the disk, or correct the permissions: the exporter continues automatically.",
      "See docs/state.md for the meaning of its messages.",
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
  description: `Counting of its target starts again, and the row is kept. The last row was set aside {{ $value |
    humanizeDuration }} ago.`,
  runbook: {
    meaning: `Within ${EXPORTER.stateRowSetAside.window} a saved row had a wrong checksum, or this version could not
      read it. The exporter moved it to the table \`set_aside\` of the state file and continued without it.`,
    impact: `The counters of that target start again; \`rate()\` and \`increase()\` treat this as a counter reset.
      Other targets are not affected. With \`backfill\`, transactions that the API still lists are counted again.`,
    diagnosis: [
      { shows: "Time since the last row was set aside, in seconds.", query: setAsideAge },
      { shows: "Rows set aside in the state file.", query: series("stacks_exporter_state_rows_set_aside") },
    ],
    actions: [
      "Read the log of the last start: it shows network, collector, target and reason of each row.",
      "If checksums are wrong, check the disk and the file system.",
      "If there is another reason after an update, report it: docs/state.md explains how to restore a row.",
    ],
  },
};

/** Rules for the exporter and its API. */
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
    configurationRefused,
    watchListRefused,
    webConfigRefused,
    stateWriteFailing,
    stateRowSetAside,
    ...shardAlerts,
    ...upstreamAlerts,
  ],
};
