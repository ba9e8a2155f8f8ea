// Errors in a configuration: their place, their text, and what may be shown of a value.
import { closestMatch } from "leven";
import type { z } from "zod";
import { MASK } from "../api/redact.ts";
import { type Path, valueAt } from "./paths.ts";
import { isLikePrincipal } from "./principal.ts";
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

// The kind of a value that may be a secret in the wrong place.
function describeKind(value: unknown): string {
  if (typeof value === "string") return `text of ${[...value].length} characters`;
  return typeof value === "number" ? "a number" : describeValue(value);
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
interface Problem {
  readonly path: Path;
  readonly expected: string;
  /** Absent if `expected` says all. */
  readonly found?: string | undefined;
  readonly part?: "key" | "value" | undefined;
}

/** The message of an issue of which the setting describes the expected value: that of zod. */
export const AS_DESCRIBED = "Invalid input";

function unknownSetting(key: string, known: readonly string[]): string {
  const meant = suggestionFor(key, known);
  return `unknown setting; ${meant === undefined ? `known here: ${known.join(", ")}` : `did you mean "${meant}"?`}`;
}

/** The message of a problem. */
const messageOf = ({ expected, found }: Problem) => (found === undefined ? expected : `${expected}, found ${found}`);

/** The source of the errors of a configuration. */
interface Source {
  readonly file: string | undefined;
  /** The place of a setting's value or key. */
  readonly locate: Locate;
  /** Flags of the command line, by the path of the setting that they replace. @default none */
  readonly flags?: ReadonlyMap<string, string>;
}

/** Line and column of a setting's value (or of its key), or of the nearest group around it that exists. */
export type Locate = (path: Path, part: "key" | "value") => Place;

// Lines that a message names.
const MAX_LINES = 20;

/** The errors in the values of one file: one for each path, because the second is often a consequence of the first. */
export class ErrorList {
  readonly #tree: SchemaNode;
  readonly #problems = new Map<string, Problem>();
  /** The text in the file, by path, of values that hold text from the environment. */
  readonly #expanded = new Map<string, string>();

  constructor(tree: SchemaNode) {
    this.#tree = tree;
  }

  get isEmpty(): boolean {
    return this.#problems.size === 0;
  }

  /** The errors in the order of the file; errors without a line are first. */
  inOrder({ file, locate, flags }: Source): readonly ConfigError[] {
    const errors = [...this.#problems].map(([text, problem]): ConfigError => {
      const message = messageOf(problem);
      // A flag that can be repeated is a list.
      const flag = flags?.get(text.replace(/\[\d+\]$/, ""));
      return flag === undefined
        ? { file, ...locate(problem.path, problem.part ?? "value"), path: text, message }
        : { file: undefined, line: undefined, column: undefined, path: flag, message };
    });
    return errors.sort(
      (a, b) =>
        (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) || a.path.localeCompare(b.path, "en"),
    );
  }

  /** The errors in a list of entries. The same expectation is one error: a column can be wrong in each line. */
  byEntry({ file, locate }: Source): readonly ConfigError[] {
    const same = Map.groupBy(this.#problems.values(), ({ path, expected }) => formatPath([...path.slice(1), expected]));
    return [...same.values()].map((problems) => {
      const [first] = problems as [Problem];
      const lines = [...new Set(problems.map(({ path, part = "value" }) => locate(path, part).line))].slice(1);
      const others = lines.slice(0, MAX_LINES).join(", ") + (lines.length > MAX_LINES ? ", …" : "");
      const also = others === "" ? "" : `; the same in line ${others}`;
      const place = locate(first.path, first.part ?? "value");
      return { file, ...place, path: formatPath(first.path.slice(1)), message: messageOf(first) + also };
    });
  }

  /** Adds an error at the value of a setting, or at its key. Without `found`, `expected` is the whole message. */
  add(path: Path, expected: string, part?: Problem["part"], found?: string): void {
    const text = formatPath(path);
    if (!this.#problems.has(text)) this.#problems.set(text, { path, expected, found, part });
  }

  /**
   * Adds what zod found in the values below `root`. The message of a custom issue is the expected value, or begins with
   * "expected" or "missing" if it is complete.
   */
  addIssue(issue: z.core.$ZodIssue, root: unknown): void {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    const node = nodeAt(this.#tree, path) ?? {};
    if (issue.code === "unrecognized_keys") {
      const known = Object.keys(node.properties ?? {});
      for (const key of issue.keys) this.add([...path, key], unknownSetting(key, known), "key");
      return;
    }
    if (issue.code === "invalid_key") {
      const [wrong] = issue.issues;
      const { reason }: { reason?: string } = wrong?.code === "custom" ? (wrong.params ?? {}) : {};
      const found = describeValue(path.at(-1)) + (reason === undefined ? "" : `: ${reason}`);
      this.add(path, `expected ${wrong?.message}`, "key", found);
      return;
    }
    const own = issue.code === "custom" ? issue : undefined;
    const { part, found, reason }: { part?: Problem["part"]; found?: string; reason?: string } = own?.params ?? {};
    if (/^(expected |missing, |the environment variable )/.test(own?.message ?? "")) {
      this.add(path, issue.message, part, found);
      return;
    }
    const value = valueAt(root, path);
    // Messages and reasons can quote a part of the value.
    const isQuotable = own !== undefined && !this.isExpanded(path);
    const expected = isQuotable && own.message !== AS_DESCRIBED ? own.message : expectationOf(node);
    const because = isQuotable && reason !== undefined ? `: ${reason}` : "";
    if (value === undefined) this.add(path, `missing, expected ${expected}`);
    else this.add(path, `expected ${expected}`, part, this.describe(path, value) + because);
  }

  /** Records that a value contains text from the environment. `text` is the text of the file. */
  markExpanded(path: Path, text: string): void {
    this.#expanded.set(formatPath(path), text);
  }

  /** Whether a value contains text from the environment. */
  isExpanded(path: Path): boolean {
    return this.#expanded.has(formatPath(path));
  }

  /** The part of a value that may be shown. */
  describe(path: Path, value: unknown): string {
    if (value === null || typeof value === "object") return describeValue(value);
    const nodes = path.flatMap((_, index) => nodeAt(this.#tree, path.slice(0, index + 1)) ?? []);
    // A key may have been written one level too deep, so everything below a secret is one too.
    if (nodes.some(({ sensitive }) => sensitive)) return MASK;
    const text = this.#expanded.get(formatPath(path));
    if (text !== undefined) return `the value of ${describeValue(text)}`;
    const isShown =
      nodes.every(({ isGuarded }) => isGuarded !== true) ||
      isLikePrincipal(String(value)) ||
      nodes.some(({ shown }) => shown !== undefined && new RegExp(shown).test(String(value)));
    return isShown ? describeValue(value) : describeKind(value);
  }
}

/** The known word that is most like the given one; undefined when none is like it. `perMinute` is like `per_minute`. */
export function suggestionFor(word: string, known: readonly string[]): string | undefined {
  // A key may have megabytes.
  if (word.length > 64) return undefined;
  return closestMatch(word.toLowerCase(), known, { maxDistance: Math.ceil(word.length / 3) });
}
