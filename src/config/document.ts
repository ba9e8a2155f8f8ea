// The configuration file as a YAML document: plain values, and the line and column of each.
import type { LineCounter, Node, Document as YamlDocument } from "yaml";
import type { ConfigError, Locate, Place } from "./errors.ts";

/** A configuration file. */
export interface Document {
  /** Plain values; undefined when the text is empty or is not valid YAML. */
  readonly value: unknown;
  /** Why the text is not valid YAML; empty when it is. */
  readonly errors: readonly ConfigError[];
  readonly locate: Locate;
}

const NOWHERE: Place = { line: undefined, column: undefined };

/** No file: everything has its default. */
export const NO_DOCUMENT: Document = { value: undefined, errors: [], locate: () => NOWHERE };

// The parser's own messages quote the text, which may hold a key.
const SYNTAX: Readonly<Record<string, string>> & { readonly RESOURCE_EXHAUSTION: string } = {
  ALIAS_PROPS: "an alias cannot have an anchor or a tag",
  BAD_ALIAS: "this name of an alias or anchor is not valid",
  BAD_DIRECTIVE: "unknown directive",
  BAD_DQ_ESCAPE: "unknown escape inside double quotes",
  BAD_INDENT: "the indentation does not match any line above",
  BAD_SCALAR_START: "text that begins with this character has to be quoted",
  BLOCK_AS_IMPLICIT_KEY: 'text with ": " in it has to be quoted',
  BLOCK_IN_FLOW: "inside brackets, every list and mapping needs brackets",
  DUPLICATE_KEY: "duplicate key",
  MISSING_CHAR: "a quote, bracket, colon or comma is missing",
  MULTILINE_IMPLICIT_KEY: "a key has to be on one line and end with a colon",
  MULTIPLE_DOCS: "only one document is allowed",
  NON_STRING_KEY: "a key has to be text",
  RESOURCE_EXHAUSTION: "nested too deeply",
  TAB_AS_INDENT: "indentation has to use spaces, not tabs",
  TAG_RESOLVE_FAILED: "unknown tag",
  UNEXPECTED_TOKEN: "not allowed here; text with brackets or braces in it has to be quoted",
};

// Enough to share a group of settings. Documents that exhaust the memory need more.
const MAX_ALIASES = 100;
const TOO_MANY_ALIASES = `more than ${MAX_ALIASES} aliases, or aliases of aliases that expand too far`;

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
    if (errors.every(({ line }) => line !== place.line)) {
      errors.push({ file, ...place, path: "", message: `not valid ${format}: ${message}` });
    }
    return failed;
  };
  const text = decode(content);
  if (text === undefined) return fail("not UTF-8 text");

  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  try {
    const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
    for (const { code, pos } of [...document.errors, ...document.warnings]) {
      fail(SYNTAX[code] ?? "not allowed here", placeAt(lines, pos[0]));
    }
    let aliases = 0;
    yaml.visit(document, {
      Alias(_, alias) {
        aliases += 1;
        if (aliases > MAX_ALIASES) {
          fail(TOO_MANY_ALIASES);
          return yaml.visit.BREAK;
        }
        if (alias.resolve(document) === undefined) {
          fail("no anchor for this alias before it", placeAt(lines, alias.range?.[0] ?? 0));
        }
        return undefined;
      },
    });
    if (errors.length > 0) return failed;
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { value: value ?? undefined, errors, locate: locator(yaml, document, lines) };
  } catch (error) {
    if (error instanceof ReferenceError) return fail(TOO_MANY_ALIASES);
    if (error instanceof RangeError) return fail(SYNTAX.RESOURCE_EXHAUSTION);
    throw error;
  }
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
