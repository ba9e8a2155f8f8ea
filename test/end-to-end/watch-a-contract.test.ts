// The commands, the configuration, the queries and the rules of docs/watch-a-contract.md, on a simulated chain.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { startSimulator } from "../../simulator/server.ts";
import { folderOfTests } from "../support/folder.ts";
import { describeWith } from "../support/installed.ts";
import { killAll, run, start, until } from "../support/program.ts";
import { parsePromql } from "../support/promql.ts";
import { run as runProgram } from "../support/promtool.ts";

const page = readFileSync(new URL("../../docs/watch-a-contract.md", import.meta.url), "utf8");
const blocksOf = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text = ""]) => text);
const [first = "", second = "", rules = ""] = blocksOf("yaml");
const queries = blocksOf("promql");
const alerts = (parse(rules) as { groups: { rules: { expr: string }[] }[] }).groups.flatMap((group) => group.rules);

/** The arguments of the command of the page that begins with these words. */
function argumentsOf(...words: string[]): string[] {
  const command = blocksOf("sh").find((text) => text.startsWith(["npm start --", ...words].join(" ")));
  if (command === undefined) throw new Error(`the page has no command ${words.join(" ")}`);
  return command
    .trim()
    .split(" ")
    .slice(3)
    .map((word) => (word === "amm.yaml" ? config : word));
}

let simulator: Awaited<ReturnType<typeof startSimulator>>;
const folder = folderOfTests();
const config = join(folder, "amm.yaml");
beforeAll(async () => {
  // The seed of the demo, so that the contract of the page exists.
  simulator = await startSimulator({ seed: 1, timeScale: 20 });
});
afterAll(async () => {
  killAll();
  await simulator.close();
});

const save = (text: string) => writeFileSync(config, text.replaceAll("http://127.0.0.1:20443", simulator.url));

test("events prints the shape that the page shows", async () => {
  save(first);

  const { code, out } = await run(argumentsOf("events"));

  expect(code).toBe(0);
  expect(out).toMatch(/^shape \d, value\.event is "swap": /m);
  const [, paths = ""] = /^shape 1(.*?)^```$/ms.exec(page) ?? [];
  for (const [, path = "", type = ""] of paths.matchAll(/^ {2}(value\.\S+|topic) +(\S+)/gm)) {
    expect(out).toMatch(new RegExp(`^ {2}${path.replace(".", "\\.")} +${type} `, "m"));
  }
});

test("the configuration is valid, and its rules match", async () => {
  save(second);

  expect(await run(argumentsOf("check"))).toMatchObject({ code: 0, err: "" });
  const { code, out } = await run(argumentsOf("try"));
  expect(code).toBe(0);
  expect(out).toMatch(/^rule amm_swaps_total: [1-9]\d* match\n/m);
  expect(out).toMatch(/^rule amm_swap_in_units_total: [1-9]\d* match\n.*: adds \d+ at pool="\w+-\w+"\n/m);
});

test("check counts the requests and series of events and calls", async () => {
  const { code, out } = await run(argumentsOf("check"));

  expect(code).toBe(0);
  expect(out).toMatch(/^ {2}contracts +1 +20s +1 /m);
  expect(out).toMatch(/^ {2}contract_calls +1 +20s +1 /m);
});

test("swaps, volume, calls and errors are counted", async () => {
  // The chain is twenty times as fast, and so are the polls.
  const faster = "  blocks: { every: 1s, timeout: 1s }\n";
  save(
    `${second.replace("per_minute: 120", "per_minute: 6000").replaceAll("every: 20s", "every: 1s, timeout: 1s")}${faster}`,
  );
  const args = argumentsOf("--config").map((word) => word.replace(/:10790$/, ":0"));
  const program = start(args);
  const [, address = ""] = await program.says(/"address":"([^"]+)"/);
  const metrics = () => fetch(`http://${address}/metrics`).then((response) => response.text());
  const awaited = [
    /^amm_swaps_total\{.*pool="stx-usda"\} [1-9]/m,
    /^amm_swap_in_units_total\{.*\} [1-9]\d{6}/m,
    /^stacks_contract_calls_total\{.*name="amm".*function="log",tx_status="success".*\} [1-9]/m,
    /^stacks_contract_call_errors_total\{.*name="amm".*function="log",error="\w+".*\} \d+$/m,
    /^stacks_contract_call_fees_microstx_total\{.*name="amm".*\} [1-9]/m,
    /^stacks_contract_silent_after_seconds\{.*name="amm".*\} 600$/m,
  ];
  const text = await until(async () => {
    const found = await metrics();
    return awaited.every((pattern) => pattern.test(found)) ? found : undefined;
  }, "counted swaps and calls");
  program.child.kill("SIGTERM");
  await program.finished;

  // The series of the queries and the rules are on the page, with these labels.
  for (const expr of [...queries, ...alerts.map((alert) => alert.expr)]) {
    const { errors, selectors } = parsePromql(expr);
    expect(errors).toEqual([]);
    for (const { metric, matchers } of selectors) {
      const lines = text.split("\n").filter((line) => line.startsWith(`${metric}{`));
      expect(lines.length).toBeGreaterThan(0);
      for (const { label, value } of matchers) {
        expect(lines.some((line) => line.includes(`${label}="${value}"`))).toBe(true);
      }
    }
  }
  expect(queries).toHaveLength(5);
});

describeWith("promtool")("with promtool (Debian: prometheus)", () => {
  test("the rules are valid", async () => {
    const file = join(folder, "rules.yaml");
    writeFileSync(file, rules);

    expect(await runProgram("promtool", ["check", "rules", file])).toMatchObject({ status: 0 });
  });
});
