// A watch list of ten thousand addresses: the cost of polls, memory, delays of the event loop; and catching up.
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { c32address } from "c32check";
import { cpuSeconds, lineOf, memoryMb, sleep, withProgram } from "./program.ts";

const addressOf = (index: number) => c32address(22, (index + 1).toString(16).padStart(40, "0"));
const BUSY = addressOf(9_999_999);

interface Pause {
  readonly longestMs: number;
  readonly p999Ms: number;
}

type Counts = Readonly<Record<string, number>>;

async function withServer<T>(file: string, args: readonly string[], work: (url: string) => Promise<T>): Promise<T> {
  const server = fork(new URL(file, import.meta.url), args, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  try {
    return await work(await lineOf(server.stdout, /"url":"([^"]+)"/));
  } finally {
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  }
}

/** Runs `work` with the URL of a list server and a function that returns its counts since the last call. */
function withLists<T>(work: (url: string, counts: () => Promise<Counts>) => Promise<T>): Promise<T> {
  return withServer("list-server.ts", [BUSY, "100000"], (url) =>
    work(url, async () => (await fetch(`${url}/stats`)).json() as Promise<Counts>),
  );
}

async function pauseOf(child: ChildProcess, message: "reset" | "report"): Promise<Pause> {
  child.send(message);
  return ((await once(child, "message")) as [Pause])[0];
}

export interface WatchList {
  readonly targets: number;
  readonly series: number;
  readonly bytes: number;
  /** Requests per address in a round of polls without changes. */
  readonly requestsPerAddress: number;
  /** Share of 304 responses. */
  readonly notModified: number;
  readonly rssMb: number;
  readonly peakMb: number;
  readonly seconds: number;
  readonly pause: Pause;
  readonly cpuRatio: number;
  /** Measured during polls, so that almost every scrape differs from the previous one. */
  readonly requestsPerSecond: number;
  readonly bareRequestsPerSecond: number;
}

/** Idle addresses with balances: one round of first polls, then a measured one with a scrape every 15 seconds. */
export function measureWatchList(targets: number, roundSeconds: number, state = "file"): Promise<WatchList> {
  const config = (url: string) => `max_series: 1000000
${state === "memory" ? "state: memory\n" : ""}networks:
  - name: m
    url: ${url}
    budget: { per_minute: 100000, per_month: unlimited }
    address_files: [list.txt]
collectors:
  addresses: { every: ${roundSeconds}s, timeout: 10s, backfill: 1 }
  balances: { every: ${roundSeconds}s, timeout: 10s, addresses: all }
  fees: { enabled: false }
  mempool: { enabled: false }
`;
  const files = { "list.txt": Array.from({ length: targets }, (_, index) => addressOf(index)).join("\n") };
  const active = (page: string) =>
    ["addresses", "balances"].every((collector) =>
      page.includes(`collector="${collector}",state="active"} ${targets}\n`),
    );
  return withLists((url, counts) =>
    withProgram(
      config(url),
      async ({ child, address, page }) => {
        while (!active(await page())) await sleep(5);
        await sleep(5);
        await counts();
        await pauseOf(child, "reset");
        const [cpu, started] = [cpuSeconds(child), performance.now()];
        let text = "";
        while (performance.now() - started < roundSeconds * 1000) {
          text = await page();
          await sleep(Math.min(15, roundSeconds / 4));
        }
        const seconds = (performance.now() - started) / 1000;
        const cpuRatio = (cpuSeconds(child) - cpu) / seconds;
        const pause = await pauseOf(child, "report");
        const responses = await counts();
        const of = (status: number) =>
          (responses[`addresses ${status}`] ?? 0) + (responses[`principals ${status}`] ?? 0);
        const [modified, notModified] = [of(200), of(304)];
        const requests = modified + notModified;
        return {
          targets,
          series: text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length,
          bytes: Buffer.byteLength(text),
          requestsPerAddress: requests / ((targets * seconds) / roundSeconds),
          notModified: notModified / requests,
          rssMb: memoryMb(child),
          peakMb: memoryMb(child, "VmHWM"),
          ...{ seconds, pause, cpuRatio },
          ...(await scrapes(`http://${address}/metrics`, text)),
        };
      },
      { files, watchLoop: true },
    ),
  );
}

// Scrapes during polls, and scrapes of the same bytes from bare node:http.
async function scrapes(url: string, text: string) {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  const file = join(folder, "page");
  writeFileSync(file, text);
  const rate = (address: string) => {
    const report = execFileSync("wrk", ["-t1", "-c4", "-d10s", "--timeout", "60s", address], { encoding: "utf8" });
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]);
  };
  try {
    return await withServer("bare.ts", [file], async (bareUrl) => ({
      requestsPerSecond: rate(url),
      bareRequestsPerSecond: rate(bareUrl),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface CatchUp {
  readonly transactions: number;
  readonly requests: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** CPU time over the time of these requests at 900 a minute. */
  readonly cpuRatio: number;
}

/** Reads the history of one address, as fast as the server responds. */
export function measureCatchUp(): Promise<CatchUp> {
  const config = (url: string) => `networks:
  - name: m
    url: ${url}
    budget: { per_minute: 100000, per_month: unlimited }
    addresses: [{ address: ${BUSY} }]
collectors:
  addresses: { backfill: all }
  fees: { enabled: false }
  mempool: { enabled: false }
`;
  const transactionsIn = (text: string) =>
    [...text.matchAll(/^stacks_address_transactions_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
  return withLists((url, counts) =>
    withProgram(config(url), async ({ child, page }) => {
      const [cpu, started] = [cpuSeconds(child), performance.now()];
      let transactions = 0;
      while (transactions < 100_000) {
        await sleep(2);
        transactions = transactionsIn(await page());
      }
      const seconds = (performance.now() - started) / 1000;
      const used = cpuSeconds(child) - cpu;
      const requests = Object.values(await counts()).reduce((sum, count) => sum + count, 0);
      return { transactions, requests, seconds, cpuSeconds: used, cpuRatio: used / (requests / 15) };
    }),
  );
}
