// Errors in a configuration: their place, their text, and what may be shown of a value.
import { closestMatch } from "leven";
import type { z } from "zod";
import { MASK } from "../api/redact.ts";
import { isLikePrincipal } from "./principal.ts";
import { expectationOf, nodesAlong, type Path, type SchemaNode, valueAt } from "./schema.ts";

/** Line and column, counted from 1; undefined where there is nothing to point at. */
export interface Place {
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** One error, and its place. */
export interface ConfigError extends Place {
  /** The file; undefined for a text without one. */
  readonly file: string | undefined;
  /** `networks[0].budget.per_minute`; empty for the file as a whole. */
  readonly path: string;
  /** The expected and the found value. Never contains a secret. */
  readonly message: string;
}

/** Line and column of a setting's value (or of its key), or of the nearest group around it that exists. */
export type Locate = (path: Path, part: "key" | "value") => Place;

/** What zod found, or another check in the form of zod. */
export type Issue = z.core.$ZodIssue;

interface Details {
  /** The part of the setting that is shown. @default "value" */
  readonly part?: "key" | "value";
  readonly reason?: string;
}

/** An issue: the expected value, or a complete message that begins with "expected", "missing" or "the". */
export const issueAt = (path: Path, message: string, params: Details = {}): Issue => ({
  code: "custom",
  path: [...path],
  message,
  params: { ...params },
  input: undefined,
});

/** The values in which issues were found. */
export interface Source {
  readonly file: string | undefined;
  readonly tree: SchemaNode;
  /** All values, valid or not. */
  readonly root: unknown;
  readonly locate: Locate;
  /** Whether the values are entries, in which the same error is reported once: a column can be wrong in each line. */
  readonly isList?: boolean;
}

/** The path as people write it: `networks[0].budget`. */
export function formatPath(path: Path): string {
  const steps = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${nameOf(key)}`));
  return steps.join("").replace(/^\./, "");
}

// A name may be a key in the wrong place, such as `api_key=KEY`.
function nameOf(key: string): string {
  const shown = key.replace(/([:=]).+/s, "$1…");
  const [word = ""] = shown.split(/[:=]/);
  return /^(?:<<|[a-z_]{1,40})$/.test(word) || isHarmless(word) ? shorten(shown) : lengthOf(key);
}

/** One error on one line: `file:line:column: path: message`. */
export function formatError({ file, line, column, path, message }: ConfigError): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return [place, path, message].filter((part) => part !== "").join(": ");
}

/** Errors, one per line. */
export const formatErrors = (errors: readonly ConfigError[]): string => errors.map(formatError).join("\n");

/** The text on one line of at most 60 characters. */
export function shorten(text: string, longest = 60): string {
  // Control characters would let a configuration overwrite the terminal of the reader.
  const characters = [...text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD")];
  return characters.length <= longest ? characters.join("") : `${characters.slice(0, longest - 1).join("")}…`;
}

// Any other text may be a key or a password in the wrong place.
const HARMLESS = /^[\p{L}\d .,:;*/+_-]{0,20}$/u;

/** A value as a message shows it: text only if it is short and plain, or looks like a principal. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value !== "string") return String(value);
  return isHarmless(value) ? `"${value}"` : lengthOf(value);
}

const isHarmless = (text: string): boolean => HARMLESS.test(text) || isLikePrincipal(text);
const lengthOf = (text: string): string => `text of ${[...text].length} characters`;

interface Problem {
  readonly path: Path;
  readonly message: string;
  /** The value as the message shows it. @default the message says all */
  readonly found?: string;
  readonly part?: "key" | "value";
}

// Lines that a message names.
const MAX_LINES = 20;

/** The errors of issues, in the order of the file: one for each path, because a second one often follows from it. */
export function errorsOf(issues: readonly Issue[], source: Source): readonly ConfigError[] {
  const { file, locate, isList = false } = source;
  const problems = new Map<string, Problem>();
  for (const problem of issues.flatMap((issue) => problemsOf(issue, source))) {
    const path = formatPath(problem.path);
    if (!problems.has(path)) problems.set(path, problem);
  }
  const causes = Map.groupBy(problems, ([text, { path, message }]) =>
    isList ? formatPath([...path.slice(1), message]) : text,
  );
  const errors = [...causes.values()].map((same): ConfigError => {
    const [[text, { path, message: expected, found, part = "value" }]] = same as [(typeof same)[0]];
    const lines = [...new Set(same.map(([, { path }]) => locate(path, part).line))].slice(1);
    const others = lines.slice(0, MAX_LINES).join(", ") + (lines.length > MAX_LINES ? ", …" : "");
    const message = expected + (found ? `, found ${found}` : "") + (others && `; the same in line ${others}`);
    return { file, ...locate(path, part), path: isList ? formatPath(path.slice(1)) : text, message };
  });
  return errors.sort(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) || a.path.localeCompare(b.path, "en"),
  );
}

/** The message of an issue of which the setting describes the expected value. */
export const AS_DESCRIBED = "Invalid input";

function problemsOf(issue: Issue, { tree, root }: Source): readonly Problem[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  const nodes = nodesAlong(tree, path).map((node) => node ?? {});
  const node = nodes.at(-1) ?? {};
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(node.properties ?? {});
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownSetting(key, known), part: "key" }));
  }
  const value = valueAt(root, path);
  // A key may have been written one level too deep, so everything below a secret is one too.
  const found = nodes.some(({ sensitive }) => sensitive) ? MASK : describeValue(value);
  if (issue.code === "invalid_key")
    return [{ path, message: `expected ${issue.issues[0]?.message}`, found: describeValue(path.at(-1)), part: "key" }];
  const { message, params = {} } = issue.code === "custom" ? issue : { message: AS_DESCRIBED };
  const { part = "value", reason }: Details = params;
  if (/^(expected|missing,|not valid|the environment variable) /.test(message)) return [{ path, message, part }];
  const expected = message === AS_DESCRIBED ? expectationOf(node) : message;
  if (value === undefined) return [{ path, message: `missing, expected ${expected}` }];
  return [{ path, message: `expected ${expected}`, found: reason === undefined ? found : `${found}: ${reason}`, part }];
}

function unknownSetting(key: string, known: readonly string[]): string {
  // A key may have megabytes. `perMinute` is like `per_minute`.
  const word = key.slice(0, 64).toLowerCase();
  const meant = closestMatch(word, known, { maxDistance: Math.ceil(word.length / 3) });
  return `unknown setting; ${meant === undefined ? `known here: ${known.join(", ")}` : `did you mean "${meant}"?`}`;
}
