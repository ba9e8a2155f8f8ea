// The status page at /: a box for each cause of a problem, then collectors, targets that need attention, and networks.
// Works without scripts.
import { needsAttention } from "../telemetry/status.ts";
import { durationText, fullTime, type Html, html, numberText, type Piece, relativeTime, table } from "./html.ts";
import { pageOf } from "./page-frame.ts";
import type { Status } from "./status-json.ts";

type Network = Status["networks"][number];
type Collector = Network["collectors"][number];
type Target = Status["targets"]["items"][number];

const HEALTH = {
  ok: ["✓ OK", "There are no problems."],
  starting: ["… Starting", "Some targets wait for their first poll."],
  degraded: ["! Degraded", "Some values are missing or old."],
  down: ["✕ Down", "A network has no current data."],
} as const;
// The worst first.
const STATES = { retired: "✕", paused: "‖", degraded: "!", unsupported: "–", waiting: "…", active: "✓" };
const COLUMNS = ["State", "Last success", "Next poll", "Last error"];

/** The page for a document without filters. */
export function statusPage({ status, version, time: now, started_at, problems, networks, targets }: Status): string {
  const [word, text] = HEALTH[status];
  const header = html`<p class="health ${status}" role="status"><strong>${word}</strong> <span>${text}</span></p>
<p>Version ${version}, started ${relativeTime(started_at, now)}. As of ${new Date(now).toISOString().slice(0, 19).replace("T", " ")} UTC.</p>
<nav aria-label="Endpoints"><a href="metrics">Metrics</a><a href="-/healthy">Healthy</a><a href="-/ready">Ready</a>
<a href="api/v1/status">Status as JSON</a><a href="runbooks/">Runbooks</a></nav>`;
  const on = (network: string) => (networks.length === 1 ? "" : `${network} / `);
  const boxes = problems.map(
    ({ network, subject, collector, message, since, until }) =>
      html`<li><strong>${network ?? subject}${collector && ` / ${collector}`}</strong>: ${message}
<span class="soft">${since && html`since ${fullTime(since, now)} `}${
        until && html`next request at ${fullTime(until, now)}`
      }</span></li>
`,
  );
  const collectors = networks.flatMap(({ name, collectors }) =>
    collectors.map((one) => [
      collectorName(one, on(name)),
      collectorState(one, name),
      ...pollCells(one, one.targets.expired > 0, now),
    ]),
  );
  const failing = targets.items
    .filter((target) => target.principal && needsAttention(target))
    .map((target) => [
      targetName(target, on(target.network)),
      stateMark(target),
      ...pollCells(target, target.expired, now),
    ]);
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
${networks.map((network) => networkSection(network, now))}`;
  return pageOf(word.slice(2), body, "stacks-exporter", header);
}

function collectorName({ name, schedule, interval_seconds, stretch_ratio }: Collector, on: string): Html {
  const slowed = `, slowed down by the budget to ${durationText(interval_seconds)} (${numberText(stretch_ratio)} times)`;
  return html`${on}${name}<small>${schedule}${stretch_ratio > 1.001 && slowed}</small>`;
}

function collectorState(collector: Collector, network: string): Html {
  const { name, targets } = collector;
  const counts = (Object.keys(STATES) as (keyof typeof STATES)[]).map((state) => {
    const query = new URLSearchParams({ network, collector: name, state }).toString();
    return (
      targets[state] > 0 &&
      html`<small class="nowrap"><a href="api/v1/status?${query}">${targets[state]} ${state}</a></small> `
    );
  });
  return html`${stateMark(collector)}${targets.total > 1 && html`<div>${counts}</div>`}`;
}

function targetName({ principal, name, group, collector }: Target, on: string): Html {
  const details = [...new Set([principal, group, `${on}${collector}`])].filter((text) => text && text !== name);
  return html`${name}${details.map((text) => html`<small>${text}</small>`)}`;
}

const stateMark = ({ state }: Collector | Target): Html =>
  html`<span class="state nowrap ${state}">${STATES[state]} ${state}</span>`;

/** Last success, next poll and last error of a collector or a target. */
function pollCells(row: Collector | Target, isExpired: boolean, now: number): readonly Piece[] {
  const { last_success_at, next_poll_at, failing_since, unsupported_since, last_error } = row;
  const error = last_error && html`${last_error.reason}: ${last_error.message}`;
  return [
    html`${last_success_at === undefined ? "none yet" : relativeTime(last_success_at, now)}${
      isExpired && html` <span class="fails nowrap">✕ expired</span>`
    }`,
    next_poll_at === undefined ? "—" : relativeTime(next_poll_at, now),
    unsupported_since
      ? html`the API lacks the operation (404), as older versions do; since ${fullTime(unsupported_since, now)}`
      : failing_since
        ? html`<span class="fails">${error}</span><small> since ${fullTime(failing_since, now)}</small>`
        : html`<span class="soft">${last_error ? html`recovered; ${relativeTime(last_error.at, now)}: ${error}` : "none"}</span>`,
  ];
}

function networkSection({ name, upstreams, budget }: Network, now: number): Html {
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

function useText({ planned, limit, used = 0, available = 0 }: Network["budget"]["minute"]): Html {
  if (limit === undefined) return html`no limit; ${numberText(planned)} planned`;
  return html`${numberText(used)} of ${numberText(limit)}; ${numberText(available)} available,
<span class="${planned > limit && "fails"}">${numberText(planned)} planned</span>`;
}
