// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { expect, test } from "@jest/globals";
import { Cl, type ClarityValue } from "@stacks/transactions";
import fc from "fast-check";
import { stringify } from "yaml";
import { evaluate } from "../../src/collectors/event-rules/evaluate.ts";
import { shapesOf } from "../../src/collectors/event-rules/shapes.ts";
import { suggestRules } from "../../src/commands/suggest-rules.ts";
import { hexOf, rulesOf } from "../support/event-rules.ts";

const ADDRESS = "SP000000000000000000002Q6VF78";
const eventOf = (value: ClarityValue, topic = "print") => ({ id: "0x1:0", topic, hex: hexOf(value) });

test("a shape gets a rule that counts it", () => {
  const value = Cl.tuple({ event: Cl.stringAscii("swap-x-for-y"), "amount-in": Cl.uint(5) });

  expect(suggestRules(`${ADDRESS}.my-amm`, shapesOf([eventOf(value)]).shapes)).toEqual([
    {
      ...{ metric: "my_amm_swap_x_for_y_total", type: "counter", help: "Events of the contract." },
      match: [
        { path: "topic", equals: "print" },
        { path: "value.event", equals: "swap-x-for-y" },
      ],
    },
  ]);
});

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

test("the rules for any events are valid, and match the events that they are made from", async () => {
  const contract = fc.tuple(words, words).map(([one, other]) => `${ADDRESS}.${`${one}-${other}`.replace(/^2/, "two")}`);
  await fc.assert(
    fc.asyncProperty(contract, fc.array(event, { minLength: 1, maxLength: 6 }), async (id, values) => {
      const events = values.map((value) => eventOf(value));
      const { shapes } = shapesOf(events);
      const suggested = suggestRules(id, shapes);

      const rules = await rulesOf(stringify(suggested));

      expect(rules.length).toBeGreaterThanOrEqual(shapes.length);
      for (const one of events) expect(evaluate(rules, one).length).toBeGreaterThan(0);
    }),
    { numRuns: 150, seed: 13 },
  );
});
