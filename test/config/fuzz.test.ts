// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { load, PLANTED } from "./fixture.ts";

const KEYS =
  "listen log level format networks name url api_key api_key_file api_key_header budget per_minute per_month max_body collectors fees mempool blocks enabled every schedule timeout max_age tip catch_up tenure_limits runtime first last __proto__ constructor unknown".split(
    " ",
  );
const SCALARS = [
  ":1",
  "mainnet",
  "https://api.hiro.so",
  "https://user:planted@host",
  "${GOOD_KEY}",
  "${SECRET_TEXT}",
  "${KEY_WITH_LINE_BREAK}",
  "x${SECRET_TEXT}y",
  "${NOT_SET}",
  "$${",
  "${",
  "good",
  "binary",
  "45s",
  "5m",
  "24h",
  "*/45 * * * * *",
  "0 0 0 29 2 *",
  "16MiB",
  "unlimited",
  "true",
  1,
  0,
  -1,
  1.5,
  1e300,
  true,
  false,
  null,
];

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
    fees: group("enabled", "every", "schedule", "timeout", "max_age"),
    blocks: group("every", "tip", "catch_up", "tenure_limits", "first"),
  },
  { requiredKeys: [] },
);
const network = fc.record(
  {
    name: fc.constantFrom("a", "b"),
    url: fc.constantFrom("http://a", "${SECRET_TEXT}", "https://user:planted@host"),
    api_key: fc.constantFrom("${GOOD_KEY}", "planted-key", "${KEY_WITH_LINE_BREAK}"),
    api_key_file: fc.constantFrom("good", "two-lines", "folder"),
    budget: group("per_minute", "per_month"),
    collectors,
  },
  { requiredKeys: ["name", "url"] },
);
const configuration = fc.record({ networks: fc.array(network, { maxLength: 3 }), collectors }, { requiredKeys: [] });

// Parsing takes its time on a busy machine.
const PATIENCE_MS = 30_000;

async function expectHonesty(text: string | Uint8Array): Promise<void> {
  const loaded = await load(text);
  expect(JSON.stringify(loaded)).not.toMatch(PLANTED);
  if (loaded.ok) return;
  expect(loaded.mistakes.length).toBeGreaterThan(0);
  for (const { message, path } of loaded.mistakes) {
    expect(`${path}${message}`).not.toMatch(/\p{Cc}/u);
    expect(message.length).toBeLessThan(400);
  }
}

describe("whatever the file holds, the answer is a configuration or its mistakes, and shows no secret:", () => {
  test(
    "values in the shape of a configuration",
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(configuration, value), (content) => expectHonesty(JSON.stringify(content))),
        { numRuns: 300 },
      );
    },
    PATIENCE_MS,
  );

  test(
    "any text",
    async () => {
      const yaml = fc.string({
        unit: fc.constantFrom(..."ab:-?[]{}*&!|>'\"%@`#,\n \t$\\0~<".split("")),
        maxLength: 40,
      });
      await fc.assert(fc.asyncProperty(fc.oneof(yaml, fc.string()), expectHonesty), { numRuns: 300 });
    },
    PATIENCE_MS,
  );

  test("any bytes", async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), expectHonesty));
  });

  test.each([
    ["deep nesting", "[".repeat(100_000)],
    ["deep mappings", "{a: ".repeat(20_000)],
    ["a long key", `${"k".repeat(2000)}: 1`],
    ["a long text", `listen: "${"\\n".repeat(100_000)}"`],
  ])("%s", async (_, text) => {
    await expectHonesty(text);
  });
});
