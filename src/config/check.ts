// Values against the table of settings: what does not fit becomes a mistake, in our words.
import type { z } from "zod";
import type { Findings } from "./findings.ts";
import type { Path } from "./mistakes.ts";
import { nodeAt, type SchemaNode } from "./schema.ts";

/**
 * Checks a value and notes what is wrong with it. Three things are put right in place before: a group whose settings are all
 * commented out is an empty group, a word that stands for a group is that group, and a number or a truth value from the environment, where all is text, is what it says.
 * @returns what the schema made of the value; undefined when it does not fit.
 */
export function check<Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  at: Path,
  findings: Findings,
): Output | undefined {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({ issue, path: issue.path.map(toStep) }));
  const amended = issues.filter(({ path }) => amend(value, path, [...at, ...path], findings));
  if (amended.length > 0) return check(schema, value, at, findings);
  noteIssues(result.error, value, (path) => [...at, ...path], findings);
  return undefined;
}

/** Notes what a schema said of a value. `placeOf` tells where in the file a part of the value was written. */
export function noteIssues(error: z.ZodError, value: unknown, placeOf: (path: Path) => Path, findings: Findings): void {
  for (const issue of error.issues) {
    const path = issue.path.map(toStep);
    note(issue, valueAt(value, path), placeOf(path), findings);
  }
}

/** Notes every key that is no setting, however deep. The schema itself passes over them, so that it can check the rest. */
export function checkKeys(value: unknown, node: SchemaNode | undefined, at: Path, findings: Findings): void {
  if (typeof value !== "object" || value === null || node === undefined) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkKeys(item, node.items, [...at, index], findings);
    return;
  }
  const { properties } = node;
  if (properties === undefined) return;
  for (const [key, item] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) checkKeys(item, properties[key], [...at, key], findings);
    else findings.unknownKey(at, key);
  }
}

function note(issue: z.core.$ZodIssue, value: unknown, path: Path, findings: Findings): void {
  // Messages of our own kinds of values say what was expected. They may quote a part of the value.
  const isOurs = issue.code === "custom" && findings.originOf(path) === undefined;
  findings.unexpected(path, value, isOurs ? issue.message : undefined);
}

function amend(root: unknown, path: Path, fullPath: Path, findings: Findings): boolean {
  const key = path[path.length - 1];
  const parent = valueAt(root, path.slice(0, -1));
  if (key === undefined || typeof parent !== "object" || parent === null) return false;
  const value = valueAt(root, path);
  const node = nodeAt(findings.tree, fullPath);
  if (node?.type === "object") {
    const group = value === null ? {} : node.words?.[String(value)];
    if (group === undefined) return false;
    Object.assign(parent, { [key]: structuredClone(group) });
    return true;
  }
  const isLiteral = typeof value === "string" && /^(?:-?\d{1,15}(?:\.\d{1,15})?|true|false)$/.test(value);
  if (!isLiteral || findings.originOf(fullPath) === undefined || isText(fullPath, findings)) return false;
  Object.assign(parent, { [key]: JSON.parse(value.replace(/^(-?)0+(?=\d)/, "$1")) });
  return true;
}

function isText(path: Path, findings: Findings): boolean {
  return nodeAt(findings.tree, path)?.type === "string";
}

const toStep = (step: PropertyKey): string | number => (typeof step === "symbol" ? String(step) : step);

/** The value at a path; undefined when there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Readonly<Record<string | number, unknown>>)[step] // any object can be asked for any key
        : undefined,
    root,
  );
}
