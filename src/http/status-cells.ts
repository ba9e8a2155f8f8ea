// Cells that collectors and targets have in common. On a phone a row is a card, and each cell says its column itself.
import type { TargetState } from "../telemetry/status.ts";
import { type Html, html, type Piece } from "./html.ts";
import type { StatusAnswer } from "./status-shape.ts";
import { agoText, nextText, sinceText, spanText } from "./status-words.ts";

type Row = Pick<
  StatusAnswer["targets"]["items"][number],
  "age_seconds" | "next_poll_at" | "failing_since" | "last_error"
> & { readonly failures_in_a_row?: number };

/** A cell with the name of its column. */
export const cell = (column: string, content: Piece): Html => html`<td data-label="${column}">${content}</td>`;

const MARKS: Readonly<Record<TargetState, string>> = {
  active: "✓",
  degraded: "!",
  paused: "‖",
  retired: "✕",
  waiting: "…",
};

/** A state by sign, word and colour. */
export const stateMark = (state: TargetState): Html =>
  html`<span class="state nowrap ${state}"><span aria-hidden="true">${MARKS[state]}</span> ${state}</span>`;

/** How old the data is. */
export const ageCell = ({ age_seconds }: Row, note: string, isExpired: boolean): Html =>
  cell(
    "Age of data",
    html`<div>${age_seconds === undefined ? "none yet" : html`<span class="nowrap">${spanText(age_seconds)}</span>`}${note !== "" && html` <small>${note}</small>`}${isExpired && html` <span class="fails nowrap">✕ expired</span>`}</div>`,
  );

/** When the next poll is due. */
export const nextCell = ({ next_poll_at }: Row, time: string): Html =>
  cell(
    "Next poll",
    next_poll_at === undefined ? "—" : html`<span class="nowrap">${nextText(next_poll_at, time)}</span>`,
  );

/** What went wrong last, and whether that is over. */
export function errorCell({ last_error, failing_since, failures_in_a_row = 0 }: Row, time: string): Html {
  if (last_error === undefined) return cell("Last error", html`<span class="soft">none</span>`);
  const { reason, message, at } = last_error;
  if (failing_since === undefined) {
    return cell(
      "Last error",
      html`<span class="soft error">recovered; ${agoText(at, time)}: ${reason}: ${message}</span>`,
    );
  }
  const often = failures_in_a_row > 1 && `, ${failures_in_a_row} polls in a row`;
  return cell(
    "Last error",
    html`<div class="error"><span class="fails"><strong>${reason}</strong>: ${message}</span><div class="soft">since ${sinceText(failing_since, time)}${often}</div></div>`,
  );
}
