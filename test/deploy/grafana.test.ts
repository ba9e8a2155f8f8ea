// The provisioning of Grafana: the data source of dashboards and alerts, and the folder of the dashboards.
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "@jest/globals";
import { DATASOURCE_UID } from "../../tools/generate/grafana-alerts.ts";
import { mountOf } from "../../tools/lint/stack-folder.ts";
import { root, yamlOf } from "./files.ts";

interface Compose {
  readonly services: {
    readonly grafana: { readonly volumes: readonly string[]; readonly environment: Readonly<Record<string, string>> };
  };
}
const { services } = yamlOf<Compose>("deploy/compose.yaml");
const mounts = new Map(services.grafana.volumes.map(mountOf).map(({ source, target }) => [target, source]));

interface Sources {
  readonly apiVersion: number;
  readonly datasources: readonly { readonly jsonData: { readonly timeInterval: string } }[];
}
const { apiVersion, datasources } = yamlOf<Sources>("deploy/grafana/provisioning/datasources/prometheus.yaml");

test("the data source has the uid that alerts use, and queries the Prometheus of the stack", () => {
  expect(apiVersion).toBe(1);
  expect(datasources).toHaveLength(1);
  expect(datasources[0]).toMatchObject({
    uid: DATASOURCE_UID,
    type: "prometheus",
    url: "http://prometheus:9090",
    isDefault: true,
    editable: false,
  });
});

test("the data source has the scrape interval, from which Grafana computes $__rate_interval", () => {
  const { global } = yamlOf<{ global: { scrape_interval: string } }>("deploy/prometheus/prometheus.yml");

  expect(datasources[0]?.jsonData.timeInterval).toBe(global.scrape_interval);
});

test("the dashboards are mounted where Grafana reads them, and the home page is one of them", () => {
  const { providers } = yamlOf<{ providers: { type: string; options: { path: string } }[] }>(
    "deploy/grafana/provisioning/dashboards/stacks.yaml",
  );
  const path = providers[0]?.options.path ?? "";
  const home = services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? "";
  const boards = readdirSync(resolve(root, "deploy", mounts.get(path) ?? "nowhere"));

  expect(providers.map(({ type }) => type)).toEqual(["file"]);
  expect(boards.length).toBeGreaterThanOrEqual(4);
  expect(boards.map((name) => `${path}/${name}`)).toContain(home);
});
