// Valid JSON that is not what the document promises.

/** In which way the shape is wrong. */
export type Misshape = "other" | "list" | "nulls" | "strings" | "missing";

function map(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => map(item, leaf));
  if (value === null || typeof value !== "object") return leaf(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item, leaf)]));
}

function withoutFirst(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFirst);
  if (value === null || typeof value !== "object") return value;
  const rest = Object.entries(value).slice(1);
  return Object.fromEntries(rest.map(([key, item]) => [key, withoutFirst(item)]));
}

// An earlier fault may have made the body something else.
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

/**
 * The body with another shape: an unrelated object, a list, every leaf null, every number a string, or the first key
 * of every object missing. A body that is not JSON counts as `{}`.
 */
export function misshape(body: string, form: Misshape): string {
  const json = parse(body);
  switch (form) {
    case "other":
      return JSON.stringify({ hello: "world", items: [1, 2, 3] });
    case "list":
      return JSON.stringify([json]);
    case "nulls":
      return JSON.stringify(map(json, () => null));
    case "strings":
      return JSON.stringify(map(json, (leaf) => (typeof leaf === "number" ? String(leaf) : leaf)));
    case "missing":
      return JSON.stringify(withoutFirst(json));
  }
}
