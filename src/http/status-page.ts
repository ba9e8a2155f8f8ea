// The status page at /: problems first, then networks and collectors, then the targets. Works without scripts.
import { type Selection, TARGET_STATES, type TargetState } from "../telemetry/status.ts";
import {
  agoText,
  clockTime,
  dueText,
  durationText,
  Html,
  html,
  numberText,
  type Piece,
  sinceText,
  table,
  untilText,
} from "./html.ts";
import type { CollectorJson, NetworkJson, StatusJson, TargetJson } from "./status-json.ts";
import { DEFAULT_LIMIT, MAX_TEXT_LENGTH, queryOf } from "./status-query.ts";
import { STYLE } from "./status-style.ts";

const HEALTH = {
  ok: { mark: "✓", word: "OK" },
  starting: { mark: "…", word: "Starting" },
  degraded: { mark: "!", word: "Degraded" },
  down: { mark: "✕", word: "Down" },
} as const;

const STATE_MARKS = {
  active: "✓",
  degraded: "!",
  paused: "‖",
  retired: "✕",
  unsupported: "–",
  waiting: "…",
} as const;

/** The page for a document, whose targets are those of the selection. */
export function statusPage(status: StatusJson, selection: Selection): string {
  const { version, time, uptime_seconds, networks, targets } = status;
  const { mark, word } = HEALTH[status.status];
  // Without watched principals, the table of collectors is sufficient.
  const hasTargets = targets.pages > 1 || targets.items.some((it) => it.principal) || queryOf(selection) !== "";
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${word} · stacks-exporter</title>
${new Html(`<style>${STYLE}</style>`)}
</head>
<body>
<header>
<h1>stacks-exporter</h1>
<p class="health ${status.status}" role="status"><strong><span aria-hidden="true">${mark}</span> ${word}</strong>
<span>${healthText(status)}</span></p>
<p>Version ${version} · up ${durationText(uptime_seconds)}
· as of <span class="nowrap">${clockTime(time, "")}</span></p>
<nav aria-label="Endpoints"><a href="metrics">Metrics</a><a href="-/healthy">Healthy</a><a href="-/ready">Ready</a>
<a href="api/v1/status">Status as JSON</a>
<a href="runbooks/">Runbooks</a></nav>
</header>
<main>
${problemsSection(status)}
${networks.map((network) => networkSection(network, time))}
${hasTargets && targetsSection(status, selection)}
</main>
</body>
</html>
`.text;
}

function healthText({ status, problems, networks }: StatusJson): string {
  const counts = networks.flatMap(({ collectors }) => collectors.map(({ targets }) => targets));
  const total = counts.reduce((sum, { total }) => sum + total, 0);
  const waiting = counts.reduce((sum, { waiting }) => sum + waiting, 0);
  return {
    ok:
      total === 1
        ? "The last poll of the only target succeeded."
        : `The last polls of all ${numberText(total)} targets succeeded.`,
    starting: `${numberText(waiting)} of ${numberText(total)} targets wait for their first poll.`,
    degraded: problems.length === 1 ? "One problem." : `${problems.length} problems.`,
    down: "A network has no current data.",
  }[status];
}

function problemsSection({ problems, time }: StatusJson): Piece {
  if (problems.length === 0) return undefined;
  const items = problems.map(
    ({ network, subject, collector, message, since, until }) => html`<li>
<strong>${network ?? subject}${collector && ` / ${collector}`}</strong>: ${message}
<span class="soft">${since && html`since ${sinceText(since, time)}`}${since && until && "; "}${
      until && html`next request at ${untilText(until, time)}`
    }</span></li>
`,
  );
  return html`<section aria-labelledby="problems">
<h2 id="problems">Problems</h2>
<ul class="problems">
${items}</ul>
</section>`;
}

function networkSection(network: NetworkJson, time: string): Html {
  const { name, url, paused_until, longest_pause_seconds, retired_operations, rate_limits, upstreams } = network;
  const pause =
    paused_until &&
    html`<p class="paused"><span class="state">‖ Paused</span>
until ${untilText(paused_until, time)}: the API requested a pause.
A pause lasts at most ${durationText(longest_pause_seconds)} (<code>longest_pause</code>).</p>`;
  const retired = retired_operations.map(
    (operation) => html`<p><span class="retired state">✕ Retired</span> operation ${operation.name}:
the API responds with 410 since ${sinceText(operation.since, time)};
next request at ${untilText(operation.next_try_at, time)}.</p>
`,
  );
  const limits = rate_limits.map(({ window, limit, remaining }) => {
    const [left, all] = [remaining, limit].map((count) => (count === undefined ? "?" : numberText(count)));
    return `${window}: ${left} of ${all} left`;
  });
  // The heading names the only upstream.
  return html`<section aria-label="Network ${name}">
<h2>${name} <small>${url}${upstreams.length === 1 && throughText(upstreams[0]?.proxy)}</small></h2>
${pause}
${retired}
${upstreams.length > 1 && html`<h3>Upstreams</h3>${upstreamsTable(upstreams, time)}`}
<h3>Collectors</h3>
${collectorsTable(network, time)}
<h3>Requests</h3>
${budgetTable(network.budget)}
${limits.length > 0 && html`<p class="soft">Rate limits of the API: ${limits.join("; ")}.</p>`}
</section>
`;
}

const throughText = (proxy: string | undefined) => proxy && ` through the proxy ${proxy}`;

function upstreamsTable(upstreams: NetworkJson["upstreams"], time: string): Html {
  const rows = upstreams.map(({ name, url, proxy, active, up, lag_blocks, cause }) => {
    const [style, word] = up === undefined ? ["waiting", "… Unknown"] : up ? ["active", "✓ Up"] : ["retired", "✕ Down"];
    return [
      html`${name}<small>${url}${throughText(proxy)}</small>`,
      html`<span class="${style} state">${word}</span>${active && ", polled"}`,
      lag_blocks === undefined ? "—" : `${numberText(lag_blocks)} ${lag_blocks === 1 ? "block" : "blocks"}`,
      cause === undefined
        ? "—"
        : html`${cause.reason}: ${cause.message} <span class="soft">since ${sinceText(cause.since, time)}</span>`,
    ];
  });
  return table("upstreams", ["Upstream", "State", "Lag", "Cause"], rows);
}

function collectorsTable({ name: network, collectors }: NetworkJson, time: string): Html {
  const rows = collectors.map((collector) => {
    const { name, state, schedule, interval_seconds, stretch_ratio, targets } = collector;
    const slowdown =
      stretch_ratio > 1.001 &&
      `, slowed down by the budget to ${durationText(interval_seconds)} (${numberText(stretch_ratio)} times)`;
    return [
      html`${name}<small>${schedule}${slowdown}</small>`,
      html`${stateMark(state)}${targets.total > 1 && countsOf(collector, network)}`,
      ...pollCells(collector, time, targets.expired > 0, targets.total > 1 && html` <small>oldest</small>`),
    ];
  });
  return table("collectors", ["Collector", "State", "Age of data", "Next poll", "Last error"], rows);
}

const stateMark = (state: TargetState): Html =>
  html`<span class="state nowrap ${state}"><span aria-hidden="true">${STATE_MARKS[state]}</span> ${state}</span>`;

function countsOf({ name: collector, targets }: CollectorJson, network: string): Html {
  const states = (["retired", "paused", "degraded", "unsupported", "waiting", "active"] as const).filter(
    (it) => targets[it] > 0,
  );
  const links = states.map((state, index) => {
    const query = new URLSearchParams({ network, collector, state }).toString();
    const count = `${numberText(targets[state])} ${state}`;
    return html`${index > 0 && ", "}<a class="nowrap" href="?${query}#targets">${count}</a>`;
  });
  return html`<div class="soft">${links}${targets.expired > 0 && `, ${numberText(targets.expired)} expired`}</div>`;
}

/** Age of data, next poll and last error of a collector or a target. */
function pollCells(row: CollectorJson | TargetJson, time: string, isExpired: boolean, note?: Piece): Piece[] {
  const { age_seconds, next_poll_at } = row;
  const age = age_seconds === undefined ? "none yet" : html`<span class="nowrap">${durationText(age_seconds)}</span>`;
  return [
    html`${age}${note}${isExpired && html` <span class="fails nowrap">✕ expired</span>`}`,
    next_poll_at === undefined ? "—" : html`<span class="nowrap">${dueText(next_poll_at, time)}</span>`,
    lastError(row, time),
  ];
}

function lastError(row: CollectorJson | TargetJson, time: string): Html {
  if (row.unsupported_since !== undefined)
    return html`<span class="soft">the API lacks the operation (404), as older versions do; since
${sinceText(row.unsupported_since, time)}</span>`;
  if (row.last_error === undefined) return html`<span class="soft">none</span>`;
  const { reason, message, at } = row.last_error;
  if (row.failing_since === undefined)
    return html`<span class="soft">recovered; ${agoText(at, time)}: ${reason}: ${message}</span>`;
  const failures = "failures_in_a_row" in row ? row.failures_in_a_row : 1;
  return html`<span class="fails"><strong>${reason}</strong>: ${message}</span>
<div class="soft">since ${sinceText(row.failing_since, time)}${failures > 1 && `, ${failures} polls in a row`}</div>`;
}

function budgetTable({ minute, month }: NetworkJson["budget"]): Html {
  const row = (name: string, span: string, { planned, limit, used, available }: typeof minute): Piece[] => {
    if (limit === undefined || used === undefined || available === undefined)
      return [name, "not counted", numberText(planned), "unlimited", "—"];
    const share = `${numberText((100 * used) / limit)} % of the limit`;
    return [
      name,
      html`${numberText(used)} <small>${span}</small>
<meter min="0" max="${limit}" value="${used}" title="${share}"></meter>`,
      planned > limit
        ? html`<span class="fails">${numberText(planned)}: more than the limit</span>`
        : numberText(planned),
      numberText(limit),
      numberText(available),
    ];
  };
  return table(
    "budget",
    ["Budget", "Used", "Planned", "Limit", "Available"],
    [row("Minute", "last 60 s", minute), row("Month (31 days)", "since the start", month)],
  );
}

function targetsSection({ targets, networks, time }: StatusJson, selection: Selection): Html {
  const { matched, page, limit, items } = targets;
  const first = (page - 1) * limit + 1;
  const range = `${numberText(first)} to ${numberText(first + items.length - 1)} of ${numberText(matched)}`;
  const rows = items.map((target) => {
    const { network, collector, principal, name, group, state, expired } = target;
    const details = [group, principal === name ? undefined : principal].filter((text) => text !== undefined);
    return [
      html`${name ?? principal ?? "the whole chain"}${details.map((text) => html`<small>${text}</small>`)}`,
      networks.length > 1 ? `${network} / ${collector}` : collector,
      stateMark(state),
      ...pollCells(target, time, expired),
    ];
  });
  return html`<section id="targets" aria-labelledby="targets-title">
<h2 id="targets-title">Targets</h2>
${filterForm(selection, networks)}
<p class="soft">${
    items.length === 0
      ? `No target on this page; ${numberText(matched)} in total.`
      : `${range}: failing ones first, then the oldest data first.`
  }</p>
${table("targets", ["Target", "Collector", "State", "Age of data", "Next poll", "Last error"], rows)}
${pageLinks(targets, selection)}
</section>`;
}

function filterForm(selection: Selection, networks: StatusJson["networks"]): Html {
  const names = networks.map(({ name }) => name);
  const collectors = new Set(networks.flatMap(({ collectors }) => collectors.map(({ name }) => name)));
  const isFiltered = queryOf(selection, { page: 1, limit: DEFAULT_LIMIT }) !== "";
  const choice = (label: string, name: string, values: readonly string[], chosen: string | undefined) => {
    const options = values.map((value) => html`<option${value === chosen && html` selected`}>${value}</option>`);
    return html`<label>${label}<select name="${name}"><option value="">all</option>${options}</select></label>`;
  };
  return html`<form method="get" action="#targets" aria-label="Filter of targets">
${names.length > 1 && choice("Network", "network", names, selection.network)}
${choice("Collector", "collector", [...collectors], selection.collector)}
${choice("State", "state", TARGET_STATES, selection.state)}
<label class="wide">Name, group or principal
<input type="search" name="q" maxlength="${MAX_TEXT_LENGTH}" value="${selection.text}"></label>
${selection.limit !== DEFAULT_LIMIT && html`<input type="hidden" name="limit" value="${selection.limit}">`}
<button type="submit">Show</button>
${isFiltered && html`<a href="?#targets">Show all</a>`}
</form>`;
}

function pageLinks({ page, pages }: StatusJson["targets"], selection: Selection): Piece {
  if (pages === 1 && page === 1) return undefined;
  const link = (to: number, text: string, rel: string) =>
    html`<a rel="${rel}" href="?${queryOf(selection, { page: to })}#targets">${text}</a>`;
  return html`<nav class="pages" aria-label="Pages">${page > 1 && link(Math.min(page - 1, pages), "← Back", "prev")}
<span>Page ${numberText(page)} of ${numberText(pages)}</span>
${page < pages && link(page + 1, "Next →", "next")}</nav>`;
}
