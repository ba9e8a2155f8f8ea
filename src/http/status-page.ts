// The status page at /: what a person has to see at once, made from the same answer as /api/v1/status. No scripts.
import type { Selection } from "../telemetry/status.ts";
import { type Html, html, type Piece } from "./html.ts";
import { ageCell, cell, errorCell, nextCell, stateMark } from "./status-cells.ts";
import { queryOf } from "./status-query.ts";
import type { StatusAnswer } from "./status-shape.ts";
import { STYLE_ELEMENT } from "./status-style.ts";
import { targetsSection } from "./status-targets.ts";
import { upstreamsTable } from "./status-upstreams.ts";
import { clockTime, numberText, sinceText, spanText, untilText } from "./status-words.ts";

type Network = StatusAnswer["networks"][number];
type Collector = Network["collectors"][number];
type Window = Network["budget"]["minute"];

/** The whole page. `selection` is what the answer's targets were selected by. */
export function statusPage(answer: StatusAnswer, selection: Selection): string {
  const { version, time, uptime_seconds, networks } = answer;
  // Without a watch list, the collectors have said everything.
  const hasTargets =
    queryOf(selection) !== "" ||
    answer.targets.items.some(({ principal }) => principal !== undefined) ||
    networks.some(({ collectors }) => collectors.some(({ targets }) => targets.total > 1));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${VERDICT_WORDS[answer.status]} · stacks-exporter</title>
${STYLE_ELEMENT}
</head>
<body>
<header>
<h1>stacks-exporter</h1>
${verdict(answer)}
<p>Version ${version} · up ${spanText(uptime_seconds)} · as of <span class="nowrap">${clockTime(time, "")}</span></p>
<nav aria-label="Endpoints"><a href="metrics">Metrics</a><a href="-/healthy">Healthy</a><a href="-/ready">Ready</a><a href="api/v1/status">Status as JSON</a></nav>
</header>
<main>
${problems(answer)}
${networks.map((network) => networkSection(network, time))}
${hasTargets && targetsSection(answer, selection)}
</main>
</body>
</html>
`.text;
}

const VERDICT_WORDS = { ok: "All right", starting: "Starting", degraded: "Degraded", down: "Down" } as const;
const VERDICT_MARKS = { ok: "✓", starting: "…", degraded: "!", down: "✕" } as const;

function verdict({ status, problems, networks }: StatusAnswer): Html {
  const targets = networks.flatMap(({ collectors }) => collectors.map(({ targets }) => targets));
  const total = targets.reduce((sum, { total }) => sum + total, 0);
  const waiting = targets.reduce((sum, { waiting }) => sum + waiting, 0);
  const all = total === 1 ? "The only target" : `All ${numberText(total)} targets`;
  const text = {
    ok: `${all} polled, and the last poll of each succeeded.`,
    starting: `${numberText(waiting)} of ${numberText(total)} targets not polled yet.`,
    degraded: `${problems.length === 1 ? "One thing is" : `${problems.length} things are`} wrong.`,
    down: "A network gives no data.",
  }[status];
  return html`<p class="verdict ${status}" role="status"><strong><span aria-hidden="true">${VERDICT_MARKS[status]}</span> ${VERDICT_WORDS[status]}</strong> <span class="plain">${text}</span></p>`;
}

function problems({ problems, time }: StatusAnswer): Piece {
  if (problems.length === 0) return undefined;
  const items = problems.map(
    ({ network, collector, message, since, until }) =>
      html`<li><strong>${placeOf(network, collector)}</strong>: ${message}${until !== undefined && html` ${untilText(until, time)}`}${since !== undefined && html` <span class="soft">since ${sinceText(since, time)}</span>`}</li>\n`,
  );
  return html`<section aria-labelledby="wrong">
<h2 id="wrong">What is wrong</h2>
<ul class="wrong">
${items}</ul>
</section>`;
}

function placeOf(network: string | undefined, collector: string | undefined): string {
  if (network === undefined) return "watch list";
  return collector === undefined ? network : `${network} / ${collector}`;
}

function networkSection(network: Network, time: string): Html {
  const { name, url, paused_until, longest_pause_seconds, retired_operations, rate_limits, collectors, budget } =
    network;
  return html`<section aria-label="Network ${name}">
<h2>${name} <small>${url}</small></h2>
${paused_until !== undefined && html`<p class="paused"><span class="state">‖ Paused</span> until ${untilText(paused_until, time)}: the server asked to wait. A pause lasts at most ${spanText(longest_pause_seconds)} (<code>longest_pause</code>).</p>`}
${retired_operations.map(
  (operation) =>
    html`<p><span class="retired state">✕ Retired</span> operation ${operation.name}: the server has switched it off (410), since ${sinceText(operation.since, time)}; asked again ${untilText(operation.next_try_at, time)}.</p>\n`,
)}
${upstreamsTable(network.upstreams, time)}<h3>Collectors</h3>
<table class="collectors">
<thead><tr><th scope="col">Collector</th><th scope="col">State</th><th scope="col">Age of data</th><th scope="col">Next poll</th><th scope="col">Last error</th></tr></thead>
<tbody>
${collectors.map((collector) => collectorRow(collector, name, time))}</tbody>
</table>
<h3>Requests</h3>
<table class="budget">
<thead><tr><th scope="col">Budget</th><th scope="col">Used</th><th scope="col">Planned</th><th scope="col">Limit</th><th scope="col">Free now</th></tr></thead>
<tbody>
${budgetRow("Minute", "last 60 s", budget.minute)}${budgetRow("Month (31 days)", "since the start", budget.month)}</tbody>
</table>
${rate_limits.length > 0 && html`<p class="soft">The server last said: ${rate_limits.map(rateLimit).join("; ")}.</p>`}
</section>
`;
}

const rateLimit = ({ window, limit, remaining }: Network["rate_limits"][number]): string =>
  [
    `${window}:`,
    remaining === undefined ? "" : `${numberText(remaining)} left`,
    limit === undefined ? "" : `of ${numberText(limit)}`,
  ]
    .filter((part) => part !== "")
    .join(" ");

function budgetRow(name: string, span: string, { planned, limit, used, available }: Window): Html {
  const isTooMuch = limit !== undefined && planned > limit;
  const bar =
    limit !== undefined &&
    used !== undefined &&
    html` <meter min="0" max="${limit}" value="${used}" title="${numberText((100 * used) / limit)} % of the limit"></meter>`;
  return html`<tr><th scope="row">${name}</th>${cell("Used", used === undefined ? "not counted" : html`<span>${numberText(used)} <small>${span}</small>${bar}</span>`)}${cell("Planned", isTooMuch ? html`<span class="fails">${numberText(planned)}: more than the limit</span>` : numberText(planned))}${cell("Limit", limit === undefined ? "unlimited" : numberText(limit))}${cell("Free now", available === undefined ? "—" : numberText(available))}</tr>\n`;
}

function collectorRow(collector: Collector, network: string, time: string): Html {
  const { name, state, schedule, interval_seconds, stretch_ratio, targets } = collector;
  const pace =
    stretch_ratio > 1.001
      ? html`<small>${schedule}, stretched by the budget to ${spanText(interval_seconds)} (${numberText(stretch_ratio)} times)</small>`
      : html`<small>${schedule}</small>`;
  return html`<tr><th scope="row">${name}${pace}</th>${cell("State", html`<div>${stateMark(state)}${targets.total > 1 && countsOf(collector, network)}</div>`)}${ageCell(collector, targets.total > 1 ? "oldest" : "", targets.expired > 0)}${nextCell(collector, time)}${errorCell(collector, time)}</tr>\n`;
}

function countsOf({ name, targets }: Collector, network: string): Html {
  const states = (["retired", "paused", "degraded", "waiting", "active"] as const).filter(
    (state) => targets[state] > 0,
  );
  return html`<div class="soft">${states.map((state, index) => {
    const query = new URLSearchParams({ network, collector: name, state }).toString();
    return html`${index > 0 && ", "}<a class="nowrap" href="?${query}#targets">${numberText(targets[state])} ${state}</a>`;
  })}${targets.expired > 0 && `, ${numberText(targets.expired)} expired`}</div>`;
}
