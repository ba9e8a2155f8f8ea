// Scrapes per second of a server in its own process, measured with wrk.
import { execFileSync, fork } from "node:child_process";
import { lineOf } from "./program.ts";
import type { Kind, Mode } from "./server.ts";

const OPENMETRICS = "application/openmetrics-text; version=1.0.0";

interface LoadOptions {
  readonly mode?: Mode;
  readonly accept?: string;
  readonly gzip?: boolean;
  readonly clients?: number;
}

async function load(kind: Kind, series: number, options: LoadOptions = {}): Promise<number> {
  const { mode = "still", accept = "text/plain", gzip = false, clients = 4 } = options;
  const child = fork(new URL("server.ts", import.meta.url), [kind, String(series), mode], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  try {
    const url = await lineOf(child.stdout, /"url":"([^"]+)"/);
    const headers = ["-H", `Accept: ${accept}`, "-H", `Accept-Encoding: ${gzip ? "gzip" : "identity"}`];
    const wrk = (seconds: number) =>
      execFileSync("wrk", ["-t1", `-c${clients}`, `-d${seconds}s`, "--timeout", "60s", ...headers, url], {
        encoding: "utf8",
      });
    wrk(1);
    const text = wrk(4);
    if (text.includes("Non-2xx")) throw new Error(`${kind}: not every response was a page\n${text}`);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? Number.NaN);
  } finally {
    child.kill();
  }
}

/** Scrapes per second of the exporter, and of what it is compared with. */
export interface Compared {
  readonly ours: number;
  readonly other: number;
}

/** All comparisons for a number of series. */
export interface Scrapes {
  readonly series: number;
  /** With the same bytes from bare node:http. */
  readonly still: Compared;
  readonly gzip: Compared;
  /** With prom-client behind express. */
  readonly classic: Compared;
  readonly openMetrics: Compared;
}

/** The two sides of each ratio run one right after the other. The median of three such pairs, by their ratio. */
export async function measureScrapes(series: number): Promise<Scrapes> {
  const compared = async (other: Kind, options: LoadOptions = {}): Promise<Compared> => {
    const pairs: Compared[] = [];
    while (pairs.length < 3)
      pairs.push({ ours: await load("ours", series, options), other: await load(other, series, options) });
    return pairs.toSorted((a, b) => a.ours / a.other - b.ours / b.other)[1] as Compared;
  };
  // Every target changes between any two scrapes: one client, so that scrapes follow one another.
  const changing = { mode: "changing", clients: 1 } as const;
  return {
    series,
    still: await compared("bare"),
    gzip: await compared("bare-gzip", { gzip: true }),
    classic: await compared("prom-client", changing),
    openMetrics: await compared("prom-client", { ...changing, accept: OPENMETRICS }),
  };
}
