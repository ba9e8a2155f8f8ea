// Errors in a configuration: their place and their text.

/** One error, and its place. */
export interface ConfigError {
  /** The file; undefined for a flag of the command line. */
  readonly file: string | undefined;
  /** Counted from 1; absent where there is no line to point at. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** `networks[0].budget.per_minute`, or a flag; empty for the file as a whole. */
  readonly path: string;
  /** What was expected and what was found. Never holds a secret, nor a value that came from the environment. */
  readonly message: string;
}

/** Where a setting is: keys and indices from the top. */
export type Path = readonly (string | number)[];

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

/** The value at a path; undefined when there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Readonly<Record<string | number, unknown>>)[step] // reading any key of an object is safe
        : undefined,
    root,
  );
}

const LONGEST = 60;

/** The text on one line of at most 60 characters. */
export function shorten(text: string): string {
  // Control characters would let a configuration overwrite the terminal of the reader.
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD");
  const characters = [...line];
  return characters.length <= LONGEST ? line : `${characters.slice(0, LONGEST - 1).join("")}…`;
}

/** What kind of value it is, for values that may be a secret in the wrong place. */
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
