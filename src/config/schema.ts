// The settings as JSON Schema, from which messages, documentation and the schema file for editors are made; and the
// paths of settings.
import { z } from "zod";

type Text = "title" | "description" | "pattern";
type Limit = "minimum" | "maximum" | "minItems" | "maxItems" | "minLength" | "maxLength";

/** The part of JSON Schema that the settings use, and what their metadata adds to it. */
export interface SchemaNode extends Readonly<Partial<Record<Text, string> & Record<Limit, number>>> {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  /** Values of keys that the operator chooses. */
  readonly additionalProperties?: SchemaNode | false;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  /** Description of the value of an absent setting without a plain default. */
  readonly absent?: string;
  /** The accepted values, in words. */
  readonly expected?: string;
  readonly unit?: string;
  /** Values are never shown. */
  readonly sensitive?: boolean;
  /** A word that can stand for the group. */
  readonly word?: string;
  /** Two settings of the group of which only one can be set. */
  readonly exclusive?: readonly [string, string];
}

/** A type of settings as JSON Schema, before defaults. */
export function treeOf(settings: z.ZodType): SchemaNode {
  const tree = z.toJSONSchema(settings, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.entry !== undefined)
        jsonSchema.items = treeOf(jsonSchema.entry as z.ZodType) as z.core.JSONSchema.BaseSchema;
      delete jsonSchema.entry;
    },
  });
  // zod's type allows every keyword of JSON Schema.
  return tree as SchemaNode;
}

/** Path of a setting: keys and indices from the top. */
export type Path = readonly (string | number)[];

/** The entries of a list; none when the value is not a list. */
export const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value at a path; undefined when there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Readonly<Record<string | number, unknown>>)[step] // reading any key of an object is safe
        : undefined,
    root,
  );
}

/** The nodes on the way to a setting, from the root to the setting itself; undefined where there is no such setting. */
export function nodesAlong(root: SchemaNode, path: Path): readonly (SchemaNode | undefined)[] {
  const nodes: (SchemaNode | undefined)[] = [root];
  for (const step of path) {
    const { properties = {}, additionalProperties, items } = nodes.at(-1) ?? {};
    if (typeof step === "number") nodes.push(items);
    else nodes.push(Object.hasOwn(properties, step) ? properties[step] : additionalProperties || undefined);
  }
  return nodes;
}

/** The node of a setting; undefined when there is no such setting. */
export const nodeAt = (root: SchemaNode, path: Path): SchemaNode | undefined => nodesAlong(root, path).at(-1);

const ALTERNATIVES = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** The accepted values of a setting, in words: `a whole number of requests from 1 to 100000`. */
export function expectationOf(node: SchemaNode): string {
  if (node.expected !== undefined) return node.expected;
  if (node.anyOf !== undefined) return ALTERNATIVES.format(node.anyOf.map(expectationOf));
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum !== undefined) return `one of ${node.enum.join(", ")}`;
  switch (node.type) {
    case "integer":
    case "number": {
      const unit = node.unit === undefined ? "" : ` of ${node.unit}`;
      return `a ${node.type === "integer" ? "whole " : ""}number${unit}${rangeOf(node)}`;
    }
    case "boolean":
      return "true or false";
    case "string":
      if (node.pattern !== undefined) return `text that matches ${node.pattern}`;
      return node.maxLength === undefined ? "text" : `text of ${node.minLength ?? 0} to ${node.maxLength} characters`;
    case "array":
      return `a list of ${node.minItems ?? 0} to ${node.maxItems ?? "any number of"} entries`;
    case "object":
      return ALTERNATIVES.format([node.word ?? [], "a mapping"].flat());
    default:
      return node.type ?? "another value";
  }
}

// zod states the limits of safe integers as if they were chosen.
function rangeOf({ minimum = 0, maximum = Number.POSITIVE_INFINITY }: SchemaNode): string {
  if (maximum < Number.MAX_SAFE_INTEGER) return ` from ${minimum} to ${maximum}`;
  return minimum > -Number.MAX_SAFE_INTEGER ? ` from ${minimum}` : "";
}
