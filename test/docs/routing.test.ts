// The Alertmanager example in docs/alerts.md routes alerts by the label `team`.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "@jest/globals";
import { folderOfTests } from "../support/folder.ts";
import { describeWith } from "../support/installed.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/alerts.md", import.meta.url)), "utf8");
const [, example = ""] = /```yaml\n(route:\n.*?)```/s.exec(page) ?? [];

describeWith("amtool")("with amtool (Debian: apt-get install prometheus-alertmanager)", () => {
  const folder = folderOfTests();
  beforeAll(() => writeFileSync(join(folder, "alertmanager.yaml"), example));

  test.each([
    [["team=payments", "severity=critical"], "payments-pager"],
    [["team=payments", "severity=warning"], "payments"],
    [["severity=critical"], "operations-pager"],
    [["severity=warning"], "operations"],
    [["team=other", "severity=critical"], "operations-pager"],
  ])("%j reaches %s", (labels, receiver) => {
    const config = `--config.file=${join(folder, "alertmanager.yaml")}`;
    const { stdout } = spawnSync("amtool", ["config", "routes", "test", config, ...labels], { encoding: "utf8" });

    expect(stdout.trim()).toBe(receiver);
  });
});
