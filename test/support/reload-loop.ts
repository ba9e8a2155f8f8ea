// Reloads the exporter with random valid and invalid configurations while a simulated chain grows and a client scrapes,
// and compares its counters with the expected totals.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../simulator/chain/random.ts";
import { startSimulator } from "../../simulator/server.ts";
import { differences, sumOf, type Totals, totalsOf } from "./expected-totals.ts";
import { start as startProgram } from "./program.ts";

const CONFIRMATIONS = 3;
const COUNTERS = [
  "stacks_address_transactions_total",
  "stacks_address_sent_microstx_total",
  "stacks_address_received_microstx_total",
  "stacks_contract_events_total",
] as const;

/** The result. */
export interface ReloadLoop {
  readonly taken: number;
  readonly refused: number;
  readonly reorgs: number;
  readonly scrapes: number;
  /** Transactions that the exporter counted, over all addresses that are always watched. */
  readonly transactions: number;
  /** Lost or doubled counts, failed scrapes, and wrong responses. */
  readonly faults: readonly string[];
}

/** Runs the loop with the program at `main`. @param isKept whether there is a state file */
export async function reloadLoop(main: string, reloads: number, seed: number, isKept: boolean): Promise<ReloadLoop> {
  const random = new Random(`reload-loop-${seed}`);
  const isLikely = (share: number) => random.next() < share;
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random.next() * values.length)] as T;
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-reloads-"));
  let virtual = Date.now();
  const simulator = await startSimulator({ seed, history: 30, now: () => virtual, keepBlocks: 1_000_000 });
  const { chain } = simulator;
  const { users, sponsor, contracts } = chain.accounts;
  const principals = [...users.slice(0, 4), sponsor, contracts.vault];
  const file = join(folder, "config.yaml");
  const list = join(folder, "list.csv");
  const faults: string[] = [];

  const text = () => `state: ${isKept ? JSON.stringify({ path: join(folder, "state.db") }) : "memory"}
log: { level: ${oneOf(["info", "debug"])} }
max_series: ${oneOf([20_000, 50_000])}
networks:
  - name: simulated
    url: ${simulator.url}
    confirmations: ${CONFIRMATIONS}
    budget: { per_minute: ${oneOf([90_000, 100_000])}, per_month: unlimited }
    address_files: [list.csv]
    contracts:
      - contract_id: ${contracts.logger}
        name: ${oneOf(["logger", "another name"])}
${isLikely(0.5) ? `        events: [{ metric: ${oneOf(["prints", "other_prints"])}_total, type: counter, help: Prints., match: [{ path: topic, exists: true }] }]` : ""}
${isLikely(0.1) ? `  - { name: second, url: "${simulator.url}", budget: { per_minute: 1000, per_month: unlimited } }` : ""}
collectors:
  fees: { enabled: ${isLikely(0.5)} }
  mempool: { enabled: false }
  blocks: { every: 1s, timeout: 1s, catch_up: ${oneOf([500, 1000])} }
  addresses: { every: ${oneOf(["1s", "2s"])}, timeout: 1s, backfill: all, pages: ${oneOf([10, 20])} }
  contracts: { every: 1s, timeout: 1s }
`;
  const bad = () =>
    oneOf([
      (good: string) => good.replace("networks:", "network:"),
      (good: string) => `${good}\n  - [`,
      (good: string) => good.replace("every: 1s", "every: often"),
      (good: string) => good.replace(/name: .*logger.*|name: another name/, "name: [1]"),
      (good: string) => good.replace(/^state:.*/, "state: { path: another.db }"),
      (good: string) => good.replace("list.csv", "missing.csv"),
    ])(text());
  const writeList = () => {
    const others = users.slice(4).filter(() => isLikely(0.3));
    const rows = [...principals, ...others].map((one) => `${one},${oneOf(["", "n"])}${one.slice(-12)}`);
    writeFileSync(list, `address,name\n${rows.join("\n")}\n`);
  };

  let last: Totals = new Map();
  let scrapes = 0;
  const scrape = async (url: string) => {
    const response = await fetch(`${url}/metrics`);
    if (response.status !== 200) faults.push(`a scrape returned ${response.status}`);
    const now = totalsOf(await response.text());
    scrapes += 1;
    for (const principal of [...principals, contracts.logger]) {
      for (const name of COUNTERS) {
        const [before, after] = [sumOf(last, name, principal), sumOf(now, name, principal)];
        if (after < before) faults.push(`${name} of ${principal} fell from ${before} to ${after}`);
      }
    }
    last = now;
  };
  const grow = () => {
    virtual += random.next() * 20_000;
    simulator.advance(0);
  };

  writeList();
  writeFileSync(file, text());
  const program = startProgram(["--config", file, "--listen", "127.0.0.1:0", "--web.enable-lifecycle"], {}, { main });
  let isScraping = true;
  try {
    const [, address] = await program.says(/"address":"([^"]+)"/);
    const url = `http://${address}`;
    const scraping = (async () => {
      while (isScraping) await scrape(url).catch((error) => void faults.push(`a scrape failed: ${error}`));
    })();
    let [taken, refused, reorgs] = [0, 0, 0];
    for (let reload = 0; reload < reloads; reload += 1) {
      grow();
      if (isLikely(0.1)) {
        chain.reorg(1 + Math.floor(random.next() * (CONFIRMATIONS - 1)));
        reorgs += 1;
      }
      const isBad = isLikely(0.3);
      writeList();
      writeFileSync(file, isBad ? bad() : text());
      const response = await fetch(`${url}/-/reload`, { method: "POST" });
      const said = await response.text();
      if (response.status !== (isBad ? 500 : 200)) faults.push(`reload ${reload}: ${response.status} ${said}`);
      if (isBad) refused += 1;
      else taken += 1;
      // Mostly before the polls have ended.
      await sleep(random.next() * 150);
    }
    isScraping = false;
    await scraping;
    writeFileSync(file, text());
    await fetch(`${url}/-/reload`, { method: "POST" });
    const depth = (chain.ledger.tip?.height ?? 0) - CONFIRMATIONS + 1;
    const wrong = () => differences(last, chain, principals, depth);
    // Long, because the machine may be busy.
    for (let tries = 0; tries < 1200 && (tries === 0 || wrong().length > 0); tries += 1) {
      await sleep(100);
      await scrape(url);
    }
    faults.push(...wrong());
    const lines = program.text().err.split("\n");
    const problem = lines.find((line) => /set aside|"level":"fatal"|"reason":"bug"|a reload failed/.test(line));
    if (problem !== undefined) faults.push(problem);
    const transactions = principals.reduce((sum, one) => sum + sumOf(last, COUNTERS[0], one), 0);
    return { taken, refused, reorgs, scrapes, transactions, faults: [...new Set(faults)] };
  } finally {
    isScraping = false;
    program.child.kill("SIGTERM");
    await program.finished;
    await simulator.close();
    rmSync(folder, { recursive: true });
  }
}
