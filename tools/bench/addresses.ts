// A watch list of ten thousand: what its polls cost, what it holds in memory, how long it holds the event loop, and catching up.
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { encodeAddress } from "../../src/config/principal.ts";
import { AS_THE_IMAGE } from "./program.ts";

const main = new URL("../../dist/main.js", import.meta.url).pathname;
const addressOf = (index: number) => encodeAddress(22, (index + 1).toString(16).padStart(40, "0"));
const BUSY = addressOf(9_999_999);
const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

interface Pause {
  readonly longestMs: number;
  readonly p999Ms: number;
}

interface Parts {
  readonly server: string;
  readonly address: string;
  readonly program: ChildProcess;
  readonly stats: () => Promise<Readonly<Record<string, number>>>;
  readonly pause: (message: "reset" | "report") => Promise<Pause>;
  readonly page: () => Promise<string>;
}

async function lineOf(child: ChildProcess, stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  for await (const line of createInterface(stream)) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`process ${child.pid} ended before it said ${pattern}`);
}

/** Runs the built program, as the image starts it, against a list server; both in processes of their own. */
async function withProgram<T>(config: (url: string) => string, lists: object, work: (parts: Parts) => Promise<T>) {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  for (const [name, lines] of Object.entries(lists)) writeFileSync(join(folder, name), (lines as string[]).join("\n"));
  const server = fork(new URL("list-server.ts", import.meta.url), [BUSY, "100000"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const url = await lineOf(server, server.stdout as NodeJS.ReadableStream, /"url":"([^"]+)"/);
  writeFileSync(join(folder, "config.yaml"), config(url));
  const watch = new URL("loop-watch.ts", import.meta.url).href;
  const program = fork(main, ["--config", join(folder, "config.yaml"), "--listen", "127.0.0.1:0"], {
    cwd: folder,
    execArgv: ["--import", watch],
    env: AS_THE_IMAGE,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  try {
    const stderr = program.stderr as NodeJS.ReadableStream;
    const address = await lineOf(program, stderr, /"address":"([^"]+)"/);
    stderr.resume();
    return await work({
      server: url,
      address,
      program,
      stats: async () => (await fetch(`${url}/stats`)).json() as Promise<Readonly<Record<string, number>>>,
      pause: async (message) => {
        program.send(message);
        return ((await once(program, "message")) as [Pause])[0];
      },
      page: async () => (await fetch(`http://${address}/metrics`)).text(),
    });
  } finally {
    const ended = Promise.all([once(program, "exit"), once(server, "exit")]);
    program.kill("SIGTERM");
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

const statusOf = ({ pid }: ChildProcess, field: string) =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1000;

// Fields 14 and 15 of /proc/PID/stat are ticks of a hundredth of a second.
function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export interface WatchList {
  readonly targets: number;
  readonly series: number;
  readonly bytes: number;
  /** Requests of a round of polls in which nothing was new, per address. */
  readonly requestsPerAddress: number;
  /** Share of them that were answered 304. */
  readonly notModified: number;
  readonly rssMb: number;
  readonly peakMb: number;
  readonly seconds: number;
  readonly pause: Pause;
  readonly cpuRatio: number;
  /** While polls go on, so that hardly any two scrapes are the same. */
  readonly requestsPerSecond: number;
  readonly bareRequestsPerSecond: number;
}

/** Many idle addresses: one round to get to know them, another one measured, with a scrape every 15 seconds. */
export async function measureWatchList(targets: number, roundSeconds: number, state = "file"): Promise<WatchList> {
  const config = (url: string) => `max_series: 1000000
${state === "memory" ? "state: memory\n" : ""}networks:
  - name: m
    url: ${url}
    budget: { per_minute: 100000, per_month: unlimited }
    address_files: [list.txt]
collectors:
  addresses: { every: ${roundSeconds}s, timeout: 10s, zeros: false, backfill: 1 }
  fees: { enabled: false }
  mempool: { enabled: false }
`;
  const lists = { "list.txt": Array.from({ length: targets }, (_, index) => addressOf(index)) };
  return withProgram(config, lists, async ({ program, address, stats, pause, page }) => {
    const waiting = /^stacks_exporter_collector_targets\{.*collector="addresses",state="active"\} (\d+)$/m;
    while (Number(waiting.exec(await page())?.[1]) < targets) await sleep(5);
    await sleep(5);
    await stats();
    await pause("reset");
    const [cpu, begun] = [cpuSeconds(program), performance.now()];
    let text = "";
    while (performance.now() - begun < roundSeconds * 1000) {
      text = await page();
      await sleep(Math.min(15, roundSeconds / 4));
    }
    const seconds = (performance.now() - begun) / 1000;
    const cpuRatio = (cpuSeconds(program) - cpu) / seconds;
    const held = await pause("report");
    const counts = await stats();
    const requests = (counts["addresses 200"] ?? 0) + (counts["addresses 304"] ?? 0);
    const polls = (targets * seconds) / roundSeconds;
    const [rssMb, peakMb] = [statusOf(program, "VmRSS"), statusOf(program, "VmHWM")];
    return {
      targets,
      series: text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length,
      bytes: Buffer.byteLength(text),
      requestsPerAddress: requests / polls,
      notModified: (counts["addresses 304"] ?? 0) / requests,
      ...{ rssMb, peakMb, seconds, pause: held, cpuRatio },
      ...(await scrapes(`http://${address}/metrics`, text)),
    };
  });
}

// One client: each scrape after the one before, while polls go on and change what is to be shown.
async function scrapes(url: string, text: string) {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  const file = join(folder, "page");
  writeFileSync(file, text);
  const bare = fork(new URL("bare.ts", import.meta.url), [file], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  try {
    const bareUrl = await lineOf(bare, bare.stdout as NodeJS.ReadableStream, /"url":"([^"]+)"/);
    const rate = (address: string) =>
      Number(
        /Requests\/sec:\s+([\d.]+)/.exec(
          execFileSync("wrk", ["-t1", "-c4", "-d10s", "--timeout", "60s", address], { encoding: "utf8" }),
        )?.[1],
      );
    return { requestsPerSecond: rate(url), bareRequestsPerSecond: rate(bareUrl) };
  } finally {
    bare.kill();
    rmSync(folder, { recursive: true });
  }
}

export interface CatchUp {
  readonly transactions: number;
  readonly requests: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Of the time that so many requests take at 900 a minute. */
  readonly cpuRatio: number;
}

/** The history of one address read back, as fast as the server answers. */
export async function measureCatchUp(): Promise<CatchUp> {
  const config = (url: string) => `networks:
  - name: m
    url: ${url}
    budget: { per_minute: 100000, per_month: unlimited }
    addresses: [{ address: ${BUSY} }]
collectors:
  addresses: { backfill: all, zeros: false }
  fees: { enabled: false }
  mempool: { enabled: false }
`;
  return withProgram(config, {}, async ({ program, stats, page }) => {
    const [cpu, begun] = [cpuSeconds(program), performance.now()];
    const counted = (text: string) =>
      [...text.matchAll(/^stacks_address_transactions_total\{.*\} (\d+)$/gm)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    let transactions = 0;
    while (transactions < 100_000) {
      await sleep(2);
      transactions = counted(await page());
    }
    const seconds = (performance.now() - begun) / 1000;
    const used = cpuSeconds(program) - cpu;
    const requests = Object.values(await stats()).reduce((sum, one) => sum + one, 0);
    return { transactions, requests, seconds, cpuSeconds: used, cpuRatio: used / (requests / 15) };
  });
}
