// The page at /: where a person who typed the address finds the way on. Works without scripts.

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** HTML of the landing page. */
export function landingPage(
  version: string,
  networks: readonly { readonly name: string; readonly url: string }[],
): string {
  const rows = networks.map(({ name, url }) => `<li><b>${escapeHtml(name)}</b> at ${escapeHtml(url)}</li>`).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>stacks-exporter</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}</style>
</head>
<body>
<h1>stacks-exporter</h1>
<p>Prometheus exporter for the Stacks blockchain API, version ${escapeHtml(version)}.</p>
<ul>
<li><a href="metrics">Metrics</a></li>
<li><a href="-/healthy">Healthy</a></li>
<li><a href="-/ready">Ready</a></li>
</ul>
<h2>Networks</h2>
<ul>
${rows}
</ul>
</body>
</html>
`;
}
