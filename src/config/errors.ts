// Errors in a configuration: their place, their text, and what may be shown of a value.
import { closestMatch } from "leven";
import type { z } from "zod";
import { MASK } from "../api/redact.ts";
import { type Path, valueAt } from "./paths.ts";
import { expectationOf, nodeAt, type SchemaNode } from "./schema.ts";

/** Line and column, counted from 1; undefined where there is nothing to point at. */
export interface Place {
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** One error, and its place. */
export interface ConfigError extends Place {
  /** The file; undefined for a flag of the command line. */
  readonly file: string | undefined;
  /** `networks[0].budget.per_minute`, or a flag; empty for the file as a whole. */
  readonly path: string;
  /** The expected and the found value. Never contains a secret or a value from the environment. */
  readonly message: string;
}

/** The path as people write it: `networks[0].budget`. */
export function formatPath(path: Path): string {
  const steps = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${shorten(key)}`));
  return steps.join("").replace(/^\./, "");
}

/** One error on one line: `file:line:column: path: message`. */
export function formatError({ file, line, column, path, message }: ConfigError): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return [place, path, message].filter((part) => part !== "").join(": ");
}

/** Errors, one per line. */
export const formatErrors = (errors: readonly ConfigError[]): string => errors.map(formatError).join("\n");

const LONGEST = 60;

/** The text on one line of at most `longest` characters. */
export function shorten(text: string, longest = LONGEST): string {
  // Control characters would let a configuration overwrite the terminal of the reader.
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD");
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
}

/** The kind of a value, for values that may be a secret in the wrong place. */
export function describeKind(value: unknown): string {
  if (typeof value === "string") return `text of ${[...value].length} characters`;
  if (typeof value === "number") return "a number";
  return describeValue(value);
}

/** A value as a message shows it: short, on one line, and without the password that a URL may hold. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value === "string") return `"${shorten(hideCredentials(value))}"`;
  return shorten(String(value));
}

// Everything before the last `@`, because a password may hold any character; and the query, where keys often are.
function hideCredentials(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/isu, (_, scheme: string | undefined) => `${scheme ?? ""}***@`)
    .replace(/(:\/\/[^?#]*[?#]).+$/su, "$1***");
}

/** What is wrong with a setting: with its value, or with its key. */
export interface Problem {
  readonly path: Path;
  readonly expected: string;
  /** Absent if `expected` says all. */
  readonly found?: string | undefined;
  readonly part?: "key" | "value" | undefined;
}

/** What may be shown of the values of a configuration. */
export interface Shown {
  readonly describe: (path: Path, value: unknown) => string;
  /** Whether a value contains text from the environment. */
  readonly isExpanded: (path: Path) => boolean;
}

/** The message of an issue of which the setting describes the expected value: that of zod. */
export const AS_DESCRIBED = "Invalid input";

/**
 * What an issue of zod says about the values below `root`, whose settings `tree` describes. The message of a custom
 * issue is the expected value, or begins with "expected" or "missing" if it is complete.
 */
export function problemsOf(issue: z.core.$ZodIssue, root: unknown, tree: SchemaNode, shown: Shown): Problem[] {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(nodeAt(tree, path)?.properties ?? {});
    return issue.keys.map((key) => ({ path: [...path, key], expected: unknownSetting(key, known), part: "key" }));
  }
  const own = issue.code === "custom" ? issue : undefined;
  const { part, found, reason }: { part?: Problem["part"]; found?: string; reason?: string } = own?.params ?? {};
  if (/^(expected |missing, |the environment variable )/.test(own?.message ?? ""))
    return [{ path, expected: issue.message, found, part }];
  const value = valueAt(root, path);
  // Messages and reasons can quote a part of the value.
  const isQuotable = own !== undefined && !shown.isExpanded(path);
  const isSpecial = isQuotable && own.message !== AS_DESCRIBED;
  const expected = isSpecial ? own.message : expectationOf(nodeAt(tree, path) ?? {});
  if (value === undefined) return [{ path, expected: `missing, expected ${expected}` }];
  const because = isQuotable && reason !== undefined ? `: ${reason}` : "";
  return [{ path, expected: `expected ${expected}`, found: shown.describe(path, value) + because, part }];
}

function unknownSetting(key: string, known: readonly string[]): string {
  const meant = suggestionFor(key, known);
  return `unknown setting; ${meant === undefined ? `known here: ${known.join(", ")}` : `did you mean "${meant}"?`}`;
}

/** The message of a problem. */
export const messageOf = ({ expected, found }: Omit<Problem, "path">): string =>
  found === undefined ? expected : `${expected}, found ${found}`;

/** The source of the errors of a configuration. */
interface Subject {
  readonly file: string | undefined;
  /** The place of a setting's value or key. */
  readonly locate: (path: Path, part: "key" | "value") => Place;
  readonly tree: SchemaNode;
  /** Flags of the command line, by the path of the setting that they replace. */
  readonly flags: ReadonlyMap<string, string>;
}

/** The errors of one configuration: one for each path, because the second is often a consequence of the first. */
export class ErrorList implements Shown {
  readonly #subject: Subject;
  readonly #errors = new Map<string, ConfigError>();
  /** The text in the file, by path, of values that hold text from the environment. */
  readonly #expanded = new Map<string, string>();

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** The errors in the order of the file; errors without a line are first. */
  get inOrder(): readonly ConfigError[] {
    return [...this.#errors.values()].sort(
      (a, b) =>
        (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) || a.path.localeCompare(b.path, "en"),
    );
  }

  /** Adds an error at the value of a setting, or at its key. */
  add(path: Path, message: string, part: "key" | "value" = "value"): void {
    const text = formatPath(path);
    if (this.#errors.has(text)) return;
    const { file, locate, flags } = this.#subject;
    // A flag that can be repeated is a list.
    const flag = flags.get(text.replace(/\[\d+\]$/, ""));
    this.#errors.set(
      text,
      flag === undefined
        ? { file, ...locate(path, part), path: text, message }
        : { file: undefined, line: undefined, column: undefined, path: flag, message },
    );
  }

  /** Adds what zod found in the values below `root`. */
  addIssue(issue: z.core.$ZodIssue, root: unknown): void {
    for (const problem of problemsOf(issue, root, this.#subject.tree, this))
      this.add(problem.path, messageOf(problem), problem.part);
  }

  /** Records that a value contains text from the environment. `text` is the text of the file. */
  markExpanded(path: Path, text: string): void {
    this.#expanded.set(formatPath(path), text);
  }

  isExpanded(path: Path): boolean {
    return this.#expanded.has(formatPath(path));
  }

  /** The part of a value that may be shown. */
  describe(path: Path, value: unknown): string {
    if (value === null || typeof value === "object") return describeValue(value);
    // A key may have been written one level too deep, so everything below a secret is one too.
    if (path.some((_, index) => nodeAt(this.#subject.tree, path.slice(0, index + 1))?.sensitive === true)) return MASK;
    const text = this.#expanded.get(formatPath(path));
    return text === undefined ? describeValue(value) : `the value of ${describeValue(text)}`;
  }
}

/** The known word that is most like the given one; undefined when none is like it. `perMinute` is like `per_minute`. */
export function suggestionFor(word: string, known: readonly string[]): string | undefined {
  // A key may have megabytes.
  if (word.length > 64) return undefined;
  return closestMatch(word.toLowerCase(), known, { maxDistance: Math.ceil(word.length / 3) });
}
