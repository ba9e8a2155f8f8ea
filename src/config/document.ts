// The configuration file as a YAML document: plain values, and the line and column of each.
import type { LineCounter, Node, Document as YamlDocument } from "yaml";
import { type ConfigError, type Locate, NOWHERE, type Place } from "./errors.ts";

/** A configuration file. */
export interface Document {
  /** Plain values; undefined when the text is empty or is not valid YAML. */
  readonly value: unknown;
  /** Why the text is not valid YAML; empty when it is. */
  readonly errors: readonly ConfigError[];
  readonly locate: Locate;
}

/** No file: everything has its default. */
export const NO_DOCUMENT: Document = { value: undefined, errors: [], locate: () => NOWHERE };

// The cause of errors whose code does not say it. The parser's own messages quote the text, which may hold a key.
const CAUSES: Readonly<Record<string, string>> = {
  BAD_INDENT: "the indentation does not match any line above",
  BAD_SCALAR_START: "text that begins with this character has to be quoted",
  BLOCK_AS_IMPLICIT_KEY: 'text with ": " in it has to be quoted',
  MISSING_CHAR: "a quote, bracket, colon or comma is missing",
  MULTILINE_IMPLICIT_KEY: "a key has to be on one line and end with a colon",
  TAB_AS_INDENT: "indentation has to use spaces, not tabs",
  UNEXPECTED_TOKEN: "not allowed here; text with brackets or braces in it has to be quoted",
};

/** Reads a configuration file. The parser is loaded only here, which makes a start without a file faster. */
export async function readDocument(
  file: string | undefined,
  content: string | Uint8Array,
  format: "YAML" | "JSON" = "YAML",
): Promise<Document> {
  const errors: ConfigError[] = [];
  const failed = { ...NO_DOCUMENT, errors };
  const fail = (message: string, place: Place = NOWHERE): Document => {
    // Further errors on a line are often consequences of the first.
    if (errors.every(({ line }) => line !== place.line))
      errors.push({ file, ...place, path: "", message: `not valid ${format}: ${message}` });
    return failed;
  };
  const text = decode(content);
  if (text === undefined) return fail("not UTF-8 text");

  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  try {
    const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
    for (const { code, pos } of [...document.errors, ...document.warnings])
      fail(CAUSES[code] ?? code.toLowerCase().replaceAll("_", " "), placeAt(lines, pos[0]));
    yaml.visit(document, {
      Alias(_, alias) {
        if (alias.resolve(document) !== undefined) return;
        fail("no anchor for this alias before it", placeAt(lines, alias.range?.[0] ?? 0));
      },
    });
    if (errors.length > 0) return failed;
    const value: unknown = document.toJS({ maxAliasCount: 100, reviver: withoutNull });
    return { value, errors, locate: locator(yaml, document, lines) };
  } catch (error) {
    if (error instanceof ReferenceError) return fail("aliases of aliases that expand too far");
    if (error instanceof RangeError) return fail("nested too deeply");
    throw error;
  }
}

// A setting without a value is not set.
function withoutNull(this: unknown, _: unknown, value: unknown): unknown {
  return value === null && !Array.isArray(this) ? undefined : value;
}

/** The text without byte order mark; undefined when it is not UTF-8. */
export function decode(content: string | Uint8Array): string | undefined {
  if (typeof content === "string") return content.replace(/^\uFEFF/, "");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function locator(
  { isAlias, isMap, isNode, isSeq }: typeof import("yaml"),
  document: YamlDocument.Parsed,
  lines: LineCounter,
): Locate {
  return (path, part) => {
    let found: Node | null = document.contents;
    for (const [depth, step] of path.entries()) {
      const parent: unknown = isAlias(found) ? found.resolve(document) : found;
      let next: unknown;
      if (isMap(parent)) {
        const pair = parent.items.find(({ key }) => String(key) === String(step));
        const isKey = depth === path.length - 1 && (part === "key" || pair?.value === null);
        next = isKey ? pair?.key : pair?.value;
      } else if (isSeq(parent)) {
        next = parent.items[Number(step)];
      }
      if (!isNode(next)) break;
      found = next;
    }
    return found?.range ? placeAt(lines, found.range[0]) : NOWHERE;
  };
}
