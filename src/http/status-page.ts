// The status page at /: problems first, then collectors, targets that need attention, and networks. Works without
// scripts.
import { durationText, fullTime, type Html, html, numberText, type Piece, relativeTime, table } from "./html.ts";
import { pageOf } from "./page-frame.ts";
import type { CollectorJson, NetworkJson, StatusJson, TargetJson } from "./status-json.ts";

const HEALTH = {
  ok: { mark: "✓", word: "OK", text: "There are no problems." },
  starting: { mark: "…", word: "Starting", text: "Some targets wait for their first poll." },
  degraded: { mark: "!", word: "Degraded", text: "Some values are missing or old." },
  down: { mark: "✕", word: "Down", text: "A network has no current data." },
};

// The worst first.
const STATES = { retired: "✕", paused: "‖", degraded: "!", unsupported: "–", waiting: "…", active: "✓" };

const COLUMNS = ["State", "Last success", "Next poll", "Last error"];

/** The page for a document without filters. */
export function statusPage({ status, version, time, started_at, problems, networks, targets }: StatusJson): string {
  const { mark, word, text } = HEALTH[status];
  const header = html`<p class="health ${status}" role="status"><strong>${mark} ${word}</strong> <span>${text}</span></p>
<p>Version ${version}, started ${relativeTime(started_at, time)}. As of ${time.slice(0, 19).replace("T", " ")} UTC.</p>
<nav aria-label="Endpoints"><a href="metrics">Metrics</a><a href="-/healthy">Healthy</a><a href="-/ready">Ready</a>
<a href="api/v1/status">Status as JSON</a><a href="runbooks/">Runbooks</a></nav>`;
  const placeOf = (network: string, collector: string) =>
    networks.length === 1 ? collector : `${network} / ${collector}`;
  const collectors = networks.flatMap(({ name, collectors }) =>
    collectors.map((collector) => collectorRow(collector, placeOf(name, collector.name), name, time)),
  );
  const failing = targets.items
    .filter((target) => target.principal && (target.failing_since || target.expired))
    .map((target) => targetRow(target, placeOf(target.network, target.collector), time));
  const boxes = problems.map((problem) => problemBox(problem, time));
  const body = html`${boxes.length > 0 && html`<h2>Problems</h2>\n<ul class="problems">\n${boxes}</ul>`}
<h2>Collectors</h2>
${table("collectors", ["Collector", ...COLUMNS], collectors)}
${
  failing.length > 0 &&
  html`<h2>Targets that need attention</h2>
<p class="soft">Their last poll failed, or their values have expired. At most ${targets.limit} are listed;
<a href="api/v1/status?limit=1000">all targets are in the JSON</a>.</p>
${table("targets", ["Target", ...COLUMNS], failing)}`
}
${networks.map((network) => networkSection(network, time))}`;
  return pageOf(word, body, "stacks-exporter", header);
}

function problemBox({ network, subject, collector, message, since, until }: StatusJson["problems"][0], now: string) {
  return html`<li><strong>${network ?? subject}${collector && ` / ${collector}`}</strong>: ${message}
<span class="soft">${since && html`since ${fullTime(since, now)} `}${
    until && html`next request at ${fullTime(until, now)}`
  }</span></li>
`;
}

function collectorRow(collector: CollectorJson, place: string, network: string, now: string): readonly Piece[] {
  const { name, schedule, interval_seconds, stretch_ratio, targets } = collector;
  const slowed = `, slowed down by the budget to ${durationText(interval_seconds)} (${numberText(stretch_ratio)} times)`;
  const counts = (Object.keys(STATES) as (keyof typeof STATES)[]).map((state) => {
    const query = new URLSearchParams({ network, collector: name, state }).toString();
    return (
      targets[state] > 0 &&
      html`<small class="nowrap"><a href="api/v1/status?${query}">${targets[state]} ${state}</a></small> `
    );
  });
  return [
    html`${place}<small>${schedule}${stretch_ratio > 1.001 && slowed}</small>`,
    html`${stateMark(collector)}${targets.total > 1 && html`<div>${counts}</div>`}`,
    ...pollCells(collector, targets.expired > 0, now),
  ];
}

function targetRow(target: TargetJson, place: string, now: string): readonly Piece[] {
  const { principal, name, group, expired } = target;
  const details = [...new Set([principal, group, place])].filter((text) => text && text !== name);
  return [
    html`${name}${details.map((text) => html`<small>${text}</small>`)}`,
    stateMark(target),
    ...pollCells(target, expired, now),
  ];
}

const stateMark = ({ state }: CollectorJson | TargetJson): Html =>
  html`<span class="state nowrap ${state}">${STATES[state]} ${state}</span>`;

/** Last success, next poll and last error of a collector or a target. */
function pollCells(row: CollectorJson | TargetJson, isExpired: boolean, now: string): readonly Piece[] {
  const { last_success_at, next_poll_at, failing_since, unsupported_since, last_error } = row;
  const error = last_error && html`${last_error.reason}: ${last_error.message}`;
  return [
    html`${last_success_at ? relativeTime(last_success_at, now) : "none yet"}${
      isExpired && html` <span class="fails nowrap">✕ expired</span>`
    }`,
    next_poll_at ? relativeTime(next_poll_at, now) : "—",
    unsupported_since
      ? html`the API lacks the operation (404), as older versions do; since ${fullTime(unsupported_since, now)}`
      : failing_since
        ? html`<span class="fails">${error}</span><small> since ${fullTime(failing_since, now)}</small>`
        : html`<span class="soft">${last_error ? html`recovered; ${relativeTime(last_error.at, now)}: ${error}` : "none"}</span>`,
  ];
}

function networkSection({ name, upstreams, budget }: NetworkJson, now: string): Html {
  return html`<h2>Network ${name}</h2>
<ul>
${upstreams.map(({ name, url, proxy, active, up, lag_blocks, cause }) => {
  const state = up === undefined ? "not contacted" : up ? "up" : "down";
  return html`<li>Upstream ${name}: ${url}${proxy && ` through the proxy ${proxy}`},
<span class="${up === false && "fails"}">${state}</span>${active && ", polled"}${
    lag_blocks !== undefined && `, ${lag_blocks} blocks behind`
  }${cause && html`; ${cause.reason}: ${cause.message}, since ${fullTime(cause.since, now)}`}</li>\n`;
})}
<li>Requests of the last minute: ${useText(budget.minute)}</li>
<li>Requests since the start, for 31 days: ${useText(budget.month)}</li>
</ul>`;
}

function useText({ planned, limit, used, available }: NetworkJson["budget"]["minute"]): Html {
  if (limit === undefined) return html`no limit; ${numberText(planned)} planned`;
  return html`${numberText(used ?? 0)} of ${numberText(limit)}; ${numberText(available ?? 0)} available,
<span class="${planned > limit && "fails"}">${numberText(planned)} planned</span>`;
}
