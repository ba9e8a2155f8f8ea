// npm run day [hours] [minutes]: so many hours of a simulated chain, compressed into so many minutes, through the built program;
// its counters against the chain's books, and its memory at the start and at the end.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startSimulator } from "../../simulator/server.ts";
import { differences, expectedTotals, totalsOf } from "../../test/support/expected-totals.ts";
import { AS_THE_IMAGE } from "./program.ts";

const [hours = 24, minutes = 12] = process.argv.slice(2).map(Number);
const CONFIRMATIONS = 6;
const path = (file: string) => new URL(file, import.meta.url).pathname;
execFileSync(process.execPath, [path("../build.ts")], { stdio: "inherit" });

// The chain's clock runs faster, until it is stopped for the reckoning.
const begun = Date.now();
const scale = (hours * 60) / minutes;
let stoppedAt: number | undefined;
const now = () => begun + ((stoppedAt ?? Date.now()) - begun) * scale;
const simulator = await startSimulator({ seed: 24, history: 60, now, keepBlocks: 1_000_000, randomEvents: true });
const { chain } = simulator;
const principals = [...chain.accounts.users.slice(0, 8), chain.accounts.sponsor, chain.accounts.contracts.vault];
const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-day-"));
const config = join(folder, "config.yaml");
writeFileSync(
  config,
  `networks:
  - name: simulated
    url: ${simulator.url}
    confirmations: ${CONFIRMATIONS}
    budget: { per_minute: 100000, per_month: unlimited }
    addresses: [${principals.map((address) => `{ address: ${address} }`).join(", ")}]
    contracts: [{ contract_id: ${chain.accounts.contracts.logger} }]
collectors:
  fees: { every: 1s }
  mempool: { every: 1s }
  blocks: { every: 1s }
  addresses: { every: 2s, backfill: all }
  contracts: { every: 2s }
`,
);
const child = spawn(
  process.execPath,
  [path("../../dist/main.js"), "--config", config, "--listen", "127.0.0.1:0", "--log-level", "info"],
  {
    cwd: folder,
    env: AS_THE_IMAGE,
    stdio: ["ignore", "ignore", "pipe"],
  },
);
const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const rssMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1000;
let url = "";
for await (const line of createInterface(child.stderr)) {
  const address = /"address":"([^"]+)"/.exec(line)?.[1];
  if (address === undefined) continue;
  url = `http://${address}`;
  break;
}
child.stderr.resume();
const page = async () => (await fetch(`${url}/metrics`)).text();

await sleep(30);
const memoryMb = [rssMb()];
const firstHeight = chain.height;
let reorgs = 0;
// A reorganisation every hour or so of the chain's time.
for (let hour = 0; hour < hours - 1; hour += 1) {
  await sleep((minutes * 60 - 30) / hours);
  chain.reorg(3 + (hour % 3));
  reorgs += 1;
  await page();
  memoryMb.push(rssMb());
}
await sleep((minutes * 60 - 30) / hours);
stoppedAt = Date.now();
// The chain grows when it is asked: to the moment at which its clock was stopped.
simulator.advance(0);
memoryMb.push(rssMb());
const depth = chain.height - CONFIRMATIONS + 1;
let wrong: string[] = [];
for (let tries = 0; tries < 120; tries += 1) {
  await sleep(0.5);
  wrong = differences(totalsOf(await page()), chain, principals, depth);
  if (wrong.length === 0) break;
}
const last = await page();
const counter = (name: string) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, "m").exec(last)?.[1]);
console.log(
  JSON.stringify({
    hours,
    minutes,
    blocks: chain.height - firstHeight,
    reorgs: { made: reorgs, seen: counter("stacks_chain_reorgs_total") },
    transactions: principals.reduce((sum, one) => sum + expectedTotals(chain, one, depth).transactions, 0),
    requests: simulator.log.total,
    // At the start, after every hour, and at the end.
    memoryMb: memoryMb.map(Math.round),
    differences: wrong,
  }),
);
child.kill("SIGTERM");
await simulator.close();
rmSync(folder, { recursive: true });
process.exitCode = wrong.length === 0 ? 0 : 1;
