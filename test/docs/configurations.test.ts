// Every configuration in the documents and in deploy/ passes `check`, and has no error in an editor.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { collectors } from "../../src/collectors/index.ts";
import { check } from "../../src/commands/check.ts";
import { planOf } from "../../src/commands/estimate.ts";
import type { Io } from "../../src/commands/io.ts";
import { loadConfig } from "../../src/commands/load-config.ts";
import { treeFor } from "../../src/config/settings.ts";
import { configurationSchema } from "../../tools/generate/configuration-schema.ts";
import { violations } from "../config/json-schema.ts";
import { folderOfTests } from "../support/folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const files = ["README.md", "CONTRIBUTING.md"].concat(
  ["docs", "deploy"].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(md|ya?ml)$/.test(name))
      .map((name) => `${folder}/${name}`),
  ),
);

// The YAML of a file: all of it, or the blocks of a document.
function* textsOf(path: string): Iterable<readonly [place: string, text: string]> {
  const content = readFileSync(root + path, "utf8");
  if (!path.endsWith(".md")) return yield [path, content];
  for (const [block, text = ""] of content.matchAll(/^```ya?ml\n(.*?)^```$/gms)) {
    yield [`${path}:${content.slice(0, content.indexOf(block)).split("\n").length}`, text];
  }
}

const schema = configurationSchema(treeFor(collectors));
const isConfiguration = (text: string) => /^(networks|collectors):/m.test(text);
const configurations = files.flatMap((path) => [...textsOf(path)]).filter(([, text]) => isConfiguration(text));

const folder = folderOfTests();

// The files that a configuration names, in the folder of the test.
function withFiles(text: string): string {
  interface Named {
    readonly api_key_file?: string;
    readonly address_files?: readonly string[];
    readonly contract_files?: readonly string[];
    readonly fallbacks?: readonly Named[];
  }
  const { networks = [] } = (parse(text) ?? {}) as { networks?: readonly Named[] };
  let moved = text;
  for (const named of [...networks, ...networks.flatMap(({ fallbacks = [] }) => fallbacks)]) {
    const { api_key_file: key, address_files: addresses = [], contract_files: contracts = [] } = named;
    const lists = [...addresses.map((path) => [path, "address"]), ...contracts.map((path) => [path, "contract_id"])];
    for (const [path = "", head = ""] of lists)
      writeFileSync(join(folder, path), path.endsWith(".csv") ? `${head}\n` : "");
    if (key === undefined) continue;
    writeFileSync(join(folder, basename(key)), "planted-key");
    moved = moved.replaceAll(key, join(folder, basename(key)));
  }
  return moved;
}

const HIRO_API_KEY = "planted-key";

async function run(text: string) {
  const file = join(folder, "stacks-exporter.yaml");
  writeFileSync(file, text);
  const lines: string[] = [];
  const io = {
    env: { HIRO_API_KEY },
    out: () => undefined,
    err: (line: string) => lines.push(line),
  };
  const code = await check({ "config.file": file }, io as unknown as Io);
  return { code, lines };
}

test("the places are found", () => {
  const places = configurations.map(([place]) => place.split(":")[0]);

  expect(places).toEqual(
    expect.arrayContaining([
      "README.md",
      "docs/configuration.md",
      "deploy/stacks-exporter.yaml",
      "deploy/kubernetes/stacks-exporter.yaml",
      "deploy/systemd/README.md",
    ]),
  );
});

test.each(configurations)("%s passes check, and conforms to the schema", async (_, text) => {
  expect(await run(withFiles(text))).toEqual({ code: 0, lines: [] });
  expect(violations(schema, parse(text))).toEqual([]);
});

test("the README has the number of requests of the defaults", async () => {
  const { config } = await loadConfig({}, { env: {} });
  const [network] = planOf(config).networks;
  const [, said, limit] =
    /\(([\d.]+) of the (\d+) requests per minute/.exec(readFileSync(`${root}README.md`, "utf8")) ?? [];

  expect(Number(said)).toBeCloseTo(network?.requestsPerMinute ?? 0);
  expect(Number(limit)).toBe(network?.upstream.budget.perMinute);
});
