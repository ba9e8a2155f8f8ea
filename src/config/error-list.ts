// Collects the errors of a configuration. Knows the place of each setting, and what may be shown of its value.
import { closestMatch } from "leven";
import type { Document } from "./document.ts";
import { type ConfigError, describeValue, formatPath, type Path } from "./errors.ts";
import { expectationOf, nodeAt, type SchemaNode } from "./schema.ts";

/**
 * The errors of one configuration: at most one for each path, because the second is often a consequence of the first.
 */
export class ErrorList {
  readonly #document: Document;
  readonly #tree: SchemaNode;
  /** Flags of the command line, by the path of the setting that they replace. */
  readonly #flags: ReadonlyMap<string, string>;
  /** The text in the file, by path, of values that hold text from the environment. */
  readonly #expanded = new Map<string, string>();
  readonly #errors = new Map<string, ConfigError>();

  constructor(document: Document, tree: SchemaNode, flags: ReadonlyMap<string, string>) {
    this.#document = document;
    this.#tree = tree;
    this.#flags = flags;
  }

  /** These errors, to which others can be added. */
  copy(): ErrorList {
    const copy = new ErrorList(this.#document, this.#tree, this.#flags);
    for (const [path, text] of this.#expanded) copy.#expanded.set(path, text);
    for (const [path, error] of this.#errors) copy.#errors.set(path, error);
    return copy;
  }

  /** The errors in the order of the file; those without a line come first. */
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
    const flag = this.#flags.get(text);
    const place =
      flag === undefined
        ? { file: this.#document.file, ...this.#document.locate(path, part), path: text }
        : { file: undefined, line: undefined, column: undefined, path: flag };
    this.#errors.set(text, { ...place, message });
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

  /** Adds that a key is no setting, with the setting that may have been meant. */
  addUnknownKey(parent: Path, key: string): void {
    const known = Object.keys(nodeAt(this.#tree, parent)?.properties ?? {});
    const meant = suggestionFor(key, known);
    const hint = meant === undefined ? `known here: ${known.join(", ")}` : `did you mean "${meant}"?`;
    this.add([...parent, key], `unknown setting; ${hint}`, "key");
  }

  /** What a setting accepts, in words. */
  expectationAt(path: Path): string {
    return expectationOf(nodeAt(this.#tree, path) ?? {});
  }

  /** Remembers that a value holds text from the environment. `text` is what the file says. */
  markExpanded(path: Path, text: string): void {
    this.#expanded.set(formatPath(path), text);
  }

  isExpanded(path: Path): boolean {
    return this.#expanded.has(formatPath(path));
  }

  /** What may be shown of a value. */
  describe(path: Path, value: unknown): string {
    if (value === null || typeof value === "object") return describeValue(value);
    // A key may have been written one level too deep, so everything below a secret is one too.
    if (path.some((_, index) => nodeAt(this.#tree, path.slice(0, index + 1))?.sensitive === true)) return "***";
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
