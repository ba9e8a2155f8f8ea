// The status page at /: a box for each cause of a problem, then collectors, targets that need attention, and networks.
// Works without scripts.
import { sum } from "../api/budget-limits.ts";
import { STX } from "../collectors/collector.ts";
import { needsAttention } from "../telemetry/status.ts";
import { durationText, type Html, html, numberText, type Piece, relativeTime, table } from "./html.ts";
import { pageOf } from "./page-frame.ts";
import type { Status } from "./status-json.ts";

type Network = Status["networks"][number];
type Collector = Network["collectors"][number];
type Target = Status["targets"]["items"][number];
type Counted = NonNullable<Target["counted"]>[number];

const HEALTH = { ok: "✓ OK", starting: "… Starting", degraded: "! Degraded", down: "✕ Down" };
const STATES = { retired: "✕", paused: "‖", degraded: "!", unsupported: "–", waiting: "…", active: "✓" };
const COLUMNS = ["State", "Last success", "Error"];

/**
 * The page for a document.
 * @param isSelected whether its targets are selected: all of them are listed, with their last counted transactions
 */
export function statusPage(document: Status, isSelected = false): string {
  const { status, version, time: now, started_at, problems, networks, targets } = document;
  const header = html`<p class="health ${status}" role="status">${HEALTH[status]}</p>
<p>Version ${version}, started ${relativeTime(started_at, now)}. As of ${new Date(now).toISOString().slice(0, 19).replace("T", " ")} UTC.</p>
<nav><a href="metrics">Metrics</a><a href="api/v1/status">Status as JSON</a><a href="runbooks/">Runbooks</a></nav>
<form><label>Name of a target <input name="name" required></label> <button>Show</button></form>`;
  const boxes = problems.map(
    ({ subject, message, since }) =>
      html`<li><strong>${subject}</strong>: ${message}${since && html`<small>began ${relativeTime(since, now)}</small>`}</li>\n`,
  );
  const on = (network: string) => (networks.length === 1 ? "" : `${network} / `);
  const collectors = networks.flatMap(({ name, collectors }) =>
    collectors.map((one) => [collectorName(one, on(name)), ...cells(one, one.targets.expired, now)]),
  );
  const listed = targets.items
    .filter((target) => isSelected || (target.principal && needsAttention(target)))
    .map((target) => [targetName(target, on(target.network)), ...cells(target, Number(target.expired), now)]);
  const targetTable = html`<p>At most 100 are listed; <a href="api/v1/status?limit=100000">all targets are in the JSON</a>.</p>
${table(["Target", ...COLUMNS], listed)}`;
  const counted = targets.items.flatMap(({ counted = [] }) => counted.map((row) => countedCells(row, now)));
  const sections = isSelected
    ? [
        section("Targets", targetTable),
        section(
          "Last counted transactions",
          counted.length === 0
            ? html`<p>No transaction of an address with this name was counted.</p>`
            : table(["Transaction", "Time", "Amount"], counted),
        ),
      ]
    : [
        boxes.length > 0 && section("Problems", html`<ul class="problems">\n${boxes}</ul>`),
        section("Collectors", table(["Collector", ...COLUMNS], collectors)),
        listed.length > 0 && section("Targets that need attention", targetTable),
        networks.map((network) => networkSection(network, now)),
      ];
  return pageOf(HEALTH[status].slice(2), html`${sections}`, "stacks-exporter", header);
}

const section = (title: string, content: Html): Html => html`<h2>${title}</h2>\n${content}\n`;

function collectorName({ name, interval_seconds, stretch_ratio, targets }: Collector, on: string): Html {
  const slowed = stretch_ratio > 1.001 && `, ${numberText(stretch_ratio)} times slower than configured: the budget`;
  const counts = Object.keys(STATES).flatMap((state) => {
    const count = targets[state as keyof typeof STATES];
    return count > 0 ? [`${numberText(count)} ${state}`] : [];
  });
  return html`${on}${name}<small>every ${durationText(interval_seconds)}${slowed}</small>
${targets.total > 1 && html`<small>${counts.join(", ")}</small>`}`;
}

/** A counted transaction: what the target received less what it sent, of each asset. */
function countedCells({ tx_id, time, amounts }: Counted, now: number): readonly Piece[] {
  const texts = Object.entries(amounts).map(([asset, amount]) =>
    asset === STX ? `${numberText(Number(amount) / 1e6, 6)} STX` : `${amount} base units of ${asset}`,
  );
  return [
    tx_id,
    time === undefined ? "unknown" : relativeTime(time, now),
    texts.map((text) => html`<small>${text}</small>`),
  ];
}

function targetName({ principal, name, group, collector }: Target, on: string): Html {
  const details = [...new Set([principal, group, `${on}${collector}`])].filter(
    (text) => text && text !== name && principal,
  );
  const shown = principal === undefined ? collector : html`<a href="?principal=${principal}">${name}</a>`;
  return html`${shown}${details.map((text) => html`<small>${text}</small>`)}`;
}

/** State, last success and error of a collector or a target. */
function cells(row: Collector | Target, expired: number, now: number): readonly Piece[] {
  const { state, last_success_at, failing_since, last_error } = row;
  return [
    html`<span class="state nowrap ${state}">${STATES[state]} ${state}</span>`,
    html`${last_success_at === undefined ? "none yet" : relativeTime(last_success_at, now)}${
      expired > 0 && html` <span class="fails nowrap">✕ expired</span>`
    }`,
    failing_since && last_error
      ? html`<span class="fails">${last_error.reason}: ${last_error.message}</span><small>began ${relativeTime(failing_since, now)}</small>`
      : "none",
  ];
}

function networkSection({ name, upstreams, budget, collectors, first_polls_end_at }: Network, now: number): Html {
  const unread = sum(collectors.map(({ targets }) => targets.waiting));
  return html`<h2>Network ${name}</h2>
<ul>
${upstreams.map(({ name, url, active, up, lag_blocks, cause }) => {
  const state = up === undefined ? "not contacted" : up ? "up" : "down";
  return html`<li>Upstream ${name}: ${url},
<span class="${up === false && "fails"}">${state}</span>${active && ", polled"}${
    lag_blocks !== undefined && `, ${lag_blocks} blocks behind`
  }${cause && html`; ${cause.reason}: ${cause.message}, began ${relativeTime(cause.since, now)}`}</li>\n`;
})}
${
  unread > 0 &&
  html`<li>${numberText(unread)} targets have not been polled yet; planned to end ${relativeTime(first_polls_end_at, now)}</li>\n`
}<li>Requests of the last minute: ${useText(budget.minute)}</li>
<li>Requests since the start, for 31 days: ${useText(budget.month)}</li>
</ul>`;
}

function useText({ planned, limit, used = 0, available = 0 }: Network["budget"]["minute"]): Html {
  if (limit === undefined) return html`no limit; ${numberText(planned)} planned`;
  return html`${numberText(used)} of ${numberText(limit)}; ${numberText(available)} available,
<span class="${planned > limit && "fails"}">${numberText(planned)} planned</span>`;
}
