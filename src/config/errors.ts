// Errors in a configuration: their place, their text, and what may be shown of a value.
import { closestMatch } from "leven";
import { MASK } from "../api/redact.ts";
import { expectationOf, nodeAt, type Path, type SchemaNode } from "./schema.ts";

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
export class ErrorList {
  readonly #subject: Subject;
  readonly #errors: Map<string, ConfigError>;
  /** The text in the file, by path, of values that hold text from the environment. */
  readonly #expanded: Map<string, string>;

  constructor(subject: Subject, errors: Iterable<[string, ConfigError]> = [], expanded = new Map<string, string>()) {
    this.#subject = subject;
    this.#errors = new Map(errors);
    this.#expanded = expanded;
  }

  /** These errors, to which others can be added. */
  copy(): ErrorList {
    return new ErrorList(this.#subject, this.#errors, this.#expanded);
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

  /** Adds that a value is not what the setting accepts. */
  addUnexpected(
    path: Path,
    value: unknown,
    expected = this.expectationAt(path),
    found = this.describe(path, value),
  ): void {
    this.add(path, value === undefined ? `missing, expected ${expected}` : `expected ${expected}, found ${found}`);
  }

  /** Adds that a key is not a setting, with the setting that may have been meant. */
  addUnknownKey(parent: Path, key: string): void {
    const known = Object.keys(nodeAt(this.#subject.tree, parent)?.properties ?? {});
    const meant = suggestionFor(key, known);
    const hint = meant === undefined ? `known here: ${known.join(", ")}` : `did you mean "${meant}"?`;
    this.add([...parent, key], `unknown setting; ${hint}`, "key");
  }

  /** The accepted values of a setting, in words. */
  expectationAt(path: Path): string {
    return expectationOf(nodeAt(this.#subject.tree, path) ?? {});
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
