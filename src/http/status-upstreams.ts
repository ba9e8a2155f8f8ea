// The upstreams of a network, in the status as JSON and on the page.
import type { UpstreamReport } from "../telemetry/report.ts";
import { html, type Piece } from "./html.ts";
import { cell } from "./status-cells.ts";
import type { UpstreamAnswer } from "./status-upstream-shape.ts";
import { numberText, sinceText } from "./status-words.ts";

/** One upstream as it leaves the process. */
export function upstreamOf(report: UpstreamReport, mask: (text: string) => string): UpstreamAnswer {
  const { name, origin, isActive, isUp, tipHeight, lagBlocks, cause } = report;
  return {
    name,
    url: mask(origin),
    active: isActive,
    ...(isUp === undefined ? {} : { up: isUp }),
    ...(tipHeight === undefined ? {} : { tip_height: tipHeight }),
    ...(lagBlocks === undefined ? {} : { lag_blocks: lagBlocks }),
    ...(cause === undefined
      ? {}
      : {
          cause: {
            reason: cause.reason,
            message: mask(cause.message),
            since: new Date(cause.since).toISOString(),
          },
        }),
  };
}

/** The table of the page; nothing for a network with one upstream, which the heading names. */
export function upstreamsTable(upstreams: readonly UpstreamAnswer[], now: string): Piece {
  if (upstreams.length < 2) return undefined;
  return html`<h3>Upstreams</h3>
<table class="upstreams">
<thead><tr><th scope="col">Upstream</th><th scope="col">State</th><th scope="col">Lag</th><th scope="col">Cause</th></tr></thead>
<tbody>
${upstreams.map((upstream) => row(upstream, now))}</tbody>
</table>
`;
}

function row({ name, url, active, up, lag_blocks, cause }: UpstreamAnswer, now: string): Piece {
  const [style, word] = up === undefined ? ["waiting", "… Unknown"] : up ? ["active", "✓ Up"] : ["retired", "✕ Down"];
  const state = html`<span><span class="${style} state">${word}</span>${active && ", polled"}</span>`;
  const lag = lag_blocks === undefined ? "—" : `${numberText(lag_blocks)} ${lag_blocks === 1 ? "block" : "blocks"}`;
  const why =
    cause === undefined
      ? "—"
      : html`<span>${cause.reason}: ${cause.message} <span class="soft">since ${sinceText(cause.since, now)}</span></span>`;
  return html`<tr><th scope="row">${name}<small>${url}</small></th>${cell("State", state)}${cell("Lag", lag)}${cell("Cause", why)}</tr>\n`;
}
