// The configurations of Prometheus and Alertmanager, read by their own tools in the places where the stack mounts them.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { layOutStack } from "../../tools/lint/stack-folder.ts";
import { describeWith } from "../support/installed.ts";
import { yamlOf } from "./files.ts";

interface Alertmanager {
  readonly route: { readonly group_by: readonly string[]; readonly group_wait: string };
  readonly receivers: readonly Readonly<Record<string, unknown>>[];
}
const alertmanager = yamlOf<Alertmanager>("alerts/generated/alertmanager.yaml");

describeWith("promtool", "amtool")("with promtool and amtool (Debian: prometheus, prometheus-alertmanager)", () => {
  let folder: string;
  beforeAll(() => {
    folder = layOutStack("prometheus", "alertmanager");
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = (tool: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(tool, args, { encoding: "utf8" });
    return { status, stdout, output: `${stdout}${stderr}` };
  };

  test("promtool accepts the configuration and the files of rules", () => {
    const { status, output } = run("promtool", "check", "config", join(folder, "etc/prometheus/prometheus.yml"));
    const { rule_files } = yamlOf<{ rule_files: string[] }>("deploy/prometheus/prometheus.yml");

    expect(output).not.toMatch(/FAILED|error/i);
    expect(output.match(/SUCCESS: \d+ rules found/g)).toHaveLength(rule_files.length);
    expect(status).toBe(0);
  });

  test("amtool accepts the configuration", () => {
    const { status, output } = run("amtool", "check-config", join(folder, "etc/alertmanager/alertmanager.yml"));

    expect(output).toMatch(/SUCCESS/);
    expect(status).toBe(0);
  });

  test.each([
    ["heartbeat", "alertname=Watchdog severity=none"],
    ["people", "alertname=StacksUpstreamDown severity=critical network=mainnet"],
    ["people", "alertname=StacksFeeSpike severity=warning network=mainnet"],
    ["record", "alertname=StacksBudgetStretched severity=info network=mainnet"],
  ])("%s receives %s", (receiver, labels) => {
    const file = join(folder, "etc/alertmanager/alertmanager.yml");
    const { stdout } = run("amtool", "config", "routes", "test", `--config.file=${file}`, ...labels.split(" "));

    expect(stdout.trim()).toBe(receiver);
  });
});

test("the receivers send nothing until they have an address", () => {
  for (const receiver of alertmanager.receivers) expect(Object.keys(receiver)).toEqual(["name"]);
});

test("notifications are sent soon, grouped by alert and network", () => {
  expect(alertmanager.route).toMatchObject({ group_by: ["alertname", "network"], group_wait: "10s" });
});
