// The cost of clients that do not read: memory, and latency of `/-/healthy`. `node tools/bench/slow-readers.ts [still]`
// prints only this.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { AS_THE_IMAGE } from "./program.ts";

const SERIES = 255_000;
const SOCKETS = 100;
const SECONDS = 45;

export interface SlowReaders {
  readonly sockets: number;
  readonly bytes: number;
  /** Largest RSS in the same time and with the same scrapes, without and with the sockets. MB. */
  readonly idleMb: number;
  readonly loadedMb: number;
  /** Latency of `/-/healthy`, without and with the sockets. */
  readonly idleHealthyMs: readonly [median: number, p99: number];
  readonly healthyMs: readonly [median: number, p99: number];
  /** Scrapes with status 200, and all. */
  readonly scrapes: { readonly good: number; readonly all: number };
}

/** Measures without, then with silent sockets that connect 50 ms apart. All values change every second, or none. */
export async function measureSlowReaders(mode: "renewing" | "still" = "renewing"): Promise<SlowReaders> {
  const server = fork(new URL("server.ts", import.meta.url), ["ours", String(SERIES), mode], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: AS_THE_IMAGE,
  });
  try {
    const [line] = (await once(createInterface(server.stdout as NodeJS.ReadableStream), "line")) as [string];
    const { port } = JSON.parse(line) as { port: number };
    const idle = await watch(server, port);
    const sockets = fork(new URL("silent-sockets.ts", import.meta.url), [String(port), String(SOCKETS), "50"]);
    const loaded = await watch(server, port);
    sockets.disconnect();
    await once(sockets, "exit");
    return {
      sockets: SOCKETS,
      bytes: loaded.bytes,
      idleMb: idle.peakMb,
      loadedMb: loaded.peakMb,
      idleHealthyMs: idle.healthyMs,
      healthyMs: loaded.healthyMs,
      scrapes: loaded.scrapes,
    };
  } finally {
    const ended = once(server, "exit");
    server.disconnect();
    await ended;
  }
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const at = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** Requests `/-/healthy` ten times a second, and the page every 2.5 seconds, compressed, alternating formats. */
async function watch(server: ChildProcess, port: number) {
  const healthyMs: number[] = [];
  let [bytes, good, all, peak, count] = [0, 0, 0, 0, 0];
  const ends = performance.now() + SECONDS * 1000;
  const scraping = (async () => {
    for (; performance.now() < ends; count += 1) {
      const accept = count % 2 === 0 ? "text/plain" : "application/openmetrics-text; version=1.0.0";
      const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
        headers: { accept, "accept-encoding": "gzip" },
      });
      const { length } = await response.text();
      all += 1;
      if (response.status === 200) {
        good += 1;
        bytes = length;
      }
      await sleep(2500);
    }
  })();
  while (performance.now() < ends) {
    const started = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/-/healthy`);
    await response.text();
    if (response.status !== 200) throw new Error(`/-/healthy returned ${response.status}`);
    healthyMs.push(performance.now() - started);
    server.send("report");
    const [{ rss }] = (await once(server, "message")) as [{ rss: number }];
    peak = Math.max(peak, rss);
    await sleep(100);
  }
  await scraping;
  return {
    bytes,
    peakMb: peak / 1e6,
    healthyMs: [at(healthyMs, 0.5), at(healthyMs, 0.99)] as const,
    scrapes: { good, all },
  };
}

if (import.meta.filename === process.argv[1]) {
  const mode = process.argv[2] === "still" ? "still" : "renewing";
  console.log(JSON.stringify(await measureSlowReaders(mode), undefined, 2));
}
