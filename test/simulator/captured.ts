// Captured responses of the real server, and the shapes of their JSON.
import { readFileSync } from "node:fs";

/** A captured response; header names in lower case. */
export interface Captured {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Reads `test/responses/captured/<name>.http`. */
export function captured(name: string): Captured {
  const text = readFileSync(new URL(`../responses/captured/${name}.http`, import.meta.url), "utf8");
  const [head = "", body = ""] = text.split(/\r?\n\r?\n/, 2);
  const [first = "", ...lines] = head.split(/\r?\n/);
  const headers = lines.map((line): [string, string] => {
    const [key = "", ...value] = line.split(": ");
    return [key.toLowerCase(), value.join(": ")];
  });
  return { status: Number(first.split(" ")[1]), headers: new Map(headers), body: body.trim() };
}

/** Paths with the types found there, e.g. `{"results[].tx.nonce": Set(["number"])}`. */
export type Shape = ReadonlyMap<string, ReadonlySet<string>>;

function walk(value: unknown, path: string, shape: Map<string, Set<string>>): void {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  shape.set(path, (shape.get(path) ?? new Set()).add(type));
  if (Array.isArray(value)) for (const item of value) walk(item, `${path}[]`, shape);
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) walk(item, path === "" ? key : `${path}.${key}`, shape);
  }
}

/** The shape of a value; all items of a list share their paths. */
export function shapeOf(value: unknown): Shape {
  const shape = new Map<string, Set<string>>();
  walk(value, "", shape);
  return shape;
}

/** Where `shape` deviates from `real`: paths that are missing or have another type. Null matches any type. */
export function deviations(real: Shape, shape: Shape): string[] {
  return [...real].flatMap(([path, types]) => {
    const actual = shape.get(path);
    if (actual === undefined) return [`${path} is missing`];
    const knactual = [...types].filter((type) => type !== "null");
    const wrong = [...actual].filter((type) => type !== "null" && knactual.length > 0 && !types.has(type));
    return wrong.map((type) => `${path} is ${type} instead of ${knactual.join(" or ")}`);
  });
}

/** Paths that only `shape` has. */
export function extras(real: Shape, shape: Shape): string[] {
  return [...shape.keys()].filter((path) => !real.has(path));
}

/** A path whose words in braces are replaced. */
export const filled = (path: string, words: Readonly<Record<string, () => string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, word: string) => (words[word] as () => string)());
