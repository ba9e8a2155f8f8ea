// An exchange with 40 wallets in a CSV file: a simulated chain, the exporter, Prometheus, Alertmanager and a webhook,
// with the shipped rules and the shipped configuration of Alertmanager. The waits of rules and routes can be divided.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { collectors } from "../../src/collectors/index.ts";
import { startDaemon } from "./daemon.ts";
import { start, until } from "./program.ts";
import { type Route, type RuleGroup, shorten, shortenRoute, shortenRules } from "./time-scale.ts";
import { type Notification, startWebhook } from "./webhook.ts";

/** The programs that have to be on the PATH. */
export const PROGRAMS = ["prometheus", "prometheus-alertmanager"] as const;

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

const generated = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../alerts/generated/${name}`, import.meta.url)), "utf8");

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
    const exporter = start([
      "--config",
      write("exporter.yaml", {
        state: { path: join(folder, "state.db") },
        networks: [{ name: NETWORK, url: simulator.url, budget: BUDGET, address_files: ["wallets.csv"] }],
        collectors: Object.fromEntries(collectors.map(({ name }) => [name, { every: "2s", timeout: "2s" }])),
      }),
      "--listen",
      "127.0.0.1:0",
    ]);
    parts.defer(async () => {
      exporter.child.kill("SIGTERM");
      await exporter.finished;
    });
    const [, target = ""] = await exporter.says(/"address":"([^"]+)"/);

    const webhook = await startWebhook();
    parts.defer(() => webhook.stop());
    const example = parse(generated("alertmanager.yaml")) as { route: Route; receivers: readonly { name: string }[] };
    const alertmanager = await startDaemon("prometheus-alertmanager", [
      `--config.file=${write("alertmanager.json", {
        ...example,
        route: shortenRoute(example.route, scale),
        receivers: example.receivers.map(({ name }) => ({
          name,
          webhook_configs: [{ url: `${webhook.url}/${name}` }],
        })),
      })}`,
      `--storage.path=${join(folder, "alertmanager")}`,
      "--cluster.listen-address=",
    ]);
    parts.defer(() => alertmanager.stop());
    const groups = ["recording.rules.yaml", "alerts.rules.yaml"].flatMap(
      (name) => (parse(generated(name)) as { groups: RuleGroup[] }).groups,
    );
    const interval = shorten("15s", scale);
    const prometheus = await startDaemon("prometheus", [
      `--config.file=${write("prometheus.json", {
        global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
        rule_files: [write("rules.json", { groups: shortenRules(groups, scale) })],
        alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanager.url).host] }] }] },
        scrape_configs: [{ job_name: "stacks", static_configs: [{ targets: [target] }] }],
      })}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
    ]);
    parts.defer(() => prometheus.stop());
    const query = async (expr: string) => {
      const response = await fetch(`${prometheus.url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
      type Result = { metric: Record<string, string>; value: [number, string] }[];
      const { error, data } = (await response.json()) as { error?: string; data?: { result: Result } };
      if (data === undefined) throw new Error(`${error}: ${expr}`);
      return Object.fromEntries(data.result.map(({ metric, value }) => [metric.name ?? "", Number(value[1])]));
    };
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
