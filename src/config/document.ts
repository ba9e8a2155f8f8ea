// The configuration file as a YAML document: plain values, and the line and column of each.
import { isMap, isNode, LineCounter, parseDocument } from "yaml";
import type { ConfigError, Locate, Place } from "./errors.ts";
import { decode, MAX_BYTES, type ReadFile, unusable } from "./files.ts";

/** A configuration file. */
export interface Document {
  readonly file: string | undefined;
  /** Plain values; undefined when the text is empty or is not valid YAML. */
  readonly value: unknown;
  /** Why the text is not valid YAML; empty when it is. */
  readonly errors: readonly ConfigError[];
  readonly locate: Locate;
}

/** No file: everything has its default. */
export const NO_DOCUMENT: Document = { file: undefined, value: undefined, errors: [], locate: () => ({}) };

// What the code of an error does not say. The parser's own messages quote the text, which may hold a key.
const CAUSES: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'text with ": " in it has to be quoted',
  UNEXPECTED_TOKEN: "not allowed here; text with brackets or braces in it has to be quoted",
};

/** Reads the configuration file of a path. That it cannot be read is one of its errors. */
export async function openDocument(file: string, readFile: ReadFile): Promise<Document> {
  try {
    return readDocument(file, await readFile(file, MAX_BYTES.configuration));
  } catch (error) {
    return { ...NO_DOCUMENT, file, errors: [{ file, path: "", message: unusable(error) }] };
  }
}

/** Reads the content of a configuration file. */
export function readDocument(
  file: string | undefined,
  content: string | Uint8Array,
  format: "YAML" | "JSON" = "YAML",
): Document {
  const failed = (...causes: readonly (Partial<Place> & { readonly message: string })[]): Document => ({
    ...NO_DOCUMENT,
    file,
    errors: causes.map(({ message, ...place }) => {
      return { file, ...place, path: "", message: `not valid ${format}: ${message}` };
    }),
  });
  const text = decode(content);
  if (text === undefined) return failed({ message: "not UTF-8 text" });
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
    const placeAt = (offset: number): Place => {
      const { line, col } = lines.linePos(offset);
      return { line: Math.max(1, line), column: Math.max(1, col) };
    };
    // Further errors on a line are often consequences of the first.
    const byLine = Map.groupBy([...document.errors, ...document.warnings], ({ pos: [at] }) => placeAt(at).line);
    const causes = [...byLine.values()].flatMap(([first]) => first ?? []);
    if (causes.length > 0)
      return failed(
        ...causes.map(({ code, pos: [at] }) => ({
          ...placeAt(at),
          message: CAUSES[code] ?? code.toLowerCase().replaceAll("_", " "),
        })),
      );
    const value: unknown = document.toJS({ maxAliasCount: 100, reviver: withoutNull });
    const locate: Locate = (path, part) => {
      const parent = document.getIn(path.slice(0, -1), true);
      const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(path.at(-1))) : undefined;
      const found = part === "key" && pair !== undefined ? pair.key : document.getIn(path, true);
      if (isNode(found) && found.range) return placeAt(found.range[0]);
      return path.length === 0 ? {} : locate(path.slice(0, -1), "value");
    };
    return { file, value, errors: [], locate };
  } catch (error) {
    if (error instanceof ReferenceError)
      return failed({ message: "an alias without its anchor before it, or aliases that expand too far" });
    if (error instanceof RangeError) return failed({ message: "nested too deeply" });
    throw error;
  }
}

// A setting without a value is not set.
function withoutNull(this: unknown, _: unknown, value: unknown): unknown {
  return value === null && !Array.isArray(this) ? undefined : value;
}
