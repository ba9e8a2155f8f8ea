// The configuration of Alertmanager. test/alerts/alertmanager.test.ts routes alerts with it.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "@jest/globals";
import { describeWith } from "../support/installed.ts";
import { root, yamlOf } from "./files.ts";

interface Alertmanager {
  readonly route: { readonly group_by: readonly string[]; readonly group_wait: string };
  readonly receivers: readonly Readonly<Record<string, unknown>>[];
}
const FILE = "alerts/generated/alertmanager.yaml";
const alertmanager = yamlOf<Alertmanager>(FILE);

describeWith("amtool")("with amtool (Debian: prometheus-alertmanager)", () => {
  test.each([FILE, "alerts/generated/alertmanager-silent.yaml"])("%s is valid", (file) => {
    const { status, stdout } = spawnSync("amtool", ["check-config", resolve(root, file)], { encoding: "utf8" });

    expect([status, stdout]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });
});

test("every receiver has an address, and secrets are in files; the silent configuration is the same without them", () => {
  const silent = yamlOf<Alertmanager>("alerts/generated/alertmanager-silent.yaml");

  expect(alertmanager.receivers.map((receiver) => Object.keys(receiver))).toEqual([
    ["name", "slack_configs"],
    ["name", "pagerduty_configs"],
    ["name", "slack_configs"],
    ["name", "webhook_configs"],
  ]);
  expect(silent).toEqual({ ...alertmanager, receivers: alertmanager.receivers.map(({ name }) => ({ name })) });
});

test("notifications are sent soon, grouped by alert and network", () => {
  expect(alertmanager.route).toMatchObject({
    group_by: ["alertname", "network", "cluster", "namespace"],
    group_wait: "10s",
  });
});
