// The frame of the pages one folder below the status page. Links are relative: a proxy may add a prefix to the path.
import { Html, html } from "./html.ts";
import { STYLE } from "./status-style.ts";

/** A page with a title, and a link to the status page. */
export function pageOf(title: string, body: Html): string {
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
<h1>${title}</h1>
<nav aria-label="Pages"><a href="../">Status</a><a href="./">Runbooks</a></nav>
</header>
<main>
${body}
</main>
</body>
</html>
`.text;
}
