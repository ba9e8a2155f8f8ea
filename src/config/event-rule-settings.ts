// The settings of an event rule, and the rules between them. `event-rules.ts` has those between event rules.
import { z } from "zod";
import { isLabelText } from "../collectors/clarity-names.ts";
import { type CompileRegex, conditionOf, RegexError } from "../collectors/event-rules/condition.ts";
import { parsePath } from "../collectors/event-rules/path.ts";
import type { RuleLabel } from "../collectors/event-rules/rule.ts";
import { AS_DESCRIBED } from "./errors.ts";
import { errorInLabelName, errorInMetricName, type Kind } from "./metric-name.ts";
import { isMapping } from "./paths.ts";
import { always, parsed } from "./values.ts";

/** Text of which `errorIn` finds the error; undefined if it is valid. */
const textWithout = (errorIn: (text: string) => string | undefined, message: string) =>
  z.string().superRefine((text, { addIssue }) => {
    const reason = errorIn(text);
    if (reason !== undefined) addIssue({ code: "custom", message, params: { reason } });
  });

const path = parsed(
  z.string(),
  "topic, or value followed by .key, [position], .ok and .err, such as value.pool-id",
  parsePath,
);

const WANTED = "text, true, false, or a whole number up to 9007199254740991 (a larger one in quotes)";
const wanted = z.union([z.string(), z.int(), z.boolean()]).meta({ expected: WANTED });

const bound = parsed(
  z.union([z.int(), z.string()]),
  "a whole number, in quotes if it is more than 9007199254740991",
  (value) => (/^-?\d{1,39}$/.test(String(value)) ? BigInt(value) : undefined),
);

const range = z.strictObject({ min: bound.optional(), max: bound.optional() }).superRefine(({ min, max }, context) => {
  const found = min === undefined && max === undefined ? "neither" : "a max below the min";
  if (min !== undefined && max !== undefined ? min <= max : min !== max) return;
  context.addIssue({ code: "custom", message: `expected a min, a max or both, found ${found}` });
});

/** The operators of a condition. A condition has exactly one. */
const OPERATORS = ["equals", "in", "exists", "range", "regex"] as const;

const condition = (compile: CompileRegex) => {
  const errorInRegex = (text: string) => {
    try {
      compile(text);
      return undefined;
    } catch (error) {
      if (error instanceof RegexError) return error.message;
      throw error;
    }
  };
  const regex = textWithout(errorInRegex, AS_DESCRIBED).min(1).max(1000);
  return z
    .strictObject({
      path,
      equals: wanted.optional().meta({ expected: WANTED }),
      in: z.array(wanted).min(1).max(1000).optional(),
      exists: z.boolean().optional(),
      range: range.optional(),
      regex: regex.optional().meta({ expected: "a regular expression of RE2 with 1 to 1000 characters" }),
    })
    .superRefine((written: unknown, context) => {
      if (!isMapping(written)) return;
      const present = OPERATORS.filter((name) => written[name] !== undefined);
      if (present.length === 1) return;
      const found = present.join(" and ") || "none";
      context.addIssue({ code: "custom", message: `expected one of ${OPERATORS.join(", ")}, found ${found}` });
    }, always)
    .transform(({ path, equals, in: list, exists, range, regex = "" }) => {
      if (equals !== undefined) return conditionOf(path, { equals }, compile);
      if (list !== undefined) return conditionOf(path, { in: list }, compile);
      if (exists !== undefined) return conditionOf(path, { exists }, compile);
      return conditionOf(path, range === undefined ? { regex } : { range }, compile);
    });
};

const labelText = z.string().refine(isLabelText).meta({ expected: "1 to 128 visible characters" });

const label = z
  .strictObject({
    path: path.optional(),
    value: labelText.optional(),
    allow: z.array(labelText).min(1).max(1000).optional(),
    max: z.int().min(1).max(10_000).optional().meta({ unit: "values" }),
  })
  .superRefine((written: unknown, context) => {
    if (!isMapping(written)) return;
    const report = (message: string, path: string[] = []) => context.addIssue({ code: "custom", path, message });
    const { path, value, allow, max } = written;
    if ((path === undefined) === (value === undefined))
      report(`expected either path or value, found ${path === undefined ? "neither" : "both"}`);
    else if (path === undefined && (allow ?? max) !== undefined)
      report("expected allow and max with path only, found them with value");
    if (Array.isArray(allow) && typeof max === "number" && max < allow.length)
      report(`expected at least the ${allow.length} values of allow, found ${max}`, ["max"]);
  }, always);

const DEFAULT_MAX = 50;

function labelOf(name: string, { path, value = "", allow = [], max }: z.infer<typeof label>): RuleLabel {
  if (path === undefined) return { name, from: { value }, allow: [value], max: 1 };
  return { name, from: { path }, allow, max: max ?? (allow.length || DEFAULT_MAX) };
}

// A product of label values that are known beforehand. Each is a series from the start.
const MAX_KNOWN_SERIES = 1000;

const labels = z
  .record(textWithout(errorInLabelName, "the name of a label"), label)
  // Sorted by name, so that neither the order in the file nor another rule changes the keys of counters.
  .transform((written) => {
    const sorted = Object.entries(written).sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([name, settings]) => labelOf(name, settings));
  })
  .superRefine((read, context) => {
    const known = read.reduce((product, { allow }) => product * allow.length, 1);
    if (known <= MAX_KNOWN_SERIES) return;
    const message = `expected at most ${MAX_KNOWN_SERIES} combinations of allow, found ${known} combinations`;
    context.addIssue({ code: "custom", message });
  })
  .prefault({});

const buckets = z
  .array(z.number())
  .min(1)
  .max(50)
  .superRefine((bounds, { addIssue }) => {
    for (const [index, bound] of bounds.entries())
      if (index > 0 && bound <= Number(bounds[index - 1]))
        addIssue({ code: "custom", path: [index], message: "a number above the one before it" });
  })
  .meta({ expected: "a list of 1 to 50 upper bounds" });

/** An event rule. @param compile for the conditions with a regular expression */
export function eventRule(compile: CompileRegex) {
  const value = z.strictObject({ path }).meta({ expected: "the value that the metric gets, as { path: value… }" });
  const shared = <Type extends Kind>(type: Type) => ({
    metric: textWithout((name) => errorInMetricName(name, type), "the name of a metric")
      .max(200)
      .meta({
        expected: "the name of a metric",
      }),
    type: z.literal(type),
    help: z.string().min(1).max(500).meta({ expected: "text of 1 to 500 characters" }),
    match: z.array(condition(compile)).min(1).max(20),
    labels,
  });
  return z
    .discriminatedUnion("type", [
      z.strictObject({ ...shared("counter"), value: value.optional() }),
      z.strictObject({ ...shared("gauge"), value }),
      z.strictObject({ ...shared("histogram"), value, buckets }),
    ])
    .transform((rule) => ({ buckets: [], ...rule }));
}

/** A checked event rule. */
export type EventRuleSettings = z.infer<ReturnType<typeof eventRule>>;

/** Event rules of a contract, for their names and descriptions: `event-rules.ts` reads each by itself. */
export const eventRules = z
  .array(eventRule(() => () => false))
  .max(100)
  .optional()
  .meta({
    isGuarded: false,
    description: "Rules that map the events of the contract to metrics: see docs/event-rules.md.",
    sample: "[{ metric: amm_swaps_total, type: counter, help: Swaps., match: [{ path: value.event, equals: swap }] }]",
  });
