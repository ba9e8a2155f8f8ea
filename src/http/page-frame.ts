// The frame and the style of every HTML page. Links are relative: a proxy may add a prefix to the path.
import { createHash } from "node:crypto";
import { Html, html } from "./html.ts";

// For light and dark mode. On a narrow screen, rows of tables are cards.
const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b1f24, #e6edf3); --soft: light-dark(#57606a, #9da7b3);
  --page: light-dark(#fff, #0d1117); --card: light-dark(#f6f8fa, #161b22); --line: light-dark(#d0d7de, #363d46);
  --link: light-dark(#0550ae, #79c0ff); --good: light-dark(#116329, #56d364); --warn: light-dark(#7d4e00, #e3b341);
  --bad: light-dark(#a40e26, #ff8f87); }
* { box-sizing: border-box; }
body { font: 1rem/1.45 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 84rem;
  margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin: 0; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
p { margin: .4rem 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; margin: .6rem 0; }
small, .soft { color: var(--soft); font-size: .875rem; font-weight: normal; }
.nowrap { white-space: nowrap; }
.state { font-weight: bold; }
.ok, .active { color: var(--good); }
.starting, .waiting { color: var(--link); }
.degraded, .paused { color: var(--warn); }
.down, .retired, .fails { color: var(--bad); }
.health, .problems li { border-left: .4rem solid; border-radius: .2rem; padding: .5rem .9rem; background: var(--card); }
.health strong { font-size: 1.35rem; }
.health > span { color: var(--text); }
.problems { list-style: none; padding: 0; margin: 0; }
.problems li { border-color: var(--bad); margin: .4rem 0; }
.problems small { display: block; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
thead th { font-size: .875rem; color: var(--soft); white-space: nowrap; }
tbody th small { display: block; }
th:first-child { width: 33%; }
th:last-child { width: 34%; }
pre { background: var(--card); border: 1px solid var(--line); padding: .6rem .8rem; overflow-x: auto; }
.prose { max-width: 60rem; }
@media (max-width: 62rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, tbody th, td { display: block; width: 100% !important; }
  tbody tr { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .8rem;
    margin: .6rem 0; }
  tbody th, td { border: 0; padding: .15rem 0; }
  td { display: grid; grid-template-columns: 6.5rem 1fr; gap: .6rem; }
  td::before { content: attr(data-label); color: var(--soft); font-size: .875rem; }
}
`;

/** Content security policy of all pages: this style only. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'none'",
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
