import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { subjects } from "../../alerts/index.ts";
import { withJoinedLabels } from "../../alerts/joined-labels.ts";
import { type PrometheusGroup, type PrometheusRule, rulesWith, ruleTemplate } from "../../alerts/prometheus-rules.ts";
import { runbookUrl } from "../../alerts/runbook-page.ts";
import { DEFAULTS } from "../../alerts/values.ts";
import type { Flags } from "../../src/commands/load-config.ts";
import { rules } from "../../src/commands/rules.ts";
import { dataOf } from "../support/data.ts";
import { folderOfTests } from "../support/folder.ts";
import { describeWith } from "../support/installed.ts";
import { runCommand } from "../support/io.ts";
import { parsePromql } from "../support/promql.ts";

const A = "SP000000000000000000002Q6VF78";
const folder = folderOfTests();

const WATCHING = `
    addresses: [{ address: ${A}, waiting: true, labels: { team: payments } }]
    address_files: [more.csv]
    contracts: [{ contract_id: ${A}.pox-4, labels: { owner: data } }]`;

/** Runs the command on a network with these settings, and these collectors. */
function run(
  network: string,
  collectors = "balances: { addresses: all }, waiting: { addresses: all }",
  flags: Partial<Flags> = {},
  others = "",
) {
  writeFileSync(join(folder, "more.csv"), `address,desk\n${A}.vault,north\n`);
  writeFileSync(
    join(folder, "c.yaml"),
    `networks:\n  - name: m\n    url: http://127.0.0.1:1${network}\ncollectors: { ${collectors} }\n${others}\n`,
  );
  return runCommand((io) => rules({ "config.file": join(folder, "c.yaml"), ...flags }, io));
}
const groupsIn = (text: string) => (parse(text) as { readonly groups: readonly PrometheusGroup[] }).groups;
const alertsIn = (text: string) =>
  groupsIn(text).flatMap(({ rules }) =>
    rules.filter((rule): rule is PrometheusRule & { alert: string } => rule.alert !== undefined),
  );

test("prints the shipped rules, with the labels of the configuration and of its files", async () => {
  const { code, out, err } = await run(WATCHING);

  const labels = { address: ["group", "desk", "team"], contract_id: ["group", "owner"] };
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(groupsIn(out)).toEqual(rulesWith(DEFAULTS, withJoinedLabels(ruleTemplate, labels)));
});

test("adds the group where nothing else is configured", async () => {
  const { out } = await run(`\n    addresses: [{ address: ${A} }]`);

  expect(out).toContain("group_left (group) stacks:address_info:newest");
});

test("links to the runbooks of the external URL", async () => {
  const { out } = await run(WATCHING, "", {}, "web: { external_url: https://stacks.example/ }");
  const base = "https://stacks.example/runbooks";
  const urls = subjects.flatMap(({ name, alerts }) => alerts.map((one) => [one.alert, runbookUrl(one, name, base)]));

  for (const { alert, annotations } of alertsIn(out)) expect(urls).toContainEqual([alert, annotations?.runbook_url]);
});

const { good, bad, errors } = dataOf<Record<"good" | "bad" | "errors", string>>("rules.yaml", import.meta.url);

function valuesOf(text: string): Pick<Flags, "values"> {
  const values = join(folder, "values.yaml");
  writeFileSync(values, text);
  return { values };
}

