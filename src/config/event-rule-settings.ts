// The settings of an event rule. `event-rules.ts` validates combinations of settings and of rules.
import { z } from "zod";
import { isLabelText } from "../collectors/clarity-names.ts";
import { parsePath } from "../collectors/event-rules/path.ts";
import { parsed } from "./values.ts";

const PATH = "topic, or value followed by .key, [position], .ok and .err, such as value.pool-id";

const path = parsed(z.string(), PATH, parsePath).meta({
  description:
    "Path of a value in the event: `topic`, or `value` and keys of tuples, positions in lists, and `ok` and `err` of responses.",
});

const WANTED = "text, true, false, or a whole number up to 9007199254740991 (a larger one in quotes)";

const wanted = z.union([z.string(), z.int(), z.boolean()]).meta({ expected: WANTED });

const bound = parsed(
  z.union([z.int(), z.string()]),
  "a whole number, in quotes if it is more than 9007199254740991",
  (value) => (/^-?\d{1,39}$/.test(String(value)) ? BigInt(value) : undefined),
);

/** The operators of a condition. A condition has exactly one. */
export const OPERATORS = ["equals", "in", "exists", "range", "regex"] as const;

/** A condition of a rule. */
export const condition = z.object({
  path,
  equals: wanted.optional().meta({
    expected: WANTED,
    description: "The value equals this one.",
  }),
  in: z.array(wanted).min(1).max(1000).optional().meta({ description: "The value is one of these." }),
  exists: z.boolean().optional().meta({ description: "Whether there is a value." }),
  range: z
    .object({
      min: bound.optional().meta({ description: "The lowest integer that matches." }),
      max: bound.optional().meta({ description: "The highest integer that matches." }),
    })
    .optional()
    .meta({ description: "The value is an integer within these limits." }),
  regex: z.string().min(1).max(1000).optional().meta({
    expected: "a regular expression of RE2 with 1 to 1000 characters",
    description: "A regular expression (RE2) that matches the whole text of the value.",
  }),
});

const labelText = z.string().refine(isLabelText).meta({ expected: "1 to 128 visible characters" });

/** A label of a rule. */
export const label = z.object({
  path: path.optional(),
  value: labelText.optional().meta({ description: "The only value of the label, instead of `path`." }),
  allow: z.array(labelText).min(1).max(1000).optional().meta({
    description: "Values that always have their own series.",
  }),
  max: z.int().min(1).max(10_000).optional().meta({
    unit: "values",
    description: "Maximum number of values with their own series, those of `allow` included; others become `other`.",
    absent: "as many as `allow` has, or 50",
  }),
});

/** An event rule. */
export const eventRule = z.object({
  metric: z.string().max(200).meta({
    expected: "the name of a metric",
    description: "Name of the metric. `stacks_app_` is the only prefix with `stacks_` that a rule may use.",
  }),
  type: z.enum(["counter", "gauge", "histogram"]).meta({ description: "Type of the metric." }),
  help: z.string().min(1).max(500).meta({
    expected: "text of 1 to 500 characters",
    description: "Help text of the metric.",
  }),
  buckets: z.array(z.number()).min(1).max(50).optional().meta({
    description: "Upper bounds of the buckets of a histogram, ascending.",
  }),
  match: z.array(condition).min(1).max(20).meta({
    description: "Conditions that an event has to meet, all of them.",
  }),
  value: z
    .object({ path })
    .optional()
    .meta({ description: "Path of the integer that a counter adds, a gauge shows, or a histogram observes." }),
  labels: z.record(z.string(), label).default({}).meta({
    description: "Labels of the metric, in addition to `network`, `name` and `contract_id`.",
  }),
});

/** Rules of one contract. */
export const MAX_RULES = 100;

/** Event rules of a contract. */
export const eventRules = z.array(eventRule).max(MAX_RULES).optional().meta({
  description: "Rules that map the events of the contract to metrics: see docs/event-rules.md.",
  sample: "[{ metric: amm_swaps_total, type: counter, help: Swaps., match: [{ path: value.event, equals: swap }] }]",
});
