// npm run day [hours] [minutes]: polls hours of a simulated chain in minutes with the built program. Compares the
// counters with the expected totals, and reports memory.
import { execFileSync } from "node:child_process";
import { startSimulator } from "../../simulator/server.ts";
import { differences, expectedTotals, totalsOf } from "../../test/support/expected-totals.ts";
import { memoryMb, sleep, withProgram } from "./program.ts";

const [hours = 24, minutes = 12] = process.argv.slice(2).map(Number);
const CONFIRMATIONS = 6;
const WARM_UP_SECONDS = 30;
execFileSync(process.execPath, [new URL("../build.ts", import.meta.url).pathname], { stdio: "inherit" });

// The chain's clock runs faster than real time, and stops for the comparison.
const startedAt = Date.now();
const scale = (hours * 60) / minutes;
let stoppedAt: number | undefined;
const now = () => startedAt + ((stoppedAt ?? Date.now()) - startedAt) * scale;
const simulator = await startSimulator({ seed: 24, history: 60, now, keepBlocks: 1_000_000, randomEvents: true });
const { chain } = simulator;
const principals = [...chain.accounts.users.slice(0, 8), chain.accounts.sponsor, chain.accounts.contracts.vault];
const config = `networks:
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
`;
const wrong = await withProgram(config, async ({ child, page }) => {
  await sleep(WARM_UP_SECONDS);
  // At the start, after every hour, and at the end.
  const memory = [memoryMb(child)];
  const firstHeight = chain.height;
  let reorgs = 0;
  for (let hour = 1; hour <= hours; hour += 1) {
    await sleep((minutes * 60 - WARM_UP_SECONDS) / hours);
    if (hour < hours) {
      chain.reorg(3 + ((hour - 1) % 3));
      reorgs += 1;
      await page();
    } else {
      stoppedAt = Date.now();
      simulator.advance(0);
    }
    memory.push(memoryMb(child));
  }
  const depth = chain.height - CONFIRMATIONS + 1;
  let wrong = ["the counters were not compared"];
  let text = "";
  for (let tries = 0; tries < 120 && wrong.length > 0; tries += 1) {
    await sleep(0.5);
    text = await page();
    wrong = differences(totalsOf(text), chain, principals, depth);
  }
  const seen = Number(/^stacks_chain_reorgs_total\{[^}]*\} (\S+)$/m.exec(text)?.[1]);
  const transactions = principals.reduce((sum, one) => sum + expectedTotals(chain, one, depth).transactions, 0);
  console.log(
    JSON.stringify({
      ...{ hours, minutes },
      blocks: chain.height - firstHeight,
      reorgs: { made: reorgs, seen },
      transactions,
      requests: simulator.log.total,
      memoryMb: memory.map(Math.round),
      differences: wrong,
    }),
  );
  return wrong;
});
await simulator.close();
process.exitCode = wrong.length === 0 ? 0 : 1;
