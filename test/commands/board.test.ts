import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { board } from "../../src/commands/board.ts";
import { folderOfTests } from "../support/folder.ts";
import { runCommand } from "../support/io.ts";

const A = "SP000000000000000000002Q6VF78";
const ruleOf = (metric: string) =>
  `{ metric: ${metric}, type: counter, help: Events., match: [{ path: topic, equals: print }] }`;
const network = (name: string, contracts: string) =>
  `  - { name: ${name}, url: "http://127.0.0.1:1", contracts: [${contracts}] }\n`;

const folder = folderOfTests();

function run(networks: string, output?: string) {
  writeFileSync(join(folder, "c.yaml"), `networks:\n${networks}`);
  return runCommand((io) =>
    board({ "config.file": join(folder, "c.yaml"), ...(output === undefined ? {} : { output }) }, io),
  );
}
const titles = (text: string) =>
  (JSON.parse(text) as { panels: readonly { title: string }[] }).panels.map(({ title }) => title);

const QUALITY = ["Data quality", "Events that do not fit their rule"];

test("prints the dashboard of all contracts with rules; those of one name share a row", async () => {
  const { code, out, err } = await run(
    network(
      "a",
      `{ contract_id: ${A}.amm, name: amm, events: [${ruleOf("swaps_total")}] }, { contract_id: ${A}.quiet }`,
    ) +
      network(
        "b",
        `{ contract_id: ${A}.amm2, name: amm, events: [${ruleOf("swaps_total")}, ${ruleOf("burns_total")}] }`,
      ) +
      network("c", `{ contract_id: ${A}.vault, name: vault, events: [${ruleOf("burns_total")}] }`),
  );

  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(titles(out)).toEqual(["amm", "swaps_total", "burns_total", "vault", "burns_total", ...QUALITY]);
});

test("writes a file, or reports why not", async () => {
  const contract = network("a", `{ contract_id: ${A}.amm, events: [${ruleOf("swaps_total")}] }`);
  const output = join(folder, "board.json");
  const { out } = await run(contract);

  expect(await run(contract, output)).toEqual({ code: 0, out: "", err: "" });
  expect(readFileSync(output, "utf8")).toBe(out);
  expect(await run(contract, join(folder, "none", "board.json"))).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^--output: expected a file that can be written, found ENOENT/),
  });
});

test("a configuration without a rule is an error", async () => {
  expect(await run(network("a", `{ contract_id: ${A}.amm }`))).toEqual({
    code: 1,
    out: "",
    err: "there is no event rule: no contract of the configuration has events",
  });
});
