// The start of the built program, and its memory and CPU at rest.
import { startSimulator } from "../../simulator/server.ts";
import { cpuSeconds, memoryMb, sleep, withProgram } from "./program.ts";
import { median } from "./table.ts";

export interface Start {
  /** From starting the process to the log line with the address. */
  readonly listeningMs: number;
  /** From the last of the first upstream responses to a complete page. */
  readonly completeMs: number;
}

const FAMILIES = [
  "stacks_chain_block_height{",
  "stacks_mempool_transactions{",
  "stacks_mempool_fee_priority_microstx{",
];

/** Medians over several starts. */
export async function measureStart(): Promise<Start> {
  const listening: number[] = [];
  const complete: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const simulator = await startSimulator({ seed: 1 });
    await withProgram(`networks: [{ name: simulated, url: "${simulator.url}" }]`, async ({ page, listeningMs }) => {
      listening.push(listeningMs);
      for (let text = ""; !FAMILIES.every((name) => text.includes(name)); await sleep(0.002)) text = await page();
      // Responses leave within the millisecond in which their requests are logged.
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
  const config = `networks: [{ name: simulated, url: "${simulator.url}" }]`;
  const rest = await withProgram(config, async ({ child, page }) => {
    // Leaves out the start.
    await sleep(10);
    const [cpu, started] = [cpuSeconds(child), performance.now()];
    while (performance.now() - started < seconds * 1000) {
      await page();
      await sleep(Math.min(15, seconds / 4));
    }
    const elapsed = (performance.now() - started) / 1000;
    return { rssMb: memoryMb(child), cpuRatio: (cpuSeconds(child) - cpu) / elapsed, seconds: Math.round(elapsed) };
  });
  await simulator.close();
  return rest;
}
