// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { dataOf } from "../support/data.ts";
import { load, PLANTED } from "./fixture.ts";

const KEYS =
  "listen log level format networks name url api_key api_key_file budget per_minute per_month collectors fees mempool blocks enabled every schedule timeout tip catch_up tenure_limits runtime __proto__ constructor unknown".split(
    " ",
  );
const SCALARS = dataOf<unknown[]>("scalars.yaml", import.meta.url);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.constantFrom(...SCALARS),
    fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 6, noNullPrototype: false }),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
}));

// Shaped like a configuration, so that most settings are reached and many are right.
const group = (...keys: string[]) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, fc.oneof(fc.constantFrom(...SCALARS), value)])), {
    requiredKeys: [],
  });
const collectors = fc.record(
  {
    fees: group("enabled", "every", "schedule", "timeout"),
    blocks: group("every", "tip", "catch_up", "tenure_limits"),
  },
  { requiredKeys: [] },
);
const network = fc.record(
  {
    name: fc.constantFrom("a", "b"),
    url: fc.constantFrom("http://a", "https://user:planted@host"),
    api_key: fc.constantFrom("${GOOD_KEY}", "planted-key", "${KEY_WITH_LINE_BREAK}"),
    api_key_file: fc.constantFrom("good", "two-lines", "folder"),
    budget: group("per_minute", "per_month"),
    collectors,
  },
  { requiredKeys: ["name", "url"] },
);
const configuration = fc.record({ networks: fc.array(network, { maxLength: 3 }), collectors }, { requiredKeys: [] });

// One expectation for all messages: each takes as long as loading a configuration.
async function expectNoSecret(text: string | Uint8Array): Promise<void> {
  const loaded = await load(text);
  const errors = loaded.ok ? [] : loaded.errors;
  const wrong = errors.filter(({ path, message }) => /\p{Cc}/u.test(path + message) || message.length >= 400);
  const isSecretShown = PLANTED.test(JSON.stringify(loaded));

  expect({ isLoaded: loaded.ok, wrong, isSecretShown }).toEqual({
    isLoaded: errors.length === 0,
    wrong: [],
    isSecretShown: false,
  });
}

describe("any file gives a configuration or errors, and no message shows a secret:", () => {
  test("values in the shape of a configuration", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(configuration, value), (content) => expectNoSecret(JSON.stringify(content))),
      { numRuns: 300 },
    );
  });

  test("any text", async () => {
    const yaml = fc.string({
      unit: fc.constantFrom(..."ab:-?[]{}*&!|>'\"%@`#,\n \t$\\0~<".split("")),
      maxLength: 40,
    });
    await fc.assert(fc.asyncProperty(fc.oneof(yaml, fc.string()), expectNoSecret), { numRuns: 300 });
  });

  test("any bytes", async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), expectNoSecret));
  });

  test.each([
    ["deep nesting", "[".repeat(10_000)],
    ["deep mappings", "{a: ".repeat(5_000)],
    ["a long key", `${"k".repeat(2000)}: 1`],
    ["a long text", `max_series: "${"\\n".repeat(100_000)}"`],
  ])("%s", async (_, text) => {
    await expectNoSecret(text);
  });
});
