// The built program as a process: how fast it starts, what it needs at rest.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startSimulator } from "../../simulator/server.ts";
import { median } from "./table.ts";

const main = new URL("../../dist/main.js", import.meta.url).pathname;

/** The environment in which the image starts the program. */
export const AS_THE_IMAGE = {
  ...process.env,
  NODE_OPTIONS: "--max-semi-space-size=1",
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

async function withProgram<T>(
  config: string,
  work: (started: { pid: number; address: string; listeningMs: number }) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-bench-"));
  const file = join(folder, "config.yaml");
  writeFileSync(file, config);
  const before = performance.now();
  const child = spawn(process.execPath, [main, "--config", file, "--listen", "127.0.0.1:0"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    env: AS_THE_IMAGE,
  });
  try {
    for await (const line of createInterface(child.stderr)) {
      const address = /"address":"([^"]+)"/.exec(line)?.[1];
      if (address === undefined) continue;
      child.stderr.resume();
      return await work({ pid: child.pid ?? 0, address, listeningMs: performance.now() - before });
    }
    throw new Error("the program did not listen");
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const rssMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1000;

// Fields 14 and 15 of /proc/PID/stat are ticks of a hundredth of a second.
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export interface Start {
  /** From starting the process to the line that says it listens. */
  readonly listeningMs: number;
  /** From the answer of the last of the first requests upstream to a page that has everything. */
  readonly completeMs: number;
}

/** Medians over several starts. */
export async function measureStart(): Promise<Start> {
  const listening: number[] = [];
  const complete: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const simulator = await startSimulator({ seed: 1 });
    await withProgram(`networks: [{ name: simulated, url: "${simulator.url}" }]`, async ({ address, listeningMs }) => {
      listening.push(listeningMs);
      for (;;) {
        const text = await (await fetch(`http://${address}/metrics`)).text();
        if (
          ["stacks_chain_block_height{", "stacks_mempool_transactions{", "stacks_mempool_fee_priority_microstx{"].every(
            (name) => text.includes(name),
          )
        )
          break;
        await sleep(0.002);
      }
      // Answers leave within the millisecond in which their requests are noted.
      complete.push(Date.now() - (simulator.requests.at(-1)?.at ?? Number.NaN));
    });
    await simulator.close();
  }
  return { listeningMs: median(listening), completeMs: median(complete) };
}

export interface Rest {
  readonly rssMb: number;
  /** Share of one core. */
  readonly cpuRatio: number;
  readonly seconds: number;
}

/** Memory and CPU of the default configuration, scraped every 15 seconds. */
export async function measureRest(seconds: number): Promise<Rest> {
  const simulator = await startSimulator({ seed: 1 });
  const rest = await withProgram(
    `networks: [{ name: simulated, url: "${simulator.url}" }]`,
    async ({ pid, address }) => {
      // Starting is not resting.
      await sleep(10);
      const [cpu, begun] = [cpuSeconds(pid), performance.now()];
      while (performance.now() - begun < seconds * 1000) {
        await (await fetch(`http://${address}/metrics`)).text();
        await sleep(Math.min(15, seconds / 4));
      }
      const elapsed = (performance.now() - begun) / 1000;
      return { rssMb: rssMb(pid), cpuRatio: (cpuSeconds(pid) - cpu) / elapsed, seconds: Math.round(elapsed) };
    },
  );
  await simulator.close();
  return rest;
}
