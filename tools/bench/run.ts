// npm run bench: prints the results, and writes docs/benchmarks.md and docs/benchmarks-addresses.md; `-- addresses`
// writes only the latter. Needs wrk (Debian: apt-get install wrk).
import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { systemClock } from "../../src/api/clock.ts";
import { writeAddressesPage } from "./addresses-page.ts";
import { type Calm, calm } from "./load.ts";
import { measureHour, measurePoll } from "./polls.ts";
import type { measureRendering } from "./rendering.ts";
import { measureRest, measureStart } from "./rest.ts";
import { measureScrapes } from "./scrapes.ts";
import { measureSlowReaders } from "./slow-readers.ts";
import { environment, figure, median, table } from "./table.ts";

const say = (text: string) => process.stderr.write(`${text}\n`);
const hold = ({ holdsMs }: Calm) => `${figure(median(holdsMs))} ms, ${figure(holdsMs.at(-1) ?? Number.NaN)} ms`;
const ratio = (a: number, b: number) => `${figure(a / b)}×`;

const [section, mode, state] = process.argv.slice(2);
try {
  execFileSync("wrk", ["-v"], { stdio: "ignore" });
} catch (error) {
  // wrk prints its version and ends with 1.
  if ((error as { code?: string }).code === "ENOENT")
    throw new Error("wrk is not on the PATH: apt-get install wrk", { cause: error });
}
if (section === "addresses") {
  await writeAddressesPage(mode === "quick", state);
  process.exit();
}
execFileSync(process.execPath, [new URL("../build.ts", import.meta.url).pathname], { stdio: "inherit" });

say("start");
const start = await measureStart();
say("rest");
const rest = await measureRest(90);
say("poll");
const simulator = spawn(
  process.execPath,
  [new URL("../../simulator/main.ts", import.meta.url).pathname, "--exit-with-parent"],
  {
    stdio: ["pipe", "pipe", "inherit"],
  },
);
const [line] = (await once(createInterface(simulator.stdout), "line")) as [string];
const poll = await measurePoll((JSON.parse(line) as { url: string }).url, systemClock);
simulator.kill();
say("hour");
const [moving, still] = [await measureHour(false), await measureHour(true)];
say("rendering");
const renderings = [await inChild(30_000), await inChild(100_000)];
say("one scrape a second");
const [small, large] = [await calm(300, 40), await calm(100_000, 40)];
say("slow readers");
const slow = await measureSlowReaders();
const scrapes = [];
for (const series of [300, 3_000, 30_000, 100_000]) {
  say(`scrapes of ${series} series`);
  scrapes.push(await measureScrapes(series));
}

// In a separate process, so that one size leaves no garbage to the next.
async function inChild(series: number): ReturnType<typeof measureRendering> {
  const child = fork(new URL("rendering-child.ts", import.meta.url), [String(series)]);
  const [result] = (await once(child, "message")) as [Awaited<ReturnType<typeof measureRendering>>];
  return result;
}

