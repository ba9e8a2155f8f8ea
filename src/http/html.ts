// Building blocks of pages: HTML that is always escaped, tables, numbers and times (UTC, as in the logs), and the frame
// and the style of every page. Links are relative: a proxy may add a prefix to the path.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

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
export function table(columns: readonly string[], rows: readonly (readonly Piece[])[]): Html {
  const row = ([header, ...cells]: readonly Piece[]) =>
    html`<tr><th scope="row">${header}</th>${cells.map(
      (cell, index) => html`<td data-label="${columns[index + 1]}">${cell}</td>`,
    )}</tr>\n`;
  return html`<table>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows.map(row)}</tbody>
</table>
`;
}

/** `12,345.6`. */
export const numberText = (value: number, digits = 1): string =>
  value.toLocaleString("en-GB", { maximumFractionDigits: digits });

/** A duration in its largest unit: `3.2 d`, `12.1 min`, `5 s`. */
export function durationText(seconds: number): string {
  const units = [
    ["d", 86_400],
    ["h", 3_600],
    ["min", 60],
  ] as const;
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ["s", 1];
  return `${numberText(Math.floor((seconds / size) * 10) / 10)} ${unit}`;
}

/** `19 min ago` or `in 19 min`. Unix times in milliseconds. */
export function relativeTime(at: number, now: number): Html {
  const time = new Date(at).toISOString();
  const text = durationText(Math.abs(at - now) / 1000);
  return html`<time class="nowrap" title="${time}">${at > now ? `in ${text}` : `${text} ago`}</time>`;
}

const STYLE = readFileSync(new URL("style.css", import.meta.url), "utf8");

/** Content security policy of all pages: this style, and the form of the status page. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const NAVIGATION = html`<nav aria-label="Pages"><a href="../">Status</a><a href="./">Runbooks</a></nav>`;

/** A page with a title. Below its heading is a header, by default links of the pages one folder below the status. */
export function pageOf(title: string, body: Html, heading = title, header = NAVIGATION): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · stacks-exporter</title>
${new Html(`<style>${STYLE}</style>`)}
</head>
<body>
<header>
<h1>${heading}</h1>
${header}
</header>
<main>
${body}
</main>
</body>
</html>
`.text;
}
