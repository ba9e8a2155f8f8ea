// The document at /api/v1/status and its query, and the page at / that shows it without scripts: a box for each cause
// of a problem, then collectors, targets that need attention, and networks. Times are Unix time in milliseconds until
// they are written as text, in which undefined fields are absent.
import { z } from "zod";
import { sum } from "../api/budget.ts";
import { STX, type Task } from "../collectors/collector.ts";
import { errorsOf, formatErrors } from "../config/errors.ts";
import { NO_DOCUMENT } from "../config/files.ts";
import { treeOf } from "../config/schema.ts";
import { healthOf, problemsOf } from "../telemetry/health.ts";
import {
  needsAttention,
  networkStatuses,
  type ReloadReports,
  type StatusSources,
  TARGET_STATES,
  type TargetStatus,
} from "../telemetry/status.ts";
import { durationText, type Html, html, numberText, type Piece, pageOf, relativeTime, table } from "./html.ts";

const text = z.string().optional();
const selection = z.strictObject({
  network: text,
  collector: text,
  state: z.enum(TARGET_STATES).optional(),
  principal: text,
  name: text,
  group: text,
  limit: z.coerce.number().int().min(1).max(100_000).default(100),
});

/** Which targets are listed: those with these values, and how many of them. docs/status.md describes it. */
export type Selection = z.output<typeof selection>;

/** Parses a query such as `collector=addresses&state=degraded`. @throws URIError that says what was expected */
export function parseQuery(root: object): Selection {
  const { data, error } = selection.safeParse(root);
  if (data !== undefined) return data;
  throw new URIError(formatErrors(errorsOf(error.issues, { ...NO_DOCUMENT, tree: treeOf(selection), root })));
}

/** The document; docs/status.md describes it. */
export type Status = ReturnType<typeof statusOf>;

/** The document of a version that started at a Unix time in milliseconds, with the selected targets. */
export function statusOf(
  sources: StatusSources & { readonly version: string; readonly startedAt: number; readonly reloads: ReloadReports },
  { limit, ...wanted }: Selection,
) {
  const { version, startedAt, reloads } = sources;
  const networks = networkStatuses(sources);
  const problems = problemsOf(networks, reloads);
  // Reading them takes longer than the others.
  const isNamed = wanted.principal !== undefined || wanted.name !== undefined;
  const filters = Object.entries(wanted) as [keyof typeof wanted, string | undefined][];
  const selected = networks
    .flatMap(({ targets }) => targets)
    .filter((target) => filters.every(([name, value]) => value === undefined || target[name] === value))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a.last_success_at ?? 0) - (b.last_success_at ?? 0));
  return {
    status: healthOf(networks, problems),
    version,
    time: sources.now,
    started_at: startedAt,
    problems,
    networks: networks.map(({ name, url, upstreams, budget, first_polls_end_at, collectors }) => {
      return { name, url, upstreams, budget, first_polls_end_at, collectors };
    }),
    targets: {
      matched: selected.length,
      items: selected.slice(0, limit).map((target) => ({
        ...target,
        counted: isNamed ? countedOf(target, sources) : undefined,
      })),
    },
  };
}

/** The last counted transactions of a target, newest first; undefined if its collector keeps none. */
function countedOf({ network, collector, principal }: TargetStatus, { tasks, state }: StatusSources) {
  const isIt = ({ target, ...task }: Task) =>
    task.network === network && task.collector.name === collector && target.key === principal;
  const task = tasks.find(isIt);
  const observation = task && state.observationOf(task);
  const rows = observation === undefined ? undefined : task?.collector.lastCounted?.(observation);
  return rows?.toReversed().map(({ id, time, amounts }) => ({
    tx_id: id,
    time: time && time * 1000,
    // Exact: amounts of tokens have up to 128 bits.
    amounts: Object.fromEntries(Object.entries(amounts).map(([asset, amount]) => [asset, String(amount)])),
  }));
}

// Those that need attention, then the oldest data, then those that wait.
const rankOf = (target: TargetStatus): number => (needsAttention(target) ? 0 : target.state === "waiting" ? 2 : 1);

/** How many targets of a network have not been polled yet, and until when; undefined if there is none. */
export function unpolledOf({ collectors, first_polls_end_at: end }: Status["networks"][number]): string | undefined {
  const unpolled = sum(collectors.map(({ targets }) => targets.waiting));
  if (unpolled === 0) return undefined;
  return `${unpolled} targets have not been polled yet; planned until ${new Date(end).toISOString()}`;
}

/** A document with every secret masked. */
export const masked = <Document>(document: Document, mask: (text: string) => string): Document =>
  JSON.parse(
    JSON.stringify(document, (_, value: unknown) => (typeof value === "string" ? mask(value) : value)),
  ) as Document;

/** The document as JSON, with times in RFC 3339. */
export const jsonOf = (status: Status): string =>
  JSON.stringify(status, (name, value: unknown) =>
    typeof value === "number" && /^(time|since|at)$|_(at|since)$/.test(name) ? new Date(value).toISOString() : value,
  );

type Network = Status["networks"][number];
type Collector = Network["collectors"][number];
type Target = Status["targets"]["items"][number];

const HEALTH = { ok: "✓ OK", starting: "… Starting", degraded: "! Degraded", down: "✕ Down" };
const STATES = { retired: "✕", paused: "‖", degraded: "!", unsupported: "–", waiting: "…", active: "✓" };
const COLUMNS = ["State", "Last success", "Error"];

/**
 * The page for a document.
 * @param isSelected whether its targets are selected: all of them are listed, with their last counted transactions
 */
