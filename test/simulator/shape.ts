// The shape of JSON: which keys lead where, and to which types.

/** Paths with the types found there, e.g. `{"results[].tx.nonce": Set(["number"])}`. Objects with free keys aside. */
export type Shape = ReadonlyMap<string, ReadonlySet<string>>;

function walk(value: unknown, path: string, shape: Map<string, Set<string>>): void {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  shape.set(path, (shape.get(path) ?? new Set()).add(type));
  if (Array.isArray(value)) for (const item of value) walk(item, `${path}[]`, shape);
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) walk(item, path === "" ? key : `${path}.${key}`, shape);
  }
}

/** The shape of a value; list items are laid over each other. */
export function shapeOf(value: unknown): Shape {
  const shape = new Map<string, Set<string>>();
  walk(value, "", shape);
  return shape;
}

/** Where `shape` is not as `real`: paths that are missing or have another type. Null may stand for any type. */
export function deviations(real: Shape, shape: Shape): string[] {
  return [...real].flatMap(([path, types]) => {
    const own = shape.get(path);
    if (own === undefined) return [`${path} is missing`];
    const known = [...types].filter((type) => type !== "null");
    const strange = [...own].filter((type) => type !== "null" && known.length > 0 && !types.has(type));
    return strange.map((type) => `${path} is ${type} instead of ${known.join(" or ")}`);
  });
}

/** Paths that only `shape` has. */
export function extras(real: Shape, shape: Shape): string[] {
  return [...shape.keys()].filter((path) => !real.has(path));
}
