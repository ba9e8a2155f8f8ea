// The frame and the style of every HTML page. Links are relative: a proxy may add a prefix to the path.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Html, html } from "./html.ts";

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
