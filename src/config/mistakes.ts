// Mistakes in a configuration, as they are told to people.

/** One thing that is wrong, and where. */
export interface Mistake {
  /** The file, or another source such as a flag; undefined when the defaults are used. */
  readonly file: string | undefined;
  /** Counted from 1; absent where there is no line to point at. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** `networks[0].budget.per_minute`; empty for the file as a whole. */
  readonly path: string;
  /** What was expected and what was found. Never holds a secret, nor a value that came from the environment. */
  readonly message: string;
}

/** Where a setting is: keys and indices from the top. */
export type Path = readonly (string | number)[];

/** The path as people write it: `networks[0].budget`. */
export function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : text === "" ? shorten(key) : `${text}.${shorten(key)}`,
    "",
  );
}

/** One mistake on one line: `file:line:column: path: message`. */
export function formatMistake({ file, line, column, path, message }: Mistake): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return [place, path, message].filter((part) => part !== "").join(": ");
}

/** Mistakes, one per line, in the order of the file. */
export function formatMistakes(mistakes: readonly Mistake[]): string {
  return mistakes.map(formatMistake).join("\n");
}

/** Every mistake once, in the order of the file; those without a place come first. */
export function inOrder(mistakes: readonly Mistake[]): Mistake[] {
  const once = new Map(mistakes.map((mistake) => [formatMistake(mistake), mistake]));
  return [...once.values()].sort(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) || a.path.localeCompare(b.path, "en"),
  );
}

const LONGEST = 60;

/** The text on one line of at most 60 characters. */
export function shorten(text: string): string {
  // Control characters would let a configuration write over the terminal of whoever checks it.
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD");
  const characters = [...line];
  return characters.length <= LONGEST ? line : `${characters.slice(0, LONGEST - 1).join("")}…`;
}

/** What kind of value it is, for values that may be a secret by mistake. */
export function describeKind(value: unknown): string {
  if (typeof value === "string") return `text of ${[...value].length} characters`;
  if (typeof value === "number") return "a number";
  return describeValue(value);
}

/** A value as a message names it: short, on one line, and without the password that a URL may hold. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value === "string") return `"${shorten(hideCredentials(value))}"`;
  return shorten(String(value));
}

// Everything before the last `@`, because a password may hold any character; and the query, where keys are often put.
function hideCredentials(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/isu, (_, scheme: string | undefined) => `${scheme ?? ""}***@`)
    .replace(/(:\/\/[^?#]*[?#]).+$/su, "$1***");
}
