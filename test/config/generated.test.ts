// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { collectors as realCollectors } from "../../src/collectors/index.ts";
import { treeFor } from "../../src/config/schema.ts";
import { configurationSchema } from "../../tools/generate/configuration-schema.ts";
import { renderExample } from "../../tools/generate/example.ts";
import { outputs } from "../../tools/generate/generate.ts";
import { collectors, configOf, env, readFile } from "./fixture.ts";
import { violations } from "./json-schema.ts";

const tree = treeFor(collectors);
const schema = configurationSchema(tree) as Record<string, unknown>;
const bad = new URL("./bad/", import.meta.url);

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
      expect.arrayContaining(["api_key", "api_key_file", "collectors", "every", "schedule", "max_age"]),
    );
    // The two need each other.
    const alone = optional.filter(([, , text = ""]) => !/^(cert|key)_file:/.test(text));
    for (const [line, indent = "", text = ""] of alone) {
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
    [
      "references to the environment",
      "listen: ${LISTEN}\ncollectors: { fees: { every: '${EVERY}', enabled: '${ON}' } }",
    ],
    [
      "presets of a budget",
      "networks: [{ name: a, url: 'http://a', budget: free_key }, { name: b, upstreams: [{ name: c, url: 'http://c', budget: keyless }] }]",
    ],
    ["sizes", "networks: [{ name: a, url: 'http://a', max_body: 2048, budget: { per_month: null } }]"],
  ])("accepts %s", (_, text) => {
    expect(violations(schema, parse(text))).toEqual([]);
  });

  // Errors that a schema cannot find: the environment, files, and combinations of settings.
  const unseen = new RegExp(
    [
      "^syntax-|^not-utf8|^environment-(not-set|.*not-shown|bad|not-closed|shell)|^url-from|^api-key-file-|^unknown-merge",
      "^api-key-(not-set|empty|line-break|spaces-around|not-ascii|short|header)",
      "^network-name-twice|^upstreams-name-twice|^own-setting-relation|^listen-(port|bad|ipv6)|^max-body-small",
      "^shard-(index|many)",
      "^event-rules-(between|names|in-a-file)",
      "^asset-(checksum|of-another-chain|twice|from-the-environment)",
      "^(every-too|schedule-(field|five|never)|timeout|max-age)",
    ].join("|"),
  );
  const seen = readdirSync(bad).filter((name) => name.endsWith(".yaml") && !unseen.test(name));

  test.each(seen)("refuses %s", (name) => {
    expect(violations(schema, parse(readFileSync(new URL(name, bad), "utf8")))).not.toEqual([]);
  });

  test("finds most errors", () => {
    expect(seen.length).toBeGreaterThan(40);
  });
});
