// wrk against a server in its own process.
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { AS_THE_IMAGE } from "./program.ts";

export interface Load {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  readonly bytes: number;
  readonly rssMb: number;
  readonly longestHoldMs: number;
}

export type Kind = "ours" | "bare" | "bare-gzip" | "prom-client";

export interface Calm {
  /** Most memory that the process ever had, scrapes included. */
  readonly peakMb: number;
  /** The longest hold of the event loop during a scrape, for each scrape in ascending order. */
  readonly holdsMs: readonly number[];
}

const WARM_UP_SCRAPES = 8;

/** One scrape per second, alternating between the formats, with and without gzip: the usual load. */
export async function calm(series: number, scrapes: number): Promise<Calm> {
  const child = fork(new URL("server.ts", import.meta.url), ["ours", String(series), "renewing"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: AS_THE_IMAGE,
  });
  try {
    const { port, ask } = await started(child);
    const holdsMs: number[] = [];
    for (let scrape = 0; scrape < scrapes + WARM_UP_SCRAPES; scrape += 1) {
      const headers = {
        accept: scrape % 2 === 0 ? "text/plain" : "application/openmetrics-text",
        "accept-encoding": scrape % 4 < 2 ? "identity" : "gzip",
      };
      await ask("reset");
      await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).arrayBuffer();
      const { longestHoldMs } = await ask("report");
      if (scrape >= WARM_UP_SCRAPES) holdsMs.push(longestHoldMs);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
    return { peakMb: Number(peak) / 1000, holdsMs: holdsMs.sort((a, b) => a - b) };
  } finally {
    child.kill();
  }
}

interface Report {
  readonly rss: number;
  readonly longestHoldMs: number;
}

/** The port of a forked server, and a function that sends it messages. */
async function started(child: ChildProcess) {
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  const ask = async (message: "reset" | "report") => {
    child.send(message);
    return ((await once(child, "message")) as [Report])[0];
  };
  return { port: (JSON.parse(line.toString()) as { port: number }).port, ask };
}

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** Runs wrk with 4 connections; also reports memory and the longest block of the server's event loop. */
export async function load(
  kind: Kind,
  series: number,
  options: { mode?: string; accept?: string; gzip?: boolean; seconds?: number; clients?: number } = {},
): Promise<Load> {
  const { mode = "still", accept = "text/plain", gzip = false, seconds = 4, clients = 4 } = options;
  const child = fork(new URL("server.ts", import.meta.url), [kind, String(series), mode], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  try {
    const { port, ask } = await started(child);
    const url = `http://127.0.0.1:${port}/metrics`;
    const headers = { accept, "accept-encoding": gzip ? "gzip" : "identity" };
    const size = Number(
      (await fetch(url, { headers })).headers.get("content-length") ??
        (await (await fetch(url, { headers })).arrayBuffer()).byteLength,
    );
    const wrk = (duration: number) =>
      execFileSync(
        "wrk",
        [
          "-t1",
          `-c${clients}`,
          `-d${duration}s`,
          "--timeout",
          "60s",
          "--latency",
          "-H",
          `Accept: ${accept}`,
          "-H",
          `Accept-Encoding: ${headers["accept-encoding"]}`,
          url,
        ],
        { encoding: "utf8" },
      );
    wrk(1);
    await ask("reset");
    const text = wrk(seconds);
    if (text.includes("Non-2xx")) throw new Error(`${kind}: not every response was a page\n${text}`);
    const { rss, longestHoldMs } = await ask("report");
    const [, value = "0", unit = "ms"] = /99%\s+([\d.]+)(us|ms|s|m)/.exec(text) ?? [];
    return {
      requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? 0),
      p99Ms: Number(value) * (UNITS[unit] ?? 1),
      bytes: size,
      rssMb: rss / 1e6,
      longestHoldMs,
    };
  } finally {
    child.kill();
  }
}
