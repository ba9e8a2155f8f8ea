// Quiet addresses: memory, requests and CPU time of a round of polls, and a start with their state.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { c32address } from "c32check";
import { lineOf, sleep, withProgram } from "./program.ts";

/** The figures of a number of quiet addresses. */
export interface Addresses {
  readonly targets: number;
  readonly series: number;
  /** Resident memory at the end of the round, and its maximum. MB. */
  readonly rssMb: number;
  readonly peakMb: number;
  /** Requests per address in a round of polls without changes, and the share of 304 responses. */
  readonly requestsPerAddress: number;
  readonly notModified: number;
  /** Share of a core during the round, with a scrape every 15 seconds. */
  readonly cpuRatio: number;
  /** From starting the process with the saved state to a page with the counters of all addresses. */
  readonly restartMs: number;
}

const addressOf = (index: number) => c32address(22, (index + 1).toString(16).padStart(40, "0"));

const configOf = (url: string, roundSeconds: number) => `max_series: 1000000
networks:
  - name: m
    url: ${url}
    budget: { per_minute: 100000, per_month: unlimited }
    address_files: [list.txt]
collectors:
  addresses: { every: ${roundSeconds}s, timeout: 10s, backfill: all }
  balances: { every: ${roundSeconds}s, timeout: 10s, addresses: all }
  fees: { enabled: false }
  mempool: { enabled: false }
`;

const linesOf = (page: string, start: string) => page.split("\n").filter((line) => line.startsWith(start)).length;

/** Polls addresses with balances: one round of first polls, then a measured one; then starts again. */
export async function measureAddresses(targets: number, roundSeconds: number): Promise<Addresses> {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  const server = fork(new URL("list-server.ts", import.meta.url), { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  try {
    const url = await lineOf(server.stdout, /"url":"([^"]+)"/);
    writeFileSync(join(folder, "config.yaml"), configOf(url, roundSeconds));
    writeFileSync(join(folder, "list.txt"), Array.from({ length: targets }, (_, index) => addressOf(index)).join("\n"));
    const round = await measureRound(folder, url, targets, roundSeconds);
    const counters = linesOf(round.page, "stacks_address_transactions_total{");
    const started = performance.now();
    const restartMs = await withProgram(folder, async ({ page }) => {
      while (linesOf(await page(), "stacks_address_transactions_total{") < counters) await sleep(0.01);
      return performance.now() - started;
    });
    const series = round.page.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length;
    return { targets, series, ...round.figures, restartMs };
  } finally {
    const ended = once(server, "exit");
    server.kill();
    await ended;
    rmSync(folder, { recursive: true });
  }
}

function measureRound(folder: string, url: string, targets: number, roundSeconds: number) {
  const counts = async () => (await fetch(`${url}/stats`)).json() as Promise<Readonly<Record<string, number>>>;
  const isActive = (page: string) =>
    ["addresses", "balances"].every((collector) =>
      page.includes(`collector="${collector}",state="active"} ${targets}\n`),
    );
  return withProgram(folder, async ({ page, memoryMb, cpuSeconds }) => {
    while (!isActive(await page())) await sleep(5);
    await sleep(5);
    await counts();
    const [cpu, started] = [cpuSeconds(), performance.now()];
    let text = "";
    while (performance.now() - started < roundSeconds * 1000) {
      text = await page();
      await sleep(Math.min(15, roundSeconds / 4));
    }
    const seconds = (performance.now() - started) / 1000;
    const responses = await counts();
    const of = (status: number) => (responses[`addresses ${status}`] ?? 0) + (responses[`principals ${status}`] ?? 0);
    const requests = of(200) + of(304);
    const figures = {
      rssMb: memoryMb("VmRSS"),
      peakMb: memoryMb("VmHWM"),
      requestsPerAddress: requests / ((targets * seconds) / roundSeconds),
      notModified: of(304) / requests,
      cpuRatio: (cpuSeconds() - cpu) / seconds,
    };
    return { page: text, figures };
  });
}
