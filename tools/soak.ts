// npm run soak [minutes]: the built program polls a simulated chain with 1,000 moving addresses, and every 12 seconds a
// fault (default: an hour, on a machine without other work). Prints the resident memory of each minute. Exits with 1 if
// it grows by more than 2 MB after the first 20 minutes.
import { execFileSync } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fault } from "../simulator/faults/fault.ts";
import { startSimulator } from "../simulator/server.ts";
import { type Program, sleep, withProgram } from "./bench/program.ts";
import { median } from "./bench/table.ts";

const ADDRESSES = 1000;
const WARM_UP_MINUTES = 20;
const MOST_MB = 2;
// Both ends are the median of so many minutes: the garbage collector moves single values.
const END_MINUTES = 5;
const FAULT_SECONDS = 12;
const FAULT_LASTS_SECONDS = 3;
const SCRAPE_SECONDS = 5;
const MOVED_AT_ONCE = 40;
const FAULTS: readonly Fault[] = [
  { kind: "503" },
  { kind: "reset" },
  { kind: "429", retryAfter: 1 },
  { kind: "cut" },
  { kind: "garbage" },
  { kind: "slow-body", seconds: 1, bytes: 64 },
  { kind: "db-down" },
  { kind: "wrong-shape", form: "nulls" },
];

const minutes = Number(process.argv[2] ?? 60);
execFileSync(process.execPath, [new URL("./build.ts", import.meta.url).pathname], { stdio: "inherit" });
await using simulator = await startSimulator({ seed: 1 });
const { chain, faults } = simulator;
const addresses = Array.from({ length: ADDRESSES }, (_, index) => chain.accounts.occasional(index));
using folder = mkdtempDisposableSync(join(tmpdir(), "stacks-exporter-soak-"));
const config = {
  networks: [
    {
      name: "soak",
      url: simulator.url,
      budget: { per_minute: 3000, per_month: "unlimited" },
      addresses: addresses.map((address) => ({ address, balances: true, waiting: true })),
    },
  ],
};
writeFileSync(join(folder.path, "config.yaml"), JSON.stringify(config));

const series: number[] = [];
let failed = 0;

/** A scrape that fails is reported, and does not end the hour. */
async function scrape({ page }: Program): Promise<void> {
  const text = await page().catch((error: Error) => `${error.message}: ${error.cause}`);
  if (text.includes("stacks_exporter_build_info")) return;
  failed += 1;
  console.log(`${new Date().toISOString()}: ${text.slice(0, 200)}`);
}

/** One minute of faults, moves and scrapes. */
async function minute(program: Program, index: number): Promise<void> {
  for (let second = 0; second < 60; second += 1) {
    const at = index * 60 + second;
    if (at % FAULT_SECONDS === 0) faults.set(FAULTS[(at / FAULT_SECONDS) % FAULTS.length] as Fault);
    if (at % FAULT_SECONDS === FAULT_LASTS_SECONDS) {
      faults.clear();
      for (let moved = 0; moved < MOVED_AT_ONCE; moved += 1)
        chain.send(addresses[(at * MOVED_AT_ONCE + moved) % ADDRESSES] ?? "", { fee: 5000, amount: 1n });
    }
    if (at % SCRAPE_SECONDS === 0) await Promise.all([scrape(program), scrape(program)]);
    await sleep(1);
  }
  series.push(program.memoryMb("VmRSS"));
  console.log(`minute ${index + 1}: ${series.at(-1)?.toFixed(1)} MB`);
}

await withProgram(folder.path, async (program) => {
  for (let index = 0; index < minutes; index += 1) await minute(program, index);
});
const grown = median(series.slice(-END_MINUTES)) - median(series.slice(WARM_UP_MINUTES, WARM_UP_MINUTES + END_MINUTES));
console.log(`after the first ${WARM_UP_MINUTES} minutes: ${grown.toFixed(1)} MB; failed scrapes: ${failed}`);
process.exitCode = grown > MOST_MB || failed > 0 || series.length <= WARM_UP_MINUTES + END_MINUTES ? 1 : 0;
