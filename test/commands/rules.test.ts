import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { withJoinedLabels } from "../../alerts/joined-labels.ts";
import type { PrometheusGroup, PrometheusRule } from "../../alerts/prometheus-rules.ts";
import { type RulesFlags, rules } from "../../src/commands/rules.ts";
import { groups } from "../alerts/rules.ts";
import { describeWith } from "../support/installed.ts";
import { runCommand } from "../support/io.ts";

const A = "SP000000000000000000002Q6VF78";
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stacks-exporter-rules-command-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const WATCHING = `
    addresses: [{ address: ${A}, waiting: true, labels: { team: payments } }]
    address_files: [more.csv]
    contracts: [{ contract_id: ${A}.pox-4, labels: { owner: data } }]`;

/** Runs the command on a network with these settings, and these collectors. */
function run(
  network: string,
  collectors = "balances: { addresses: all }, waiting: { addresses: all }",
  flags: Partial<RulesFlags> = {},
) {
  writeFileSync(join(folder, "more.csv"), `address,desk\n${A}.vault,north\n`);
  writeFileSync(
    join(folder, "c.yaml"),
    `networks:\n  - name: m\n    url: http://127.0.0.1:1${network}\ncollectors: { ${collectors} }\n`,
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
  const shipped = groups.filter(({ name }) => !name.endsWith("-optional"));
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(groupsIn(out)).toEqual(withJoinedLabels(shipped, labels));
});

test("adds the group where nothing else is configured", async () => {
  const { out } = await run(`\n    addresses: [{ address: ${A} }]`);

  expect(out).toContain("group_left (group) stacks:address_info:newest");
});

test("has the optional alerts on request", async () => {
  const { out } = await run(WATCHING, "", { optional: true });

  expect(alertsIn(out)).toHaveLength(
    groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined).length,
  );
});

test("has links to the runbooks of the operator", async () => {
  const { out } = await run(WATCHING, "", { runbookUrl: "https://wiki.example/runbooks/" });
  const urls = alertsIn(out).map(({ annotations }) => annotations?.runbook_url ?? "");

  expect(urls.filter((url) => !/^https:\/\/wiki\.example\/runbooks\/[a-z]+#stacks[a-z]+$/.test(url))).toEqual([]);
  expect(await run(WATCHING, "", { runbookUrl: "wiki" })).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining('--runbook-url: expected an http or https URL, found "wiki"'),
  });
});

test("writes a file, or reports why not", async () => {
  const output = join(folder, "rules.yaml");
  const printed = await run(WATCHING);

  expect(await run(WATCHING, undefined, { output })).toEqual({ code: 0, out: "", err: "" });
  expect(readFileSync(output, "utf8")).toBe(printed.out);
  expect(await run(WATCHING, undefined, { output: join(folder, "none", "rules.yaml") })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^--output: expected a file that can be written, found ENOENT/),
  });
});

test("reports the labels that it does not add", async () => {
  const { out, err } = await run(`\n    addresses: [{ address: ${A}, labels: { asset: x, team: y, severity: z } }]`);

  expect(out).toContain("group_left (group, team) stacks:address_info:newest");
  for (const label of ["asset", "severity"]) expect(err).toContain(`the label ${label} is not added: `);
});

describeWith("promtool")("with promtool (Debian: apt-get install prometheus)", () => {
  test("the rules are valid, and have no findings", async () => {
    const output = join(folder, "checked.yaml");
    await run(WATCHING, undefined, { output, optional: true });
    const { status, stderr } = spawnSync("promtool", ["check", "rules", "--lint=all", "--lint-fatal", output], {
      encoding: "utf8",
    });

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
