// The table of settings as JSON Schema: the one form from which expectations, documentation and the schema file are made.
import { z } from "zod";
import type { ConfigurableCollector } from "./config.ts";
import type { Path } from "./mistakes.ts";
import { allSettings } from "./settings.ts";

/** The part of JSON Schema that the settings make use of, and what the table adds to it. */
export interface SchemaNode {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly default?: unknown;
  /** A value to show where there is no default. */
  readonly sample?: string;
  /** What holds when the setting is absent and that is no plain default, in words. */
  readonly absent?: string;
  /** What is accepted, in words. */
  readonly expected?: string;
  /** What is counted. */
  readonly unit?: string;
  /** The example shows it although it is not required. */
  readonly isWritten?: boolean;
  /** Values are never shown. */
  readonly sensitive?: boolean;
  /** Words that may stand for the group, and what they mean. */
  readonly words?: Readonly<Record<string, object>>;
  /** The settings below repeat others, whose values are their defaults. */
  readonly overrides?: boolean;
}

/** The settings as a tree. */
export function settingsTree(collectors: readonly ConfigurableCollector[]): SchemaNode {
  const tree = z.toJSONSchema(allSettings(collectors), {
    io: "input",
    override: ({ jsonSchema }) => {
      // Also the groups that collectors declare know exactly the settings that they declare.
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false;
    },
  });
  // What zod says of keywords is wider than what it can make of our table.
  return tree as SchemaNode;
}

/** The node of a setting; undefined when there is no such setting. */
export function nodeAt(root: SchemaNode, path: Path): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const step of path) {
    const properties: SchemaNode["properties"] = node?.properties;
    node =
      typeof step === "number" ? node?.items : Object.hasOwn(properties ?? {}, step) ? properties?.[step] : undefined;
  }
  return node;
}

/** What a setting accepts, in words: `a whole number of requests from 1 to 100000`. */
export function expectationOf(node: SchemaNode): string {
  if (node.expected !== undefined) return node.expected;
  if (node.anyOf !== undefined) return anyOf(node.anyOf.map(expectationOf));
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum !== undefined) return `one of ${node.enum.join(", ")}`;
  switch (node.type) {
    case "integer":
      return `a whole number${node.unit === undefined ? "" : ` of ${node.unit}`}${rangeOf(node)}`;
    case "number":
      return `a number${node.unit === undefined ? "" : ` of ${node.unit}`}${rangeOf(node)}`;
    case "boolean":
      return "true or false";
    case "string":
      return node.pattern === undefined ? "text" : `text that matches ${node.pattern}`;
    case "array":
      return `a list of ${node.minItems ?? 0} to ${node.maxItems ?? "any number of"} entries`;
    case "object":
      return "a mapping";
    default:
      return node.type ?? "another value";
  }
}

function anyOf(alternatives: readonly string[]): string {
  return alternatives.length < 2
    ? alternatives.join("")
    : `${alternatives.slice(0, -1).join(", ")} or ${alternatives[alternatives.length - 1]}`;
}

// zod states the limits of safe integers as if they were chosen.
const chosen = (limit: number | undefined) =>
  limit === undefined || Math.abs(limit) >= Number.MAX_SAFE_INTEGER ? undefined : limit;

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: SchemaNode): string {
  const least = chosen(minimum);
  const most = chosen(maximum);
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  const limits = { from: least, above: chosen(exclusiveMinimum), "up to": most, below: chosen(exclusiveMaximum) };
  const parts = Object.entries(limits).flatMap(([word, limit]) => (limit === undefined ? [] : [`${word} ${limit}`]));
  return parts.length === 0 ? "" : ` ${parts.join(" and ")}`;
}
