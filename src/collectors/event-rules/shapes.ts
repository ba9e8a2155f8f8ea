// The shapes of the events of a contract: which paths they have, with which types and values. Pure.
import { isLabelText } from "../values.ts";
import type { ClarityValue, Kind } from "./clarity-value.ts";
import { type RawEvent, viewOf } from "./evaluate.ts";
import { parsePath } from "./path.ts";

/** The values at one path of the events of a shape. */
export interface Field {
  /** The types that occur, such as `uint` and `none`. */
  readonly kinds: Set<Kind>;
  /** Number of events in which it is. */
  count: number;
  /** The different texts that occur, at most 10. */
  readonly examples: Set<string>;
}

/** Events that are alike. */
export interface Shape {
  readonly topic: string;
  /** The field that names the kind of event, and its value; undefined if there is none. */
  readonly discriminator: { readonly path: string; readonly text: string } | undefined;
  events: number;
  /** The newest of them, whose identity is shown. */
  readonly newest: string;
  /** By path, in the order of their first occurrence. */
  readonly fields: Map<string, Field>;
}

// By convention a print is a tuple, and one of these keys names the event.
const DISCRIMINATORS = ["event", "action", "topic", "type", "op", "operation", "method", "function", "notification"];
const MAX_EXAMPLES = 10;
// A value can have a list of thousands of tuples.
const MAX_FIELDS = 50;
const MAX_DEPTH = 8;

/**
 * Groups events, newest first, by their topic, and by their discriminator or else by their fields: the most frequent
 * shape first. `unreadable`: events without a value, or with one that cannot be decoded.
 */
export function shapesOf(events: readonly (RawEvent & { readonly id: string })[]) {
  const shapes = new Map<string, Shape>();
  let unreadable = 0;
  for (const { id, ...event } of events) {
    const { topic, value } = viewOf(event);
    if (value === undefined) {
      unreadable += 1;
      continue;
    }
    const found = new Map<string, ClarityValue>();
    collect(value, "value", found, 0);
    const discriminator = discriminatorOf(found);
    const key = JSON.stringify([topic, discriminator ?? [...found].map(([path, { kind }]) => `${path} ${kind}`)]);
    const shape = shapes.get(key) ?? { topic, discriminator, newest: id, fields: new Map(), events: 0 };
    shapes.set(key, shape);
    shape.events += 1;
    for (const [path, part] of found) addField(shape, path, part);
  }
  return { shapes: [...shapes.values()].sort((a, b) => b.events - a.events), unreadable };
}

// Every path with a value that has no parts, or with nothing. Of a list, the first element stands for all.
function collect(value: ClarityValue, path: string, found: Map<string, ClarityValue>, depth: number): void {
  if (depth > MAX_DEPTH || found.size >= MAX_FIELDS || parsePath(path) === undefined) return;
  if (value.kind === "tuple") {
    for (const [key, field] of value.fields ?? []) collect(field, `${path}.${key}`, found, depth + 1);
  } else if (value.kind === "list") {
    const [first] = value.elements ?? [];
    if (first !== undefined) collect(first, `${path}[0]`, found, depth + 1);
  } else if (value.kind === "some") collect(value.inner as ClarityValue, path, found, depth + 1);
  else if (value.inner !== undefined) collect(value.inner, `${path}.${value.kind}`, found, depth + 1);
  else found.set(path, value);
}

function discriminatorOf(found: ReadonlyMap<string, ClarityValue>): Shape["discriminator"] {
  for (const key of DISCRIMINATORS) {
    const path = `value.${key}`;
    const value = found.get(path);
    if (value?.kind !== "string-ascii" && value?.kind !== "string-utf8") continue;
    const { text } = value;
    if (text !== undefined && isLabelText(text)) return { path, text };
  }
  return undefined;
}

function addField({ fields }: Shape, path: string, { kind, text }: ClarityValue): void {
  const field = fields.get(path) ?? { kinds: new Set(), count: 0, examples: new Set() };
  fields.set(path, field);
  field.kinds.add(kind);
  field.count += 1;
  if (text !== undefined && field.examples.size < MAX_EXAMPLES) field.examples.add(text);
}