export function statusPage(document: Status, isSelected = false): string {
  const { status, version, time: now, started_at, networks } = document;
  const header = html`<p class="health ${status}" role="status">${HEALTH[status]}</p>
<p>Version ${version}, started ${relativeTime(started_at, now)}. As of ${new Date(now).toISOString().slice(0, 19).replace("T", " ")} UTC.</p>
<nav><a href="metrics">Metrics</a><a href="api/v1/status">Status as JSON</a><a href="runbooks/">Runbooks</a></nav>
<form><label>Name of a target <input name="name" required></label> <button>Show</button></form>`;
  const boxes = document.problems.map(
    ({ subject, message, since }) => html`<li><strong>${subject}</strong>: ${message}${began(since, now)}</li>\n`,
  );
  const on = (network: string) => networks.length > 1 && `${network} / `;
  const collectors = networks.flatMap(({ name, collectors }) =>
    collectors.map((one) => [collectorName(one, on(name)), ...cells(one, one.targets.expired > 0, now)]),
  );
  const targets = document.targets.items
    .filter((target) => isSelected || (target.principal && needsAttention(target)))
    .map((target) => [targetName(target, on(target.network)), ...cells(target, target.expired, now)]);
  const ofTargets = html`<p>At most 100 are listed; <a href="api/v1/status?limit=100000">all targets are in the JSON</a>.</p>
${table(["Target", ...COLUMNS], targets)}`;
  const sections = isSelected
    ? [section("Targets", ofTargets), section("Last counted transactions", countedRows(document))]
    : [
        boxes.length > 0 && section("Problems", html`<ul class="problems">\n${boxes}</ul>`),
        section("Collectors", table(["Collector", ...COLUMNS], collectors)),
        targets.length > 0 && section("Targets that need attention", ofTargets),
        networks.map((network) => section(`Network ${network.name}`, networkList(network, now))),
      ];
  return pageOf(HEALTH[status].slice(2), html`${sections}`, "stacks-exporter", header);
}

const section = (title: string, content: Html): Html => html`<h2>${title}</h2>\n${content}\n`;

const began = (since: number | undefined, now: number): Piece =>
  since && html`<small>began ${relativeTime(since, now)}</small>`;

function collectorName({ name, interval_seconds, stretch_ratio, targets }: Collector, on: Piece): Html {
  const slowed = stretch_ratio > 1.001 && `, ${numberText(stretch_ratio)} times slower than configured: the budget`;
  const states = Object.keys(STATES) as (keyof typeof STATES)[];
  const counts = states.filter((state) => targets[state] > 0).map((state) => `${numberText(targets[state])} ${state}`);
  return html`${on}${name}<small>every ${durationText(interval_seconds)}${slowed}</small>
${targets.total > 1 && html`<small>${counts.join(", ")}</small>`}`;
}

function targetName({ principal, name, group, collector }: Target, on: Piece): Html {
  if (principal === undefined) return html`${on}${collector}`;
  const details = [name === principal ? undefined : principal, group, html`${on}${collector}`];
  return html`<a href="?principal=${principal}">${name}</a>${details.map((one) => one && html`<small>${one}</small>`)}`;
}

/** State, last success and error of a collector or a target. */
function cells(row: Collector | Target, isExpired: boolean, now: number): readonly Piece[] {
  const { state, last_success_at: at, failing_since, last_error } = row;
  return [
    html`<span class="state nowrap ${state}">${STATES[state]} ${state}</span>`,
    html`${at === undefined ? "none yet" : relativeTime(at, now)}${isExpired && html` <span class="fails nowrap">✕ expired</span>`}`,
    last_error
      ? html`<span class="fails">${last_error.reason}: ${last_error.message}</span>${began(failing_since, now)}`
      : "none",
  ];
}

/** What the listed targets received less what they sent, of each asset. */
function countedRows({ targets, time: now }: Status): Html {
  const rows = targets.items.flatMap(({ counted = [] }) => counted);
  if (rows.length === 0) return html`<p>No transaction of an address with this name was counted.</p>`;
  const cellsOf = ({ tx_id, time, amounts }: (typeof rows)[number]) => [
    tx_id,
    time === undefined ? "unknown" : relativeTime(time, now),
    Object.entries(amounts).map(([asset, amount]) =>
      asset === STX
        ? html`<small>${numberText(Number(amount) / 1e6, 6)} STX</small>`
        : html`<small>${amount} base units of ${asset}</small>`,
    ),
  ];
  return table(["Transaction", "Time", "Amount"], rows.map(cellsOf));
}

function networkList(network: Network, now: number): Html {
  const { upstreams, budget } = network;
  const unpolled = unpolledOf(network);
  return html`<ul>
${upstreams.map(({ name, url, active, up, lag_blocks, cause }) => {
  const state = up === undefined ? "not contacted" : up ? "up" : "down";
  const lag = lag_blocks !== undefined && `, ${lag_blocks} blocks behind`;
  return html`<li>Upstream ${name}: ${url}, <span class="${up === false && "fails"}">${state}</span>${active && ", polled"}${lag}
${cause && html`<span class="fails">${cause.reason}: ${cause.message}</span>`}${began(cause?.since, now)}</li>\n`;
})}${unpolled && html`<li>${unpolled}</li>\n`}<li>Requests of the last minute: ${useText(budget.minute)}</li>
<li>Requests since the start, for 31 days: ${useText(budget.month)}</li>
</ul>`;
}

function useText({ planned, limit, used = 0, available = 0 }: Network["budget"]["minute"]): Html {
  if (limit === undefined) return html`no limit; ${numberText(planned)} planned`;
  return html`${numberText(used)} of ${numberText(limit)}; ${numberText(available)} available,
<span class="${planned > limit && "fails"}">${numberText(planned)} planned</span>`;
}