describe("with values", () => {
  let written: readonly (PrometheusRule & { readonly alert: string })[];
  let groupsOut: readonly PrometheusGroup[];
  const boards = () => join(folder, "boards");
  const boardText = (uid: string) => readFileSync(join(boards(), `${uid}.json`), "utf8");
  beforeAll(async () => {
    mkdirSync(boards());
    const { code, out, err } = await run(WATCHING, undefined, { ...valuesOf(good), boards: boards() });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    groupsOut = groupsIn(out);
    written = alertsIn(out);
  });
  const alert = (name: string) => written.find((one) => one.alert === name);

  test("limits and times are those of the file, others are the defaults", () => {
    expect(alert("StacksFeeSpike")).toMatchObject({
      expr: expect.stringMatching(/ > 6 and \(.* > 8 or .* > 6\)$/),
      for: "10m",
      keep_firing_for: "30m",
      annotations: { summary: "Fees on {{ $labels.network }} are more than 6 times the usual" },
    });
    expect(alert("StacksAddressUnlockSoon")?.expr).toContain("- 2000000) % 1050 - 50 -");
    expect(alert("StacksFeeAbsolute")?.expr).toContain("> 0.1");
    expect(alert("StacksTenureShort")).toBeUndefined();
  });

  test("alerts have the labels, and links to the runbooks and dashboards", () => {
    expect(written.filter(({ labels }) => labels?.department !== "chain")).toEqual([]);
    expect(alert("StacksFeeSpike")?.annotations).toMatchObject({
      runbook_url: "https://wiki.example/runbooks/fees#stacksfeespike",
      dashboard_url: expect.stringMatching(/^https:\/\/grafana\.example\/d\/stacks-fees\?var-job=/),
    });
  });

  test("every series is selected, and joined by the labels of the cluster and the namespace", () => {
    const queries = groupsOut.flatMap(({ rules }) => rules.map(({ expr }) => parsePromql(expr)));
    const matchers = queries.flatMap(({ selectors }) => selectors.map(({ matchers }) => matchers));

    expect(matchers.length).toBeGreaterThan(100);
    for (const own of matchers) {
      expect(own).toContainEqual(expect.objectContaining({ label: "job", op: "=", value: "stacks" }));
      expect(own).toContainEqual(expect.objectContaining({ label: "cluster", op: "=~", value: "eu|us" }));
    }
    const joins = queries.flatMap(({ groupings }) =>
      groupings.filter(({ kind, labels }) => kind === "on" && labels[0]),
    );
    expect(joins.filter(({ labels }) => !labels.includes("region") || !labels.includes("namespace"))).toEqual([]);
  });

  test("the dashboards have the same limits, labels and links", () => {
    const fees = boardText("stacks-fees");

    for (const uid of ["stacks-fees", "stacks-addresses", "stacks-contracts", "stacks-exporter"])
      expect(boardText(uid)).not.toMatch(/%\(|127\.0\.0\.1|cluster=~\\"\$cluster/);
    expect(fees).toContain('"title":"Times usual: alert above 6 for 9m"');
    expect(fees).toContain('{"value":6,"color":"red"}');
    expect(fees).toContain('label_values(stacks_exporter_build_info{job=\\"stacks\\", cluster=~\\"eu|us\\"}, region)');
  });
});

test("reports all errors of the values at once, with path, expected and found", async () => {
  const { code, out, err } = await run(WATCHING, "", valuesOf(bad));

  expect([code, out]).toEqual([1, ""]);
  expect(`${err.replaceAll(`${join(folder, "values.yaml")}:`, "")}\n`).toBe(errors);
});

test("refuses an additional label by which series of alerts differ, which would make alerts the same", async () => {
  const { code, out, err } = await run(WATCHING, "", valuesOf("additionalLabels: { severity: info, network: all }\n"));
  const reason = "additionalLabels.network: series of alerts, or the rules, have a label of that name";
  expect([code, out, err.trimEnd()]).toEqual([1, "", reason]);
});

test("writes a file", async () => {
  const output = join(folder, "rules.yaml");
  const printed = await run(WATCHING);

  expect(await run(WATCHING, undefined, { output })).toEqual({ code: 0, out: "", err: "" });
  expect(readFileSync(output, "utf8")).toBe(printed.out);
});

test.each(["c.yaml", "more.csv", "values.yaml"])("does not overwrite what it reads: %s", async (name) => {
  const output = `${folder}/../${basename(folder)}/${name}`;
  const { code, err } = await run(WATCHING, undefined, { ...valuesOf(good), output });

  expect([code, err]).toEqual([1, "--output: expected another file, found one that the command reads"]);
  expect(readFileSync(join(folder, name), "utf8")).not.toContain("groups:");
});

test("needs a folder for dashboards that exists", async () => {
  expect(await run(WATCHING, undefined, { boards: join(folder, "none") })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^--boards: expected a file that can be written, found ENOENT/),
  });
});

test("reports the labels that it does not add", async () => {
  const { out, err } = await run(`\n    addresses: [{ address: ${A}, labels: { asset: x, team: y, severity: z } }]`);

  expect(out).toContain("group_left (group, team) stacks:address_info:newest");
  for (const label of ["asset", "severity"]) expect(err).toContain(`the label ${label} is not added: `);
});

test("refuses a label by which rules join: alerts would have no label of the watch list", async () => {
  const labels = "{ region: b, team: y }";
  const { code, out, err } = await run(`\n    addresses: [{ address: ${A}, labels: ${labels} }]`, "", valuesOf(good));

  const reason = "the label region of a watch list: rules join by a label of that name";
  expect({ code, out, err }).toEqual({ code: 1, out: "", err: reason });
});

describeWith("promtool")("with promtool (Debian: apt-get install prometheus)", () => {
  test("the rules are valid, and have no findings", async () => {
    const output = join(folder, "checked.yaml");
    await run(WATCHING, undefined, { output, ...valuesOf(good) });
    const { status, stderr } = spawnSync("promtool", ["check", "rules", "--lint=all", "--lint-fatal", output], {
      encoding: "utf8",
    });

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
