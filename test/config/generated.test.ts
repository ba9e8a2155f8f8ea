// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { collectors as realCollectors } from "../../src/collectors/index.ts";
import { treeFor } from "../../src/config/settings.ts";
import { configurationSchema } from "../../tools/generate/configuration-schema.ts";
import { renderExample } from "../../tools/generate/example.ts";
import { outputs } from "../../tools/generate/generate.ts";
import { collectors, configOf, env, readFile } from "./fixture.ts";
import { violations } from "./json-schema.ts";

const tree = treeFor(collectors);
const schema = configurationSchema(tree) as Record<string, unknown>;
const bad: readonly { readonly name: string; readonly unseen?: boolean; readonly text: string }[] = parse(
  readFileSync(new URL("bad.yaml", import.meta.url), "utf8"),
);

test.each(outputs.map((output) => [output.path, output] as const))("%s is current", async (path, output) => {
  const present = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

  expect(present).toBe(await output.render());
});

describe("the example", () => {
  test.each([
    ["of the test", collectors],
    ["of the program", realCollectors],
  ])("has the defaults, for the collectors %s", async (_, list) => {
    const example = renderExample(treeFor(list));

    expect(await configOf(example, { collectors: list })).toEqual(await configOf(undefined, { collectors: list }));
  });

  test("is valid with each of its optional settings", async () => {
    const example = renderExample(tree);
    const optional = [...example.matchAll(/^( *)# ([a-z_]+: (?:[^ ]+|"[^"]+"|\{.*\}))$/gm)];

    expect(optional.map(([, , text = ""]) => text.split(":")[0])).toEqual(
      expect.arrayContaining(["api_key", "api_key_file", "every", "schedule"]),
    );
    for (const [line, indent = "", text = ""] of optional) {
      const withSetting = example.replace(line, `${indent}${text}`);
      await configOf(withSetting, { env: { ...env, HIRO_API_KEY: "planted-key" }, readFile });
      expect(violations(schema, parse(withSetting))).toEqual([]);
    }
  });
});

describe("the JSON Schema", () => {
  test.each([
    ["the example", renderExample(tree)],
    ["empty groups", "log:\ncollectors:\n  fees:\n"],
    ["a word for a group", "state: memory"],
  ])("accepts %s", (_, text) => {
    expect(violations(schema, parse(text))).toEqual([]);
  });

  const seen = bad.filter(({ unseen }) => unseen !== true);

  test.each(seen)("refuses $name", ({ text }) => {
    expect(violations(schema, parse(text))).not.toEqual([]);
  });

  test("finds most errors", () => {
    expect(seen.length).toBeGreaterThan(20);
  });
});
