// How the status page looks: a table each for who has room, cards for a phone, by day and by night.
import { createHash } from "node:crypto";
import { Html } from "./html.ts";

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --page: #fff; --card: #f6f8fa; --line: #d0d7de;
  --link: #0550ae; --good: #116329; --wait: #0550ae; --warn: #7d4e00; --bad: #a40e26; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9da7b3; --page: #0d1117; --card: #161b22;
  --line: #363d46; --link: #79c0ff; --good: #56d364; --wait: #79c0ff; --warn: #e3b341; --bad: #ff8f87; } }
* { box-sizing: border-box; }
body { font: 1rem/1.45 system-ui, sans-serif; color: var(--text); background: var(--page);
  max-width: 84rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.3rem; margin: 0; } h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 1rem 0 .3rem; }
p { margin: .4rem 0; } a { color: var(--link); } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav a { display: inline-block; padding: .3rem .9rem .3rem 0; }
small, .soft { color: var(--soft); font-size: .875rem; font-weight: normal; }
.nowrap { white-space: nowrap; overflow-wrap: normal; }
.verdict { border-left: .4rem solid; padding: .6rem .9rem; margin: .8rem 0; background: var(--card); font-size: 1.1rem; }
.verdict strong { font-size: 1.35rem; }
.ok, .active { color: var(--good); } .starting, .waiting { color: var(--wait); }
.degraded, .paused { color: var(--warn); } .down, .retired, .fails { color: var(--bad); }
.verdict span, .state { font-weight: bold; } .verdict > .plain { color: var(--text); font-weight: normal; }
ul.wrong { list-style: none; padding: 0; margin: 0; } .wrong .soft { display: block; } .wrong li { border-left: .4rem solid var(--bad); padding: .4rem .9rem; margin: .4rem 0; background: var(--card); }
table { border-collapse: collapse; width: 100%; } th, .error { overflow-wrap: anywhere; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
thead th { font-size: .875rem; color: var(--soft); white-space: nowrap; } tbody th small { display: block; }
.collectors th { width: 20%; } .collectors th:nth-child(3), .collectors th:nth-child(4) { width: 12%; } .collectors th:nth-child(5) { width: 36%; }
.targets th:first-child { min-width: 24rem; } table.budget { width: auto; } .budget td { padding-right: 1.6rem; }
meter { width: 7rem; vertical-align: middle; } td > div + div { margin-top: .15rem; }
form { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; margin: .6rem 0; }
label { display: grid; font-size: .875rem; color: var(--soft); } label.wide { flex: 1 1 14rem; }
input, select, button { font: inherit; color: inherit; padding: .4rem .6rem; border: 1px solid var(--soft); border-radius: .3rem; background: var(--page); min-height: 2.5rem; }
label input, label select { color: var(--text); width: 100%; } button { color: var(--page); background: var(--link); border-color: var(--link); }
.pages { display: flex; align-items: baseline; gap: 1.2rem; margin: .8rem 0; }
@media (max-width: 62rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, th, td, table.budget { display: block; width: 100%; } .targets th:first-child { min-width: 0; }
  .collectors tbody th { width: 100%; }
  tbody tr { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .8rem; margin: .6rem 0; }
  tbody th, td { border: 0; padding: .15rem 0; } tbody th { font-size: 1.05rem; }
  td { display: grid; grid-template-columns: 6.5rem 1fr; gap: .6rem; }
  td::before { content: attr(data-label); color: var(--soft); font-size: .875rem; }
  label { flex: 1 1 9rem; } button { flex: 1 1 100%; }
}
`;

/** The style, as an element of the page. */
export const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** What a browser may do with the page: show this style and send its form back here. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");
