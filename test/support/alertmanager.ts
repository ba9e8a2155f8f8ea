// A real Alertmanager with the shipped routes and inhibitions.
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { parseDuration } from "../../src/config/interval.ts";
import { startDaemon } from "./daemon.ts";
import { until } from "./program.ts";

export const ALERTMANAGER = "prometheus-alertmanager";

export type Labels = Readonly<Record<string, string>>;

/** What becomes of an alert that fires: the receiver that is notified; undefined if another alert inhibits it. */
export interface Routed {
  readonly labels: Labels;
  readonly receiver: string | undefined;
}

interface Route {
  readonly receiver: string;
  readonly group_by?: readonly string[];
  readonly group_wait?: string;
  readonly group_interval?: string;
}

const file = fileURLToPath(new URL("../../alerts/generated/alertmanager.yaml", import.meta.url));
const example = parse(readFileSync(file, "utf8")) as {
  readonly route: Route & { readonly routes: readonly Route[] };
  readonly receivers: readonly { readonly name: string }[];
};

const routeTo = (receiver: string | undefined): Route => ({
  ...example.route,
  ...example.route.routes.find((one) => one.receiver === receiver),
});

/** Seconds until a receiver is notified of an alert: the first of a group, or a further one. */
export function secondsToNotify(receiver: string, isFirst: boolean): number {
  const { group_wait, group_interval } = routeTo(receiver);
  return (parseDuration((isFirst ? group_wait : group_interval) ?? "") ?? Number.NaN) / 1000;
}

/** Alerts of a receiver with the same key are one notification. */
export const groupOf = ({ labels, receiver }: Routed): string =>
  JSON.stringify([receiver, ...(routeTo(receiver).group_by ?? []).map((label) => labels[label])]);

export class Alertmanager implements AsyncDisposable {
  readonly #url: string;
  readonly #parts: AsyncDisposableStack;
  #calls = 0;

  private constructor(url: string, parts: AsyncDisposableStack) {
    this.#url = url;
    this.#parts = parts;
  }

  /** Starts it with receivers that send nothing. */
  static async start(): Promise<Alertmanager> {
    const parts = new AsyncDisposableStack();
    const { path: folder } = parts.use(mkdtempDisposableSync(join(tmpdir(), "stacks-exporter-alertmanager-")));
    const config = join(folder, "alertmanager.yaml");
    // JSON is YAML too.
    const receivers = example.receivers.map(({ name }) => ({ name }));
    writeFileSync(config, JSON.stringify({ ...example, receivers }));
    const flags = [`--config.file=${config}`, `--storage.path=${folder}`, "--cluster.listen-address="];
    const { url, stop } = await startDaemon(ALERTMANAGER, flags);
    parts.defer(stop);
    return new Alertmanager(url, parts);
  }

  /** What becomes of alerts that fire at the same time, apart from those of other calls. */
  async route(alerts: readonly Labels[]): Promise<readonly Routed[]> {
    this.#calls += 1;
    const cluster = String(this.#calls);
    await this.#post(alerts.map((labels) => ({ ...labels, cluster })));
    // It takes alerts in their order: what they inhibit is known when it is known of a later one.
    const last = `${cluster} end`;
    const inhibition = ["StacksExporterDown", "StacksUpstreamDown"];
    await this.#post(inhibition.map((alertname) => ({ alertname, cluster: last })));
    await until(async () => (await this.#get(last)).some((one) => one.receiver === undefined) || undefined, last);
    const routed = await this.#get(cluster);
    return routed.map(({ labels: { cluster: _, ...labels }, receiver }) => ({ labels, receiver }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }

  async #post(alerts: readonly Labels[]): Promise<void> {
    const { status } = await fetch(`${this.#url}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(alerts.map((labels) => ({ labels }))),
    });
    if (status !== 200) throw new Error(`Alertmanager refused alerts with the status ${status}`);
  }

  async #get(cluster: string): Promise<readonly Routed[]> {
    const query = new URLSearchParams({ filter: `cluster="${cluster}"` });
    const response = await fetch(`${this.#url}/api/v2/alerts?${query}`);
    const all = (await response.json()) as {
      readonly labels: Labels;
      readonly receivers: readonly { readonly name: string }[];
      readonly status: { readonly inhibitedBy: readonly string[] };
    }[];
    return all.map(({ labels, receivers: [receiver], status }) => ({
      labels,
      receiver: status.inhibitedBy.length > 0 ? undefined : receiver?.name,
    }));
  }
}