const wrkVersion = (() => {
  try {
    return execFileSync("wrk", ["-v"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? "");
  }
})().split(" Copyright")[0];

const page = `<!-- Written by "npm run bench". Do not edit. -->

# Benchmarks

${environment()},
prom-client 15.1.3, express 5, ${wrkVersion}.
One run on a shared machine: the ratios, whose two sides ran one after the other, are more reliable than single figures.

## Scrapes without changes

Requests per second with 4 clients and the classic text format. "Bare" is node:http sending the same bytes; gzip is
compared with a buffer compressed beforehand.

${table(
  [
    "Series",
    "Bytes",
    "Requests/s",
    "p99 ms",
    "Bare",
    "Ratio",
    "gzip requests/s",
    "Bare gzip",
    "Ratio",
    "prom-client",
    "Ratio",
    "Longest hold ms",
    "RSS MB",
  ],
  scrapes.map(({ series, still: a, bare, gzip, bareGzip, promStill }) => [
    figure(series),
    figure(a.bytes),
    figure(a.requestsPerSecond),
    figure(a.p99Ms),
    figure(bare.requestsPerSecond),
    ratio(a.requestsPerSecond, bare.requestsPerSecond),
    figure(gzip.requestsPerSecond),
    figure(bareGzip.requestsPerSecond),
    ratio(gzip.requestsPerSecond, bareGzip.requestsPerSecond),
    figure(promStill.requestsPerSecond),
    ratio(a.requestsPerSecond, promStill.requestsPerSecond),
    figure(a.longestHoldMs),
    figure(a.rssMb),
  ]),
)}

## Scrapes after a change of every target

Requests per second with 1 client, so that scrapes are sequential. Both sides receive and render the new values.

${table(
  [
    "Series",
    "Classic",
    "prom-client",
    "Ratio",
    "OpenMetrics",
    "prom-client",
    "Ratio",
    "Longest hold ms",
    "prom-client",
    "RSS MB",
    "prom-client",
  ],
  scrapes.map(({ series, changing, promChanging, changingOpenMetrics, promChangingOpenMetrics }) => [
    figure(series),
    figure(changing.requestsPerSecond),
    figure(promChanging.requestsPerSecond),
    ratio(changing.requestsPerSecond, promChanging.requestsPerSecond),
    figure(changingOpenMetrics.requestsPerSecond),
    figure(promChangingOpenMetrics.requestsPerSecond),
    ratio(changingOpenMetrics.requestsPerSecond, promChangingOpenMetrics.requestsPerSecond),
    figure(changing.longestHoldMs),
    figure(promChanging.longestHoldMs),
    figure(changing.rssMb),
    figure(promChanging.rssMb),
  ]),
)}

The longest hold includes the change of all targets at once; real polls are spread over time.

## Rendering, all values changed

Medians in milliseconds. "Page" is the time that a scrape waits for: joining lines that are rendered when values change.
"With values" includes the rendering.

${table(
  ["Series", "Page", "prom-client", "Share", "With values", "prom-client", "Share"],
  renderings.map(({ series, oursPageMs, promClientPageMs, oursMs, promClientMs }) => [
    figure(series),
    figure(oursPageMs),
    figure(promClientPageMs),
    `1/${figure(promClientPageMs / oursPageMs)}`,
    figure(oursMs),
    figure(promClientMs),
    `1/${figure(promClientMs / oursMs)}`,
  ]),
)}

## Clients that do not read

${figure(slow.sockets)} sockets request a page of ${figure(slow.bytes)} bytes, half of them in OpenMetrics, and read nothing. A disconnected
socket reconnects. All values change every second; Prometheus scrapes the compressed page every 2.5 s. Each run takes
45 s in its own process; "without" is a run without the sockets.

${table(
  ["What", "Without", "With"],
  [
    ["Peak memory", `${figure(slow.idleMb)} MB`, `${figure(slow.loadedMb)} MB`],
    ...["median", "p99"].map((name, place) => [
      `/-/healthy, ${name}`,
      `${figure(slow.idleHealthyMs[place] ?? Number.NaN)} ms`,
      `${figure(slow.healthyMs[place] ?? Number.NaN)} ms`,
    ]),
    ["Scrapes with status 200", "", `${figure(slow.scrapes.good)} of ${figure(slow.scrapes.all)}`],
  ],
)}

## Other figures

${table(
  ["What", "Figure"],
  [
    ["Process start to listening (built program, warm compile cache)", `${figure(start.listeningMs)} ms`],
    ["Last response of the API to a complete page", `${figure(start.completeMs)} ms`],
    [
      `Memory at rest, default configuration, started as the image starts it, after ${rest.seconds + 10} s`,
      `${figure(rest.rssMb)} MB`,
    ],
    [
      "Peak memory at 100,000 series, all changed each second, a scrape per second in each format with and without gzip",
      `${figure(large.peakMb)} MB`,
    ],
    ["… at 300 series, same server", `${figure(small.peakMb)} MB`],
    ["… longest hold of the event loop during one scrape at 100,000 series: median, worst", hold(large)],
    ["… at 300 series", hold(small)],
    ["CPU at rest, default configuration, a scrape every 15 s", `${figure(rest.cpuRatio * 100)} % of a core`],
    ["One poll of each collector of the whole chain except `blocks`: CPU", `${figure(poll.cpuMs)} ms`],
    ["Parsing the JSON of `fees` and `mempool`: CPU", `${figure(poll.parseMs)} ms`],
    ["An hour of the default configuration: requests", figure(moving.requests)],
    ["… of which 304", figure(moving.notModified)],
    ["… bytes of response bodies", figure(moving.bytes)],
    ["An hour on a stalled chain (304 if possible): requests", figure(still.requests)],
    ["… of which 304", figure(still.notModified)],
    ["… bytes of response bodies", figure(still.bytes)],
  ],
)}
`;
writeFileSync(new URL("../../docs/benchmarks.md", import.meta.url), page);
console.log(page);
await writeAddressesPage(false);
