// Tests of rules with promtool. A scenario is input series, and times at which an alert fires or does not.
import { spawn } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Labels = Readonly<Record<string, string>>;

/** Scraped series, and expected alerts. Times are minutes since the first sample. */
export interface Scenario {
  readonly name: string;
  /** The alert that it is about; `*` for all of them at once. */
  readonly alert: string;
  /** Minutes between evaluations. @default 1 */
  readonly every?: number;
  /** Minutes between samples. @default 1 */
  readonly sampled?: number;
  /** Samples by series, the first at minute 0: see `hold`, `gone`, `missing` and `climb`. */
  readonly series: Readonly<Record<string, string>>;
  /** At each time the alerts that fire, by some of their labels; none: it is quiet. */
  readonly expect: readonly { readonly at: number; readonly firing: readonly Labels[] }[];
}

/** The same value for some minutes. */
export const hold = (value: number, minutes: number): string => `${value}+0x${minutes - 1}`;
/** Not on the page for some minutes: Prometheus marks it stale at once. */
export const gone = (minutes: number): string => (minutes === 1 ? "stale" : `stale _x${minutes - 1}`);
/** Not on the page yet. */
export const missing = (minutes: number): string => `_x${minutes}`;
/** A value that begins at `from` and grows by `step` every minute. */
export const climb = (from: number, step: number, minutes: number): string =>
  `${from}${step < 0 ? "-" : "+"}${Math.abs(step)}x${minutes - 1}`;
/** One after the other. */
export const trace = (...parts: readonly string[]): string => parts.join(" ");

/** A rule as Prometheus reads it, of which a test looks at the name and the expression. */
export interface TestedRule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
}

/**
 * The rules that an alert needs, in the order in which they are evaluated. Recorded series that are `given` are not
 * computed: promtool evaluates all rules at one interval, so the results of a slower group have to be given.
 */
export function closureOf(alert: string, rules: readonly TestedRule[], given: readonly string[] = []): TestedRule[] {
  const needed = new Set<TestedRule>();
  const visit = (rule: TestedRule) => {
    if (needed.has(rule)) return;
    for (const other of rules) {
      const { record } = other;
      const isGiven = given.some((name) => name.startsWith(`${record}{`));
      if (record !== undefined && !isGiven && names(rule.expr).has(record)) visit(other);
    }
    needed.add(rule);
  };
  for (const rule of rules) if (rule.alert === alert || (alert === "*" && rule.alert !== undefined)) visit(rule);
  return [...needed];
}

function names(expr: string): Set<string> {
  return new Set(expr.match(/stacks:[a-z0-9_]+:[a-z0-9_]+/g) ?? []);
}

function expectation(alert: string, { at, firing }: Scenario["expect"][number]): object {
  const name = alert === "*" ? "" : `alertname=${JSON.stringify(alert)}, `;
  const state = `ALERTS{${name}alertstate="firing"}`;
  const by = Object.keys(firing[0] ?? {}).join(", ");
  return {
    expr: firing.length === 0 ? state : `count by (${by}) (${state})`,
    eval_time: `${at * 60}s`,
    exp_samples: firing.map((labels) => ({
      labels: `{${Object.entries(labels)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(", ")}}`,
      value: 1,
    })),
  };
}

/** The scenario as a test file of promtool. */
function testFile(
  { name, alert, every = 1, sampled = 1, series, expect }: Scenario,
  ruleFile: string,
): { readonly tests: readonly object[] } {
  const test = {
    name,
    interval: `${sampled * 60}s`,
    input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
    promql_expr_test: expect.map((one) => expectation(alert, one)),
  };
  return { rule_files: [ruleFile], evaluation_interval: `${every * 60}s`, tests: [test] } as { tests: object[] };
}

/** The annotations of an alert, filled in, at the first time at which the scenario has it firing. */
export async function annotationsOf(
  scenario: Scenario,
  rules: readonly TestedRule[],
): Promise<Readonly<Record<string, string>>> {
  const at = scenario.expect.find(({ firing }) => firing.length > 0)?.at;
  await using folder = await mkdtempDisposable(join(tmpdir(), "stacks-exporter-rules-"));
  const groups = [{ name: "tested", rules: closureOf(scenario.alert, rules, Object.keys(scenario.series)) }];
  const file = testFile({ ...scenario, expect: [] }, "rules.json");
  // No alert is expected, so promtool prints those that fire.
  const alertTest = { eval_time: `${(at ?? 0) * 60}s`, alertname: scenario.alert, exp_alerts: [] };
  const tests = file.tests.map((test) => ({ ...test, alert_rule_test: [alertTest] }));
  await writeFile(join(folder.path, "rules.json"), JSON.stringify({ groups }));
  await writeFile(join(folder.path, "test.json"), JSON.stringify({ ...file, tests }));
  const { output } = await run("promtool", ["test", "rules", join(folder.path, "test.json")]);
  const said = /Annotations:\{(.*)\}$/m.exec(output)?.[1];
  if (said === undefined) throw new Error(`no annotations of ${scenario.alert} in: ${output}`);
  return Object.fromEntries(
    [...said.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", text = ""]) => [name, text]),
  );
}

/** Runs a program to its end, with both streams as one in the order of writing, which shows the failed test. */
export async function run(
  program: string,
  args: readonly string[],
): Promise<{ readonly status: number | null; readonly output: string }> {
  const child = spawn("sh", ["-c", 'exec "$0" "$@" 2>&1', program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    // Less garbage collection: a fifth of the time of promtool.
    env: { ...process.env, GOGC: "400" },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { status, output };
}

/** The output of promtool for each scenario, on the rules that its alert needs: empty if every expectation holds. */
export async function trials(scenarios: readonly Scenario[], rules: readonly TestedRule[]): Promise<string[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "stacks-exporter-rules-"));
  const files = await Promise.all(
    scenarios.map(async (scenario, index) => {
      const groups = [{ name: "tested", rules: closureOf(scenario.alert, rules, Object.keys(scenario.series)) }];
      await writeFile(join(folder.path, `${index}.rules.json`), JSON.stringify({ groups }));
      await writeFile(
        join(folder.path, `${index}.test.json`),
        JSON.stringify(testFile(scenario, `${index}.rules.json`)),
      );
      return join(folder.path, `${index}.test.json`);
    }),
  );
  // Two at once, every other scenario each, because the long ones are next to each other.
  const halves = [0, 1]
    .map((rest) => files.filter((_, index) => index % 2 === rest))
    .filter(({ length }) => length > 0);
  const runs = await Promise.all(halves.map((half) => run("promtool", ["test", "rules", ...half])));
  const output = runs.map((one) => one.output).join("\n");
  const said = new Map(
    output
      .split(/^Unit Testing: {2}/m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf("\n")).trim(), part.slice(part.indexOf("\n")).trim()]),
  );
  return files.map((path) => {
    const text = said.get(path) || `promtool did not run it: ${output}`;
    return text === "SUCCESS" ? "" : text;
  });
}
