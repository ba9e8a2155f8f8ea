// The part of the status page with the targets: a form that works without scripts, one page of rows, links to the others.
import { type Selection, TARGET_STATES } from "../telemetry/status.ts";
import { type Html, html, type Piece } from "./html.ts";
import { ageCell, cell, errorCell, nextCell, stateMark } from "./status-cells.ts";
import { LIMIT, queryOf } from "./status-query.ts";
import type { StatusAnswer } from "./status-shape.ts";
import { numberText } from "./status-words.ts";

type Target = StatusAnswer["targets"]["items"][number];

/** Filter, rows and pages. */
export function targetsSection({ targets, networks, time }: StatusAnswer, selection: Selection): Html {
  const { matched, page, limit, items } = targets;
  const first = (page - 1) * limit + 1;
  const shown =
    items.length === 0
      ? `No target on this page; ${numberText(matched)} in all.`
      : `${numberText(first)} to ${numberText(first + items.length - 1)} of ${numberText(matched)}: failing ones first, then the oldest data first.`;
  return html`<section id="targets" aria-labelledby="targets-title">
<h2 id="targets-title">Targets</h2>
${filter(selection, networks)}
<p class="soft" id="shown">${shown}</p>
<table class="targets" aria-describedby="shown">
<thead><tr><th scope="col">Target</th><th scope="col">Collector</th><th scope="col">State</th><th scope="col">Age of data</th><th scope="col">Next poll</th><th scope="col">Last error</th></tr></thead>
<tbody>
${items.map((target) => targetRow(target, networks.length > 1, time))}</tbody>
</table>
${pages(targets, selection)}
</section>`;
}

function targetRow(target: Target, hasNetworks: boolean, time: string): Html {
  const { network, collector, principal, name, group, state, expired } = target;
  const about = [
    ...(group === undefined ? [] : [group]),
    ...(principal === undefined || principal === name ? [] : [principal]),
  ];
  const title = html`${name ?? principal ?? "the whole chain"}${about.map((text) => html`<small>${text}</small>`)}`;
  return html`<tr><th scope="row">${title}</th>${cell("Collector", hasNetworks ? `${network} / ${collector}` : collector)}${cell("State", stateMark(state))}${ageCell(target, "", expired)}${nextCell(target, time)}${errorCell(target, time)}</tr>\n`;
}

function filter(selection: Selection, networks: StatusAnswer["networks"]): Html {
  const names = networks.map(({ name }) => name);
  const collectors = [...new Set(networks.flatMap(({ collectors }) => collectors.map(({ name }) => name)))];
  const isFiltered = queryOf(selection, { page: 1, limit: LIMIT.usual }) !== "";
  return html`<form method="get" action="#targets" aria-label="Which targets">
${names.length > 1 && choice("Network", "network", names, selection.network)}
${choice("Collector", "collector", collectors, selection.collector)}
${choice("State", "state", TARGET_STATES, selection.state)}
<label class="wide">Name, group or principal<input type="search" name="q" maxlength="200" value="${selection.text}"></label>
${selection.limit !== LIMIT.usual && html`<input type="hidden" name="limit" value="${selection.limit}">`}
<button type="submit">Show</button>
${isFiltered && html`<a href="?#targets">Show all</a>`}
</form>`;
}

function choice(label: string, name: string, words: readonly string[], chosen: string | undefined): Html {
  const options = words.map((word) => html`<option${word === chosen && html` selected`}>${word}</option>`);
  return html`<label>${label}<select name="${name}"><option value="">all</option>${options}</select></label>`;
}

function pages({ page, pages }: StatusAnswer["targets"], selection: Selection): Piece {
  if (pages === 1 && page === 1) return undefined;
  const link = (to: number, text: string, rel: string) =>
    html`<a rel="${rel}" href="?${queryOf(selection, { page: to })}#targets">${text}</a>`;
  return html`<nav class="pages" aria-label="Pages">${page > 1 && link(Math.min(page - 1, pages), "← Back", "prev")}<span>Page ${numberText(page)} of ${numberText(pages)}</span>${page < pages && link(page + 1, "Next →", "next")}</nav>`;
}
