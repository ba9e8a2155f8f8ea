// The frame of every HTML page. Links are relative: a proxy may add a prefix to the path.
import { Html, html } from "./html.ts";
import { STYLE } from "./status-style.ts";

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
