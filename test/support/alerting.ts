// Simulated markets, the exporter, Prometheus, Alertmanager and a webhook, with the shipped rules and the shipped
// configuration of Alertmanager. All durations can be divided by one number.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { INTERVALS } from "../../alerts/model.ts";
import { type Duration, FEES, seconds } from "../../alerts/thresholds.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { scheduleOf } from "../../src/collectors/collector.ts";
import { collectors } from "../../src/collectors/index.ts";
import { formatDuration, parseDuration } from "../../src/scheduler/interval.ts";
import { startDaemon } from "./daemon.ts";
import { openMetrics, readPast, stagesOfPast } from "./past.ts";
import { start, until } from "./program.ts";
import { run } from "./promtool.ts";
import { type Route, type RuleGroup, shorten, shortenRoute, shortenRules } from "./time-scale.ts";
import { type Notification, startWebhook } from "./webhook.ts";

/** The programs that have to be on the PATH. */
export const PROGRAMS = ["prometheus", "promtool", "prometheus-alertmanager"] as const;

const LABELS = { job: "stacks", instance: "exporter:10789" } as const;
const BUDGET = { per_minute: 100_000, per_month: "unlimited" };
// The exporter polls no faster.
const MIN_MS = 1000;
// A little more than the baselines need.
const PAST_SECONDS = seconds(FEES.baseline.minHistory) + 3600;

/** Waiting fees divided by the usual ones, as in StacksFeeSpike. */
export const WAITING_RATIO = 'stacks:mempool_fee_priority_microstx:ratio7d{tx_type="all", priority="low"}';

export interface AlertingOptions {
  readonly networks: readonly string[];
  /** Divisor of every duration, and speed of the markets. */
  readonly scale: number;
  readonly seed: number;
  /** Virtual time at which the markets go live, Unix seconds. */
  readonly liveFrom: number;
  /** Scrape interval of Prometheus, before division. */
  readonly scrapeInterval: Duration;
  /** Collectors that are off. @default none */
  readonly without?: readonly string[];
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** An alert as Prometheus has it now. */
export interface ActiveAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: "pending" | "firing";
  /** Since when its condition holds, RFC 3339. */
  readonly activeAt: string;
}

export interface Alerting {
  readonly markets: ReadonlyMap<string, Simulator>;
  /** The notifications, in order. */
  readonly notifications: readonly Notification[];
  query(expr: string): Promise<readonly Sample[]>;
  active(): Promise<readonly ActiveAlert[]>;
  /** Labels of the inhibited alerts. */
  inhibited(): Promise<readonly Readonly<Record<string, string>>[]>;
  stop(): Promise<void>;
}

