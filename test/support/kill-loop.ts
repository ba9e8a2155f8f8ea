// Kills the exporter (SIGKILL) at random moments while a simulated chain grows, and compares its counters with the
// expected totals.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countPrints } from "../../simulator/chain/expected-totals.ts";
import { Random } from "../../simulator/chain/random.ts";
import { startSimulator } from "../../simulator/server.ts";
import { differences, expectedTotals } from "./expected-totals.ts";
import { Page } from "./page.ts";
import { ifNotListening, type Running, start as startProgram } from "./program.ts";

const CONFIRMATIONS = 3;

/** Minimum number of transactions of watched addresses between two kills. */
export const BETWEEN_KILLS = 5;

/** The result. */
export interface KillLoop {
  readonly kills: number;
  /** Kills before the program listened. */
  readonly early: number;
  readonly reorgs: number;
  /** Transactions that the exporter counted, over all watched addresses. */
  readonly transactions: number;
  /** Lost or doubled counts, and errors. */
  readonly faults: readonly string[];
}

/** Runs the loop with the program at `main`. */
export async function killLoop(main: string, kills: number, seed: number): Promise<KillLoop> {
  const random = new Random(`kill-loop-${seed}`);
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-kill-"));
  let virtual = Date.now();
  const simulator = await startSimulator({ seed, history: 30, now: () => virtual, keepBlocks: 1_000_000 });
  const { chain } = simulator;
  const { accounts } = chain;
  const principals = [...accounts.users.slice(0, 4), accounts.sponsor, accounts.contracts.vault];
  const config = join(folder, "config.yaml");
  writeFileSync(
    config,
    `state: { path: ${join(folder, "state.db")} }
networks:
  - name: simulated
    url: ${simulator.url}
    confirmations: ${CONFIRMATIONS}
    budget: { per_minute: 100000, per_month: unlimited }
    addresses: [${principals.map((address) => `{ address: ${address} }`).join(", ")}]
    contracts: [{ contract_id: ${accounts.contracts.logger} }]
collectors:
  fees: { enabled: false }
  mempool: { enabled: false }
  blocks: { every: 1s, timeout: 1s, catch_up: 1000, blocks_per_minute: 10000 }
  addresses: { every: 1s, timeout: 1s, backfill: all }
  contracts: { every: 1s, timeout: 1s }
`,
  );
  const faults: string[] = [];
  let last = new Page("", "classic");
  let [early, reorgs] = [0, 0];

  const start = () => {
    const program = startProgram(["--config", config, "--listen", "127.0.0.1:0"], {}, { main });
    const listening = program.says(/"address":"([^"]+)"/).then(
      ([, address]) => `http://${address}`,
      () => undefined,
    );
    return { ...program, listening };
  };
  const scrape = async (url: string): Promise<void> => {
    const now = new Page(await (await fetch(`${url}/metrics`)).text(), "classic");
    // Those of the exporter itself begin again at 0.
    const fell = now.decreased(last).filter((series) => /^stacks_(address|contract|chain)_/.test(series));
    faults.push(...fell.map((series) => `${series} fell`));
    last = now;
  };
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const end = async ({ child, finished }: Running, signal: NodeJS.Signals) => {
    child.kill(signal);
    await finished;
  };
  const until = async (isDone: () => Promise<boolean>, what: string) => {
    // Long, because the machine may be busy.
    for (let tries = 0; tries < 6000; tries += 1) {
      if (await isDone()) return;
      await pause(100);
    }
    faults.push(`timed out waiting for ${what}`);
  };
  const transactionsUpTo = (depth: number) =>
    principals.reduce((sum, one) => sum + expectedTotals(chain, one, depth).transactions, 0);
  const confirmedHeight = () => (chain.ledger.tip?.height ?? 0) - CONFIRMATIONS + 1;
  // The activity of the simulated chain depends on the date, so this waits for transactions instead of a time.
  const grow = () => {
    const before = transactionsUpTo(confirmedHeight());
    for (let steps = 0; transactionsUpTo(confirmedHeight()) < before + BETWEEN_KILLS; steps += 1) {
      if (steps > 1000) throw new Error("the simulated chain has no transactions");
      virtual += (5 + random.next() * 40) * 1000;
      simulator.advance(0);
    }
  };

  try {
    // The first polls, while the chain does not grow: earlier prints of a contract are not counted.
    const first = start();
    const url = await first.listening;
    if (url === undefined) throw new Error(`the program did not start: ${first.text().err}`);
    await until(async () => (await (await fetch(`${url}/-/ready`)).text()).includes("is ready"), "the first polls");
    const printed = countPrints(chain, accounts.contracts.logger, confirmedHeight());
    await end(first, "SIGKILL");

    for (let kill = 0; kill < kills; kill += 1) {
      const isDuringPolls = random.next() >= 0.2;
      if (!isDuringPolls) grow();
      const run = start();
      let isListening = false;
      const watched = run.listening.then(async (address) => {
        isListening = address !== undefined;
        if (address !== undefined) await scrape(address).catch(ifNotListening);
      });
      // Mostly during polls, sometimes before the file is open.
      if (!isDuringPolls) await pause(random.next() * 500);
      else {
        await watched;
        await pause(random.next() * 400);
        grow();
        if (random.next() < 0.4) {
          chain.reorg(1 + Math.floor(random.next() * (CONFIRMATIONS - 1)));
          reorgs += 1;
        }
        await pause(random.next() * 600);
      }
      if (!isListening) early += 1;
      await end(run, "SIGKILL");
      await watched;
      const lines = run.text().err.split("\n");
      const problem = lines.find((line) => /state file|set aside|"level":"(?:error|fatal)"|Error/.test(line));
      if (problem !== undefined) faults.push(`kill ${kill}: ${problem}`);
    }

    const run = start();
    const address = (await run.listening) ?? "";
    const depth = confirmedHeight();
    const wrong = () => differences(last, chain, principals, depth);
    await until(async () => {
      await scrape(address);
      return wrong().length === 0;
    }, "the counters to equal the expected totals");
    faults.push(...wrong());
    const prints = countPrints(chain, accounts.contracts.logger, depth) - printed;
    const events = () => last.sum("stacks_contract_events_total", { contract_id: accounts.contracts.logger });
    await until(async () => {
      await scrape(address);
      return events() === BigInt(prints);
    }, "the events to equal the expected totals");
    if (events() !== BigInt(prints)) faults.push(`${events()} events, expected ${prints}`);
    await end(run, "SIGTERM");
    const transactions = Number(last.sum("stacks_address_transactions_total"));
    return { kills, early, reorgs, transactions, faults };
  } finally {
    await simulator.close();
    rmSync(folder, { recursive: true });
  }
}
