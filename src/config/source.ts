// The file as text: YAML into plain values, and back from a path to line and column.

import type { Document, LineCounter, Node } from "yaml";
import type { Mistake, Path } from "./mistakes.ts";

/** What was read. */
export interface Source {
  readonly file: string | undefined;
  /** Plain values; undefined when the text is empty or could not be read. */
  readonly value: unknown;
  /** Why the text could not be read; empty when it could. */
  readonly mistakes: readonly Mistake[];
  /** Line and column of a setting's value (or of its key), or of the nearest thing around it that exists. */
  locate(path: Path, part: "key" | "value"): Place;
}

/** Counted from 1. */
export interface Place {
  readonly line: number | undefined;
  readonly column: number | undefined;
}

const NOWHERE: Place = { line: undefined, column: undefined };

/** No text at all: everything has its default. */
export const NO_SOURCE: Source = { file: undefined, value: undefined, mistakes: [], locate: () => NOWHERE };

// The messages are ours: those of the parser quote the text, which may hold a key.
const SYNTAX: Readonly<Record<string, string>> & { readonly RESOURCE_EXHAUSTION: string } = {
  ALIAS_PROPS: "an alias has neither anchor nor tag",
  BAD_ALIAS: "the name of an alias or anchor is not valid",
  BAD_DIRECTIVE: "this directive is not known",
  BAD_DQ_ESCAPE: "this escape is not known inside double quotes",
  BAD_INDENT: "the indentation fits to nothing above",
  BAD_SCALAR_START: "text that begins with this character has to be quoted",
  BLOCK_AS_IMPLICIT_KEY: 'text with ": " in it has to be quoted',
  BLOCK_IN_FLOW: "inside brackets, everything has to be in brackets",
  DUPLICATE_KEY: "this key was given before",
  MISSING_CHAR: "a quote, bracket, colon or comma is missing",
  MULTILINE_IMPLICIT_KEY: "a key has to be on one line, and to end with a colon",
  MULTIPLE_DOCS: "there has to be one document only",
  NON_STRING_KEY: "a key has to be text",
  RESOURCE_EXHAUSTION: "this is nested too deeply",
  TAB_AS_INDENT: "indentation has to be made of spaces, not of tabs",
  TAG_RESOLVE_FAILED: "this tag is not known",
  UNEXPECTED_TOKEN: "this cannot stand here; text with brackets or braces in it has to be quoted",
};

// Enough for a shared list of settings; what needs more wants to fill the memory.
const MOST_ALIASES = 100;
const TOO_MANY_ALIASES = `there are more than ${MOST_ALIASES} aliases, or aliases of aliases that grow beyond measure`;

/** Reads a configuration file. The parser is loaded only now: whoever has no file does not pay for it. */
export async function readSource(file: string | undefined, content: string | Uint8Array): Promise<Source> {
  const fail = (...mistakes: readonly SyntaxMistake[]): Source => ({
    ...NO_SOURCE,
    file,
    mistakes: mistakes.map(({ message, place }) => ({
      file,
      ...place,
      path: "",
      message: `not valid YAML: ${message}`,
    })),
  });
  const text = decode(content);
  if (text === undefined) return fail({ message: "this is no UTF-8 text", place: NOWHERE });

  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
    const mistakes = [
      ...[...document.errors, ...document.warnings].map(({ code, pos }) => ({
        message: SYNTAX[code] ?? "this cannot stand here",
        place: placeAt(lines, pos[0]),
      })),
      ...(await checkAliases(document, lines)),
    ];
    if (mistakes.length > 0) return fail(...firstOfEachLine(mistakes));
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    return { file, value: value ?? undefined, mistakes: [], locate: await locator(document, lines) };
  } catch (error) {
    if (error instanceof ReferenceError) return fail({ message: TOO_MANY_ALIASES, place: NOWHERE });
    if (error instanceof RangeError) return fail({ message: SYNTAX.RESOURCE_EXHAUSTION, place: NOWHERE });
    throw error;
  }
}

interface SyntaxMistake {
  readonly message: string;
  readonly place: Place;
}

// What is wrong on a line is often followed by its consequences.
function firstOfEachLine(mistakes: readonly SyntaxMistake[]): SyntaxMistake[] {
  const lines = new Set<number | undefined>();
  return mistakes.filter(({ place: { line } }) => !lines.has(line) && lines.add(line));
}

async function checkAliases(document: Document.Parsed, lines: LineCounter): Promise<SyntaxMistake[]> {
  const { visit } = await import("yaml");
  const mistakes: SyntaxMistake[] = [];
  let count = 0;
  visit(document, {
    Alias(_, alias) {
      count += 1;
      if (count > MOST_ALIASES) {
        mistakes.push({ message: TOO_MANY_ALIASES, place: NOWHERE });
        return visit.BREAK;
      }
      if (alias.resolve(document) !== undefined) return undefined;
      const place = alias.range ? placeAt(lines, alias.range[0]) : NOWHERE;
      mistakes.push({ message: "there is no anchor for this alias before it", place });
      return undefined;
    },
  });
  return mistakes;
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

async function locator(document: Document.Parsed, lines: LineCounter): Promise<Source["locate"]> {
  const { isAlias, isMap, isNode, isSeq } = await import("yaml");
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  return (path, part) => {
    let node: unknown = document.contents;
    let found: Node | null = document.contents;
    for (const [depth, step] of path.entries()) {
      const parent = resolve(node);
      let next: unknown;
      if (isMap(parent)) {
        const pair = parent.items.find(({ key }) => String(key) === String(step));
        next = pair?.value;
        if (isNode(pair?.key) && (part === "key" || next === null) && depth === path.length - 1) next = pair.key;
      } else if (isSeq(parent)) {
        next = parent.items[Number(step)];
      }
      if (!isNode(next)) break;
      node = next;
      found = next;
    }
    return found?.range ? placeAt(lines, found.range[0]) : NOWHERE;
  };
}
