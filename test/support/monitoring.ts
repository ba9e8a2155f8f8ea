// Prometheus, Alertmanager and a webhook, with the shipped rules and the shipped configuration of Alertmanager. The
// waits of rules and routes can be divided.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { type Daemon, startDaemon } from "./daemon.ts";
import { type Route, type RuleGroup, shorten, shortenRoute, shortenRules } from "./time-scale.ts";
import { startWebhook, type Webhook } from "./webhook.ts";

/** The programs that have to be on the PATH. */
export const PROGRAMS = ["prometheus", "prometheus-alertmanager"] as const;

export interface Monitoring {
  readonly webhook: Webhook;
  readonly alertmanager: Daemon;
  /** The values of a query by the label `name`. */
  query(expr: string): Promise<Readonly<Record<string, number>>>;
}

const generated = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../alerts/generated/${name}`, import.meta.url)), "utf8");

/** Starts them for a target, with files in the folder; `parts` stops them. `scale` divides the waits. */
export async function startMonitoring(
  parts: AsyncDisposableStack,
  folder: string,
  target: string,
  scale = 1,
): Promise<Monitoring> {
  const write = (name: string, content: object) => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const webhook = await startWebhook();
  parts.defer(() => webhook.stop());
  const example = parse(generated("alertmanager.yaml")) as { route: Route; receivers: readonly { name: string }[] };
  const alertmanager = await startDaemon("prometheus-alertmanager", [
    `--config.file=${write("alertmanager.json", {
      ...example,
      route: shortenRoute(example.route, scale),
      receivers: example.receivers.map(({ name }) => ({ name, webhook_configs: [{ url: `${webhook.url}/${name}` }] })),
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
  return {
    webhook,
    alertmanager,
    async query(expr) {
      const response = await fetch(`${prometheus.url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
      type Result = { metric: Record<string, string>; value: [number, string] }[];
      const { error, data } = (await response.json()) as { error?: string; data?: { result: Result } };
      if (data === undefined) throw new Error(`${error}: ${expr}`);
      return Object.fromEntries(data.result.map(({ metric, value }) => [metric.name ?? "", Number(value[1])]));
    },
  };
}
