// Building blocks of the status page: HTML that is always escaped, tables, numbers and times (UTC, as in the logs).

/** A piece of HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template; undefined and false render as nothing. */
export type Piece = Html | string | number | undefined | false | readonly Piece[];

/** Template tag that escapes every value except `Html`. Attribute values need quotes. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.reduce((text, string, index) => `${text}${render(pieces[index - 1])}${string}`));
}

function render(piece: Piece): string {
  if (piece === undefined || piece === false) return "";
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "object") return piece.map(render).join("");
  return String(piece).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A table whose first column has the row headers. On a narrow screen rows are cards, and cells show their column. */
export function table(name: string, columns: readonly string[], rows: readonly (readonly Piece[])[]): Html {
  const row = ([header, ...cells]: readonly Piece[]) =>
    html`<tr><th scope="row">${header}</th>${cells.map(
      (cell, index) => html`<td data-label="${columns[index + 1]}"><div>${cell}</div></td>`,
    )}</tr>\n`;
  return html`<table class="${name}">
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows.map(row)}</tbody>
</table>
`;
}

const NUMBER = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 });

/** `12,345.6`. */
export const numberText = (value: number): string => NUMBER.format(value);

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** A duration in its two largest units: `3 d 4 h`, `12 min 5 s`, `0 s`. */
export function durationText(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds));
  const first = UNITS.findIndex(([, size]) => whole >= size);
  const [large = "s", size = 1] = UNITS[first] ?? [];
  const [small, part = 1] = UNITS[first + 1] ?? [];
  const rest = Math.floor((whole % size) / part);
  return `${Math.floor(whole / size)} ${large}${small === undefined || rest === 0 ? "" : ` ${rest} ${small}`}`;
}

const secondsBetween = (start: string, end: string) => (Date.parse(end) - Date.parse(start)) / 1000;

const timeElement = (time: string, text: string): Html => html`<time datetime="${time}" title="${time}">${text}</time>`;

/** `12:04:31 UTC`, with the date unless it is that of `now`. */
export function clockTime(time: string, now: string): Html {
  const [day = "", clock = ""] = time.split("T");
  return timeElement(time, `${now.startsWith(day) ? "" : `${day} `}${clock.slice(0, 8)} UTC`);
}

/** `12:04:31 UTC (19 min)`. */
export const sinceText = (time: string, now: string): Html =>
  html`${clockTime(time, now)} (${durationText(secondsBetween(time, now))})`;

/** `12:04:31 UTC (in 19 min)`. */
export const untilText = (time: string, now: string): Html =>
  html`${clockTime(time, now)} (in ${durationText(secondsBetween(now, time))})`;

/** `19 min ago`. */
export const agoText = (time: string, now: string): Html =>
  timeElement(time, `${durationText(secondsBetween(time, now))} ago`);

// Polls may start a little late.
const TOLERANCE_SECONDS = 5;

/** `in 19 min`, `now`, or `due 19 min ago`. */
export function dueText(time: string, now: string): Html {
  const seconds = secondsBetween(now, time);
  if (seconds >= 1) return timeElement(time, `in ${durationText(seconds)}`);
  return timeElement(time, seconds > -TOLERANCE_SECONDS ? "now" : `due ${durationText(-seconds)} ago`);
}
