// The frame and the style of every HTML page. Links are relative: a proxy may add a prefix to the path.
import { createHash } from "node:crypto";
import { Html, html } from "./html.ts";

// Colours of the browser for light and dark mode. On a narrow screen, rows of tables are cards.
const STYLE = `
:root { color-scheme: light dark; background: Canvas; --line: 1px solid light-dark(#d0d7de, #363d46); }
* { box-sizing: border-box; }
body { font: 1rem/1.45 system-ui, sans-serif; max-width: 84rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin: 0; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
p { margin: .4rem 0; }
nav { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; }
small { display: block; font-weight: normal; }
.nowrap { white-space: nowrap; }
.ok, .active { color: light-dark(#116329, #56d364); }
.degraded, .paused { color: light-dark(#7d4e00, #e3b341); }
.down, .retired, .fails { color: light-dark(#a40e26, #ff8f87); }
.health { font-size: 1.35rem; font-weight: bold; }
.problems { list-style: none; padding: 0; }
.problems li, pre { border: var(--line); padding: .5rem .9rem; margin: .4rem 0; overflow-x: auto; }
.problems li { border-left: .4rem solid light-dark(#a40e26, #ff8f87); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: var(--line); }
th:first-child, th:last-child { width: 33%; }
.prose { max-width: 60rem; }
@media (max-width: 62rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, tbody th, td { display: block; width: 100% !important; }
  tr { border: var(--line); padding: .5rem .8rem; margin: .6rem 0; }
  tbody th, td { border: 0; padding: .15rem 0; }
  td::before { content: attr(data-label) ": "; }
}
`;

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
