// Checks rules, dashboards, configurations and workflows with the usual linters; a test checks the chart and manifests.
// A tool that is not installed is skipped with a message; with REQUIRE_PROGRAMS=1 that is a failure.
import { spawnSync } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { layOutStack } from "./stack-folder.ts";
import { toolOf } from "./tools.ts";

interface Check {
  readonly about: string;
  readonly tool: string;
  /** Arguments of each call; a call that does not end with 0 fails the check. */
  readonly calls: readonly (readonly string[])[];
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = layOutStack("prometheus", "alertmanager");
const rules = ["deploy/prometheus/watchdog.yaml", ...globSync("alerts/generated/*.rules.yaml", { cwd: root })];
const boards = globSync("dashboards/json/*.json", { cwd: root });
const workflows = globSync(".github/workflows/*.yml", { cwd: root });

const checks: readonly Check[] = [
  { about: "rules", tool: "promtool", calls: [["check", "rules", "--lint=all", "--lint-fatal", ...rules]] },
  {
    about: "configuration of Prometheus",
    tool: "promtool",
    calls: [["check", "config", "--lint=all", "--lint-fatal", `${folder}/etc/prometheus/prometheus.yml`]],
  },
  {
    about: "configuration of Alertmanager",
    tool: "amtool",
    calls: [["check-config", `${folder}/etc/alertmanager/alertmanager.yml`]],
  },
  // Offline: whether series exist is known from the declarations, and tested there.
  {
    about: "rules",
    tool: "pint",
    calls: [["--no-color", "--offline", "lint", "--fail-on=info", "--min-severity=info", ...rules]],
  },
  { about: "boards", tool: "dashboard-linter", calls: boards.map((board) => ["lint", "--strict", board]) },
  // Without the linters for shell and Python that it calls when they are installed: every machine reports the same.
  { about: "workflows", tool: "actionlint", calls: [["-no-color", "-shellcheck=", "-pyflakes=", ...workflows]] },
];

const totals = { passed: 0, failed: 0, skipped: 0 };
try {
  for (const { about, tool: name, calls } of checks) {
    const tool = toolOf(name);
    if ("missing" in tool) {
      totals.skipped += 1;
      console.log(`SKIPPED  ${name}: ${about}: ${tool.missing}`);
      continue;
    }
    if (calls.length === 0) throw new Error(`${name}: ${about}: expected something to check, found nothing`);
    const failures = calls
      .map((args) => spawnSync(tool.command, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }))
      .filter(({ status }) => status !== 0);
    totals[failures.length === 0 ? "passed" : "failed"] += 1;
    console.log(`${failures.length === 0 ? "ok      " : "FAILED  "} ${name}: ${about}`);
    for (const { stdout, stderr, error } of failures) console.log(error?.message ?? `${stdout}${stderr}`.trim());
  }
} finally {
  rmSync(folder, { recursive: true });
}

console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
const isStrict = process.env.REQUIRE_PROGRAMS !== undefined;
process.exitCode = totals.failed > 0 || (isStrict && totals.skipped > 0) ? 1 : 0;