const generated = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../alerts/generated/${name}`, import.meta.url)), "utf8");

/** Starts everything; resolves when Prometheus has seen a poll of every collector that needs no watch list. */
export async function startAlerting(options: AlertingOptions): Promise<Alerting> {
  const { networks, scale, seed, liveFrom, scrapeInterval, without = [] } = options;
  const parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-alerting-"));
  parts.defer(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: string | object) => {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
    return join(folder, name);
  };
  const data = join(folder, "data");
  // Rules more often than scrapes would only cost.
  const slowed = (group: RuleGroup) =>
    seconds(group.interval as Duration) < seconds(scrapeInterval) ? { ...group, interval: scrapeInterval } : group;
  const groupsOf = (name: string) =>
    shortenRules((parse(generated(name)) as { groups: RuleGroup[] }).groups.map(slowed), scale);
  const recordings = groupsOf("recording.rules.yaml");
  const prometheus = (config: object) =>
    startDaemon("prometheus", [
      `--config.file=${write("prometheus.json", config)}`,
      `--storage.tsdb.path=${data}`,
      `--query.lookback-delta=${shorten("5m", scale)}`,
      `--rules.alert.resend-delay=${shorten("1m", scale)}`,
    ]);
  try {
    const stages = stagesOfPast(recordings);
    const every = { lately: seconds("1m"), before: seconds(INTERVALS.baselines) };
    const pages = await readPast({ seed, until: liveFrom, seconds: PAST_SECONDS, without, every });
    const to = Math.floor(Date.now() / 1000);
    const read = recordings.filter(({ name }) => name.startsWith("stacks-fees-"));
    const past = openMetrics(pages, read, { labels: LABELS, networks, to, scale });
    await promtool("create-blocks-from", "openmetrics", write("past.om", past), data);
    for (const groups of stages) {
      // A new one sees the blocks of the stage before.
      const reader = await prometheus({});
      try {
        await promtool(
          "create-blocks-from",
          "rules",
          `--url=${reader.url}`,
          `--start=${to - PAST_SECONDS / scale}`,
          `--end=${to}`,
          `--output-dir=${data}`,
          write("past.rules.json", { groups }),
        );
      } finally {
        await reader.stop();
      }
    }

    const markets = new Map<string, Simulator>();
    for (const network of networks) {
      const simulator = await startSimulator({ seed, start: liveFrom, timeScale: scale });
      parts.defer(() => simulator.close());
      markets.set(network, simulator);
    }
    const exporter = start([
      "--config",
      write("exporter.yaml", {
        networks: [...markets].map(([name, { url }]) => ({ name, url, budget: BUDGET })),
        collectors: Object.fromEntries(
          collectors.map(({ name, schedule }) => [
            name,
            {
              enabled: !without.includes(name),
              every: pace(scheduleOf(schedule, "keyless").replace("every ", ""), scale),
            },
          ]),
        ),
        state: "memory",
      }),
      "--listen",
      "127.0.0.1:0",
    ]);
    parts.defer(async () => {
      exporter.child.kill("SIGTERM");
      await exporter.finished;
    });
    const [, target = ""] = await exporter.says(/"address":"([^"]+)"/);
    await until(() => fetch(`http://${target}/-/ready`).then(({ ok }) => ok || undefined), "the exporter");

    const webhook = await startWebhook();
    parts.defer(() => webhook.stop());
    const example = parse(generated("alertmanager.yaml")) as { route: Route; receivers: readonly { name: string }[] };
    const shipped = {
      ...example,
      route: shortenRoute(example.route, scale),
      receivers: example.receivers.map(({ name }) => ({ name, webhook_configs: [{ url: `${webhook.url}/${name}` }] })),
    };
    const alertmanager = await startDaemon("prometheus-alertmanager", [
      `--config.file=${write("alertmanager.json", shipped)}`,
      `--storage.path=${join(folder, "alertmanager")}`,
      "--cluster.listen-address=",
    ]);
    parts.defer(() => alertmanager.stop());

    const interval = shorten(scrapeInterval, scale);
    const server = await prometheus({
      global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
      rule_files: [write("rules.json", { groups: [...recordings, ...groupsOf("alerts.rules.yaml")] })],
      alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanager.url).host] }] }] },
      scrape_configs: [
        { job_name: LABELS.job, static_configs: [{ targets: [target], labels: { instance: LABELS.instance } }] },
      ],
    });
    parts.defer(() => server.stop());
    const request = async <T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> => {
      const response = await fetch(`${server.url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
      const body = (await response.json()) as { error?: string; data?: T };
      if (body.data === undefined) throw new Error(`${path}: ${body.error}`);
      return body.data;
    };
    const query = async (expr: string) =>
      (
        await request<{ result: { metric: Record<string, string>; value: [number, string] }[] }>("query", {
          query: expr,
        })
      ).result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    // Only the exporter itself reports it, not the history.
    const polled = collectors.filter(({ name, targets }) => targets === undefined && !without.includes(name)).length;
    const success = `count by (network) (stacks_exporter_collector_success == 1) == ${polled}`;
    await until(
      async () => (await query(success)).length === networks.length || undefined,
      "the first polls of every network",
    );
    return {
      markets,
      notifications: webhook.notifications,
      query,
      active: async () => (await request<{ alerts: ActiveAlert[] }>("alerts")).alerts,
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

/** A poll interval divided by the scale, but at least the minimum of the exporter. */
const pace = (interval: string, by: number) =>
  (parseDuration(interval) ?? 0) / by < MIN_MS ? formatDuration(MIN_MS) : shorten(interval, by);

async function promtool(...args: readonly string[]): Promise<void> {
  const { status, output } = await run("promtool", ["tsdb", ...args]);
  if (status !== 0) throw new Error(`promtool tsdb ${args.join(" ")}:\n${output}`);
}
