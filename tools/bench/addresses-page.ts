// docs/benchmarks-addresses.md: the benchmark of a large watch list. `npm run bench -- addresses` runs only this;
// `-- addresses quick` prints a shorter run and writes nothing; `-- addresses quick memory` runs without a state file.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { measureCatchUp, measureWatchList } from "./addresses.ts";
import { measureCommits } from "./commits.ts";
import { load } from "./load.ts";
import { environment, figure, table } from "./table.ts";

const TARGETS = 10_000;

/** Measures, prints, and writes the page unless `isQuick`. */
export async function writeAddressesPage(isQuick: boolean, state = "file"): Promise<void> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  execFileSync(process.execPath, [new URL("../build.ts", import.meta.url).pathname], { stdio: "inherit" });
  say("commits");
  const commits = await measureCommits(TARGETS, 2000);
  say("catching up");
  const catchUp = await measureCatchUp();
  say(`watch list of ${TARGETS}`);
  const list = await measureWatchList(TARGETS, isQuick ? 60 : 600, state);
  say("scrapes");
  const [still, bare] = [await load("ours", list.series), await load("bare", list.series)];
  const page = `<!-- Written by "npm run bench". Do not edit. -->

# Benchmarks of a large watch list

${environment()}.
The built program, started as in the image, with a state file. The API and the scraper are separate processes.

## ${figure(list.targets)} inactive addresses

Each has one transaction and a balance, and both are polled once in ${figure(Math.round(list.seconds))} s, after a first
round. The second round, which is measured, reads the tokens once more: later ones take two requests. Scrapes every 15
seconds.

${table(
  ["What", "Figure"],
  [
    ["Series", figure(list.series)],
    ["Bytes of the page", figure(list.bytes)],
    ["Requests per address and round", figure(list.requestsPerAddress)],
    ["… of which 304", `${figure(list.notModified * 100)} %`],
    ["Memory at rest (RSS)", `${figure(list.rssMb)} MB`],
    ["… peak, including scrapes", `${figure(list.peakMb)} MB`],
    ["Longest pause of the event loop", `${figure(list.pause.longestMs)} ms`],
    ["… 99.9th percentile", `${figure(list.pause.p999Ms)} ms`],
    ["CPU, including scrapes", `${figure(list.cpuRatio * 100)} % of a core`],
    ["Scrapes per second without changes, 4 clients", figure(still.requestsPerSecond)],
    ["… the same bytes from bare node:http", figure(bare.requestsPerSecond)],
    ["… ratio", `${figure(still.requestsPerSecond / bare.requestsPerSecond)}×`],
    ["Scrapes per second during polls, 4 clients", figure(list.requestsPerSecond)],
    ["… the same bytes from bare node:http", figure(list.bareRequestsPerSecond)],
    ["… ratio", `${figure(list.requestsPerSecond / list.bareRequestsPerSecond)}×`],
  ],
)}

## The state file

One poll is one commit, with fsync.

${table(
  ["What", "Figure"],
  [
    ["Targets", figure(TARGETS)],
    ["Bytes of one observation (an address with about a hundred transactions)", figure(commits.bytes)],
    ["Commit of one poll, median", `${figure(commits.medianMs)} ms`],
    ["… 99th percentile", `${figure(commits.p99Ms)} ms`],
    ["Opening and reading the file at start", `${figure(commits.restoreMs)} ms`],
    ["Size of the file", `${figure(commits.fileMb)} MB`],
  ],
)}

## Catching up one address

A backfill as fast as the API responds. One transaction in five has transfers that need a request. The share is the CPU
time divided by the time of these requests at 900 per minute.

${table(
  ["What", "Figure"],
  [
    ["Transactions", figure(catchUp.transactions)],
    ["Requests", figure(catchUp.requests)],
    ["Time", `${figure(catchUp.seconds)} s`],
    ["CPU time", `${figure(catchUp.cpuSeconds)} s`],
    ["CPU at 900 requests per minute", `${figure(catchUp.cpuRatio * 100)} % of a core`],
  ],
)}
`;
  if (!isQuick) writeFileSync(new URL("../../docs/benchmarks-addresses.md", import.meta.url), page);
  console.log(page);
}
