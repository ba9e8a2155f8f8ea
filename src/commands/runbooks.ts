// The runbooks as HTML, for the server: a page per subject, and an index of all alerts.
import { subjects } from "../../alerts/index.ts";
import type { Subject } from "../../alerts/model.ts";
import { anchorOf, type Block, runbookPage } from "../../alerts/runbook-page.ts";
import { type Html, html, type Piece, pageOf } from "../http/html.ts";

/** The page of a subject, or with "" the index; undefined for an unknown subject. */
export function runbookHtml(name: string): string | undefined {
  if (name === "") return pageOf("Runbooks", indexBody());
  const subject = subjects.find((one) => one.name === name);
  if (subject === undefined) return undefined;
  const { title, introduction, sections } = runbookPage(subject);
  return pageOf(
    title,
    html`<p>${withCode(introduction)}</p>
<ul>
${links(subject, "")}</ul>
${sections.map(
  ({ alert, blocks }) => html`<section class="prose">
<h2 id="${anchorOf({ alert })}">${alert}</h2>
${blocks.map(htmlOf)}</section>
`,
)}`,
  );
}

function indexBody(): Html {
  return html`${subjects.map(
    (subject) => html`<h2>${subject.title}</h2>
<ul>
${links(subject, subject.name)}</ul>
`,
  )}`;
}

const links = ({ alerts }: Subject, page: string): Html[] =>
  alerts.map((alert) => html`<li><a href="${page}#${anchorOf(alert)}">${alert.alert}</a></li>\n`);

function htmlOf(block: Block): Html {
  if ("text" in block) return html`<p>${withCode(block.text)}</p>\n`;
  if ("query" in block) return html`<pre><code>${block.query}</code></pre>\n`;
  return html`<ol>\n${block.steps.map((step) => html`<li>${withCode(step)}</li>\n`)}</ol>\n`;
}

/** Code is between backticks. */
const withCode = (text: string): Piece[] =>
  text.split("`").map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`));
