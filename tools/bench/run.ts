// npm run bench: measures, prints the results, and writes docs/benchmarks.md, in about half an hour. `-- quick`
// measures small numbers, to check that the bench works, and writes nothing. Needs wrk (Debian: apt-get install wrk)
// and an idle machine.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { type Addresses, measureAddresses } from "./addresses.ts";
import { measureCommits } from "./commits.ts";
import { type Compared, measureScrapes } from "./load.ts";
import { environment, figure, table } from "./table.ts";

const isQuick = process.argv[2] === "quick";
const say = (text: string) => process.stderr.write(`${text}\n`);
const both = ({ ours, other }: Compared) => [figure(ours), figure(other), `${figure(ours / other)}×`];

execFileSync(process.execPath, [new URL("../build.ts", import.meta.url).pathname], { stdio: "inherit" });
say("commits");
const commits = await measureCommits(isQuick ? 100 : 2000);
const lists: Addresses[] = [];
for (const targets of isQuick ? [1, 100] : [1, 10_000]) {
  say(`${targets} addresses`);
  lists.push(await measureAddresses(targets, isQuick ? 10 : targets === 1 ? 60 : 600));
}
const scrapes = [];
for (const series of isQuick ? [300] : [30_000, 100_000]) {
  say(`scrapes of ${series} series`);
  scrapes.push(await measureScrapes(series));
}

const row = (what: string, of: (list: Addresses) => string) => [what, ...lists.map(of)];
const page = `<!-- Written by "npm run bench". Do not edit. -->

# Benchmarks

${environment()}, prom-client 15.1.3,
express 5. The two sides of a ratio ran one after the other, so ratios are more reliable than single figures. Those of
scrapes are the medians of three pairs.

## Scrapes without changes

Requests per second with 4 clients (\`wrk\`) and the classic text format. "Bare" is node:http sending the same bytes;
gzip is compared with a buffer compressed beforehand.

${table(
  ["Series", "Requests/s", "Bare", "Ratio", "gzip requests/s", "Bare gzip", "Ratio"],
  scrapes.map(({ series, still, gzip }) => [figure(series), ...both(still), ...both(gzip)]),
)}

## Scrapes after a change of every target

Requests per second with 1 client, so that scrapes are sequential. Both sides receive and render the new values.

${table(
  ["Series", "Classic", "prom-client", "Ratio", "OpenMetrics", "prom-client", "Ratio"],
  scrapes.map(({ series, classic, openMetrics }) => [figure(series), ...both(classic), ...both(openMetrics)]),
)}

## Quiet addresses

The built program, started as in the image, with a state file. The API and the scraper are separate processes. Each
address has one transaction and a balance. Both are polled once in a round. The second round is measured, with a scrape
every 15 seconds; it reads the tokens once more, and later ones take two requests. The start is measured from the start
of the process, with the saved state, to a page with all counters.

${table(
  ["Addresses", ...lists.map(({ targets }) => figure(targets))],
  [
    row("Series", ({ series }) => figure(series)),
    row("Memory (RSS)", ({ rssMb }) => `${figure(rssMb)} MB`),
    row("… at most", ({ peakMb }) => `${figure(peakMb)} MB`),
    row("Requests per address and round", ({ requestsPerAddress }) => figure(requestsPerAddress)),
    row("… of which 304", ({ notModified }) => `${figure(notModified * 100)} %`),
    row("CPU", ({ cpuRatio }) => `${figure(cpuRatio * 100)} % of a core`),
    row("Start with the saved state", ({ restartMs }) => `${figure(restartMs)} ms`),
  ],
)}

## Commits

A poll that counts is one commit with fsync (\`synchronous = FULL\`). "Bare" is SQLite replacing a row of the same size.
Medians.

${table(
  ["What", "Figure"],
  [
    ["Commits", figure(commits.count)],
    ["Bytes of a row", figure(commits.bytes)],
    ["Commit of a poll", `${figure(commits.savedMs)} ms`],
    ["… bare", `${figure(commits.bareMs)} ms`],
    ["… ratio", `${figure(commits.savedMs / commits.bareMs)}×`],
  ],
)}
`;
if (!isQuick) writeFileSync(new URL("../../docs/benchmarks.md", import.meta.url), page);
console.log(page);
