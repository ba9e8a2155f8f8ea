// Starts a real Prometheus for a test, and queries it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDaemon } from "./daemon.ts";

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  /** Result of an instant query: Unix seconds, and the value. */
  readonly value?: readonly [number, string];
}

export interface Prometheus {
  readonly url: string;
  /** Series of an instant query now, or of a range query over the last seconds. Throws with the error of Prometheus. */
  query(expr: string, rangeSeconds?: number): Promise<readonly Series[]>;
  stop(): Promise<void>;
}

/** Scrapes a target every second; `groups` are rule groups as in a rule file, `jobs` settings of several jobs. */
export async function startPrometheus(
  target: string,
  groups: readonly object[] = [],
  jobs: readonly object[] = [{ job_name: "stacks" }],
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-prometheus-"));
  const config = {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: [join(folder, "rules.yml")],
    scrape_configs: jobs.map((job) => ({ ...job, static_configs: [{ targets: [target] }] })),
  };
  // YAML is a superset of JSON.
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
  writeFileSync(join(folder, "rules.yml"), JSON.stringify({ groups }));
  const server = await startDaemon("prometheus", [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    "--enable-feature=exemplar-storage",
  ]);
  const { url } = server;
  return {
    url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
    async query(expr, rangeSeconds) {
      const now = Date.now() / 1000;
      const parameters: Record<string, string> =
        rangeSeconds === undefined
          ? { query: expr }
          : { query: expr, start: String(now - rangeSeconds), end: String(now), step: "1" };
      const path = rangeSeconds === undefined ? "query" : "query_range";
      const response = await fetch(`${url}/api/v1/${path}`, { method: "POST", body: new URLSearchParams(parameters) });
      const body = (await response.json()) as { error?: string; data?: { result: Series[] } };
      if (body.data === undefined) throw new Error(`${body.error}: ${expr}`);
      return body.data.result;
    },
  };
}
