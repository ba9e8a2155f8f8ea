import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { treeFor } from "../../src/config/settings.ts";
import { configurationSchema } from "../../tools/generate/configuration-schema.ts";
import { outputs } from "../../tools/generate/generate.ts";
import { collectors } from "./fixture.ts";
import { violations } from "./json-schema.ts";

const schema = configurationSchema(treeFor(collectors));
const bad: readonly { readonly name: string; readonly unseen?: boolean; readonly text: string }[] = parse(
  readFileSync(new URL("bad.yaml", import.meta.url), "utf8"),
);

test.each(outputs.map((output) => [output.path, output] as const))("%s is current", async (path, output) => {
  const present = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

  expect(present).toBe(await output.render());
});

describe("the JSON Schema", () => {
  test.each([
    ["empty groups", "shard:\ncollectors:\n  fees:\n"],
    ["a word for a group", "state: memory"],
  ])("accepts %s", (_, text) => {
    expect(violations(schema, parse(text))).toEqual([]);
  });

  const seen = bad.filter(({ unseen }) => unseen !== true);

  test.each(seen)("refuses $name", ({ text }) => {
    expect(violations(schema, parse(text))).not.toEqual([]);
  });

  test("finds most errors", () => {
    expect(seen.length).toBeGreaterThan(15);
  });
});
