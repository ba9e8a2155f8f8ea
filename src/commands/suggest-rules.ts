// Event rules to start from, for the shapes of a contract's events.
import type { Shape } from "../collectors/event-rules/shapes.ts";
import { errorInLabelName } from "../config/metric-name.ts";

// Fields with more values are not suggested as labels, and further sums are not suggested.
const MAX_LABEL_VALUES = 5;
const MAX_SUMS = 5;
const LONGEST_NAME = 120;

/** A rule as lines of YAML for each shape that counts its events, and further ones that add up its integers. */
export function suggestRules(contract: string, shapes: readonly Shape[]): readonly (readonly string[])[] {
  const taken = new Set<string>();
  return shapes.map((shape) => {
    const { discriminator, fields } = shape;
    const subject = [contract.split(".")[1] ?? "", discriminator?.text ?? "events"];
    const labels = labelsOf(shape);
    const count = rule({
      metric: metricName(subject, taken),
      help: `Events ${discriminator?.text ?? "of this shape"} of the contract.`,
      match: matchOf(shape),
      labels,
    });
    const sums = fields
      .filter(({ path, kinds }) => path !== "value" && kinds.has("uint") && !kinds.has("int"))
      .slice(0, MAX_SUMS)
      .map(({ path }) =>
        rule({
          metric: metricName([...subject, lastKey(path), "units"], taken),
          help: `Sum of ${path} of the events ${discriminator?.text ?? "of this shape"}.`,
          match: matchOf(shape),
          value: path,
          labels,
        }),
      );
    return [count, ...sums].flat();
  });
}

interface Suggestion {
  readonly metric: string;
  readonly help: string;
  readonly match: readonly string[];
  readonly value?: string;
  readonly labels: readonly string[];
}

function rule({ metric, help, match, value, labels }: Suggestion): string[] {
  return [
    `- metric: ${metric}`,
    "  type: counter",
    `  help: ${quoted(help)}`,
    `  match: [${match.join(", ")}]`,
    ...(value === undefined ? [] : [`  value: { path: ${pathText(value)} }`]),
    ...(labels.length === 0 ? [] : [`  labels: { ${labels.join(", ")} }`]),
  ];
}

function matchOf({ topic, discriminator, fields }: Shape): string[] {
  const ofTopic = `{ path: topic, equals: ${scalar(topic)} }`;
  if (discriminator !== undefined) {
    return [ofTopic, `{ path: ${pathText(discriminator.path)}, equals: ${scalar(discriminator.text)} }`];
  }
  const always = fields.find(({ kinds }) => !kinds.has("none"));
  return always === undefined ? [ofTopic] : [ofTopic, `{ path: ${pathText(always.path)}, exists: true }`];
}

// Texts with few values. A principal is usually a user.
function labelsOf({ discriminator, fields }: Shape): string[] {
  return fields.flatMap(({ path, kinds, examples }) => {
    const isText = kinds.has("string-ascii") || kinds.has("string-utf8");
    const name = wordsOf(lastKey(path)).join("_");
    if (!isText || path === discriminator?.path || examples.length > MAX_LABEL_VALUES) return [];
    return errorInLabelName(name) === undefined ? [`${name}: { path: ${pathText(path)}, max: 20 }`] : [];
  });
}

const lastKey = (path: string): string =>
  path
    .replace(/\[\d+\]$/, "")
    .split(".")
    .at(-1) ?? "";

// A reference to the environment is none in a text of the chain.
const quoted = (text: string): string => JSON.stringify(text).replaceAll("${", () => "$${");

// Positions in lists have brackets.
const pathText = (path: string): string => (/^[\w.-]+$/.test(path) ? path : JSON.stringify(path));

const isPlain = (text: string): boolean => /^[a-z][a-z-]{2,60}$/.test(text) && !/^(?:true|false|null)$/.test(text);

const scalar = (text: string): string => (isPlain(text) ? text : quoted(text));

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");

/** A name of these parts that a rule can have, and that no other rule has. */
function metricName(parts: readonly string[], taken: Set<string>): string {
  const words = parts.flatMap(wordsOf).filter((word) => word !== "total");
  const first = words[0] ?? "";
  const prefix = first === "" || /^\d|^(?:stacks|process|nodejs|scrape)$/.test(first) ? ["contract"] : [];
  const name = [...prefix, ...words].join("_").slice(0, LONGEST_NAME);
  let unique = `${name}_total`;
  for (let number = 2; taken.has(unique); number += 1) unique = `${name}_${number}_total`;
  taken.add(unique);
  return unique;
}
