// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { expect, test } from "@jest/globals";
import { Cl, type ClarityValue } from "@stacks/transactions";
import fc from "fast-check";
import { evaluate } from "../../src/collectors/event-rules/evaluate.ts";
import { shapesOf } from "../../src/collectors/event-rules/shapes.ts";
import { matchOf } from "../../src/commands/events.ts";
import { hexOf, rulesOf } from "../support/event-rules.ts";

const eventOf = (value: ClarityValue, topic = "print") => ({ id: "0x1:0", topic, hex: hexOf(value) });

// Names that mean something in metrics, in YAML or in the configuration.
const words = fc.constantFrom(
  "swap",
  "count",
  "ms",
  "b",
  "total",
  "counter",
  "stacks",
  "up",
  "2",
  "sum",
  "name",
  "le",
  "x",
);
const key = fc.array(words, { minLength: 1, maxLength: 3 }).map((parts) => `k${parts.join("-")}`);
const text = fc.oneof(
  fc.array(words, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("-")),
  fc.constantFrom("true", "null", "u5", "0x00", "${HOME}", "a: b", "'\"", "# x", "1e3", "", "- a", "{", "žluť", "😀"),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const field = fc.oneof<fc.Arbitrary<ClarityValue>[]>(
  text.map(Cl.stringUtf8),
  fc.nat().map(Cl.uint),
  fc.nat().map((n) => Cl.int(-n)),
  fc.constant(Cl.none()),
  fc.constant(Cl.some(Cl.uint(1))),
  fc.constant(Cl.error(Cl.uint(101))),
  fc.constant(Cl.list([Cl.uint(1)])),
  fc.constant(Cl.list([])),
);
const event = fc.oneof(
  field,
  fc
    .tuple(fc.constantFrom("event", "action", "type", "kx"), text, fc.dictionary(key, field, { maxKeys: 8 }))
    .map(([name, kind, fields]) => Cl.tuple({ ...fields, [name]: Cl.stringUtf8(kind) })),
);

test("rules with the match of each shape are valid, and match the events of the shape", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 6 }), async (values) => {
      const events = values.map((value) => eventOf(value));
      const rules = shapesOf(events).shapes.map((shape, index) => {
        return `- { metric: x${index}_total, type: counter, help: H., match: ${JSON.stringify(matchOf(shape))} }`;
      });
      const compiled = await rulesOf(rules.join("\n"));

      for (const one of events) expect(evaluate(compiled, one).length).toBeGreaterThan(0);
    }),
    { numRuns: 150, seed: 13 },
  );
});
