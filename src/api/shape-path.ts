// Where in a declared shape a value sits, in as many words as the shape has: fit for a label.
import { z } from "zod";
import type { $ZodType } from "zod/v4/core";

/**
 * The dotted path of a value, with what the answer contributes taken out: indexes become `[]`, and keys that the shape does
 * not name (those of records) become `*`. For example `results[].tx.fee_rate` and `tx_ages.*.p25`; empty for the whole body.
 */
export function shapePath(shape: $ZodType, path: readonly PropertyKey[]): string {
  let shapes: readonly $ZodType[] = inner(shape);
  let text = "";
  for (const key of path) {
    const known = shapes.some((one) => one instanceof z.ZodObject && Object.hasOwn(one.shape, key));
    const listed = shapes.some((one) => one instanceof z.ZodArray || one instanceof z.ZodTuple);
    if (known) text += `${text === "" ? "" : "."}${String(key)}`;
    else if (listed && typeof key === "number") text += "[]";
    else text += `${text === "" ? "" : "."}*`;
    shapes = shapes.flatMap((one) => below(one, key));
  }
  return text;
}

/** The dotted path of a value in one answer, such as `results[3].tx.fee_rate`. */
export function valuePath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

function below(shape: $ZodType, key: PropertyKey): readonly $ZodType[] {
  if (shape instanceof z.ZodObject) {
    const member: $ZodType | undefined = Object.hasOwn(shape.shape, key) ? shape.shape[String(key)] : undefined;
    return member === undefined ? [] : inner(member);
  }
  if (shape instanceof z.ZodArray) return inner(shape.element);
  if (shape instanceof z.ZodRecord) return inner(shape.valueType);
  if (shape instanceof z.ZodTuple) return shape.def.items.flatMap(inner);
  return [];
}

// Shapes around a shape say how it may be absent or turned into something else, not where its members are.
function inner(shape: $ZodType): readonly $ZodType[] {
  if (shape instanceof z.ZodUnion) return shape.options.flatMap(inner);
  if (shape instanceof z.ZodIntersection) return [shape.def.left, shape.def.right].flatMap(inner);
  if (shape instanceof z.ZodPipe) return inner(shape.in instanceof z.ZodTransform ? shape.out : shape.in);
  if (
    shape instanceof z.ZodOptional ||
    shape instanceof z.ZodNullable ||
    shape instanceof z.ZodDefault ||
    shape instanceof z.ZodPrefault ||
    shape instanceof z.ZodCatch ||
    shape instanceof z.ZodReadonly ||
    shape instanceof z.ZodNonOptional ||
    shape instanceof z.ZodLazy
  ) {
    return inner(shape.unwrap());
  }
  return [shape];
}
