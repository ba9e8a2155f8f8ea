// An exchange with 40 wallets in a CSV file: a simulated chain, the exporter, Prometheus, Alertmanager and a webhook.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { collectors } from "../../src/collectors/index.ts";
import { startMonitoring } from "./monitoring.ts";
import { serve, until } from "./program.ts";
import type { Notification } from "./webhook.ts";

const WALLETS = 40;
// Every wallet has sent a transaction before the story begins.
const PAST_SECONDS = 600;
const BUDGET = { per_minute: 100_000, per_month: "unlimited" };
const NETWORK = "exchange";

export interface ExchangeOptions {
  /** Divisor of the waits of rules and routes, and of the scrape interval. */
  readonly scale: number;
  /** Seconds of the chain before the exporter starts. */
  readonly age: number;
  /** Events of the chain in this time. */
  readonly before: (exchange: Pick<Exchange, "simulator" | "wallets">) => void;
}

export interface Exchange {
  readonly simulator: Simulator;
  /** Addresses of the wallets: `wallet-1` is the first. */
  readonly wallets: readonly string[];
  /** The notifications, in order. */
  readonly notifications: readonly Notification[];
  /** The values of a query by the name of the wallet. */
  query(expr: string): Promise<Readonly<Record<string, number>>>;
  /** Labels of the inhibited alerts. */
  inhibited(): Promise<readonly Readonly<Record<string, string>>[]>;
  stop(): Promise<void>;
}

/** The minimum balance of every wallet, STX. */
export const MIN_BALANCE = 5000;

/** Starts everything; resolves when the waiting transactions of every wallet are known. */
export async function startExchange({ scale, age, before }: ExchangeOptions): Promise<Exchange> {
  const parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-exchange-"));
  parts.defer(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: string | object) => {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
    return join(folder, name);
  };
  try {
    const simulator = await startSimulator({ seed: 11, start: Date.now() / 1000 - age - PAST_SECONDS });
    parts.defer(() => simulator.close());
    const wallets = Array.from({ length: WALLETS }, (_, index) => simulator.chain.accounts.unused(500_000 + index));
    for (const wallet of wallets) simulator.chain.send(wallet, { fee: 5000, amount: 1n });
    simulator.advance(PAST_SECONDS);
    const end = simulator.chain.now + age;
    before({ simulator, wallets });
    simulator.advance(Math.max(0, end - simulator.chain.now));
    const rows = wallets.map((address, index) => `${address},wallet-${index + 1},exchange,true,${MIN_BALANCE} STX`);
    write("wallets.csv", `address,name,group,waiting,min_balance.stx\n${rows.join("\n")}\n`);
    const exporter = await serve([
      "--config",
      write("exporter.yaml", {
        state: { path: join(folder, "state.db") },
        networks: [{ name: NETWORK, url: simulator.url, budget: BUDGET, address_files: ["wallets.csv"] }],
        collectors: Object.fromEntries(collectors.map(({ name }) => [name, { every: "2s", timeout: "2s" }])),
      }),
    ]);
    parts.defer(async () => void (await exporter.stop()));

    const { webhook, alertmanager, query } = await startMonitoring(parts, folder, exporter.address, scale);
    const polled = `count(count by (name) (stacks_address_mempool_transactions))`;
    await until(async () => (await query(polled))[""] === WALLETS || undefined, "every wallet", 600_000);
    return {
      simulator,
      wallets,
      notifications: webhook.notifications,
      query,
      inhibited: async () => {
        const response = await fetch(`${alertmanager.url}/api/v2/alerts`);
        const all = (await response.json()) as { labels: Record<string, string>; status: { inhibitedBy: string[] } }[];
        return all.filter(({ status }) => status.inhibitedBy.length > 0).map(({ labels }) => labels);
      },
      stop: () => parts.disposeAsync(),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}
