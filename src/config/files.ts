// Reads the files that an operator names: regular files only, without blocking, up to a limit. The configuration file
// is a YAML document: plain values, and the line and column of each.
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isMap, isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import type { ConfigError, Locate, Place } from "./errors.ts";

/** Reads a file of at most `maxBytes`: text, or bytes in UTF-8. */
export type ReadFile = (path: string, maxBytes: number) => string | Uint8Array | Promise<string | Uint8Array>;

/** The files that a configuration names; their names are relative to its folder. */
export interface NamedFiles {
  readonly folder: string;
  readonly readFile: ReadFile;
}

/** The longest files that are read. Bytes. */
export const MAX_BYTES = {
  /** 1 MiB of YAML takes about a second to parse at start. Long lists belong in watch files. */
  configuration: 2 * 1024 ** 2,
  key: 64 * 1024,
  certificate: 1024 ** 2,
  watchFile: 8 * 1024 ** 2,
} as const;

/** The text without byte order mark; undefined when it is not UTF-8. */
export function decode(content: string | Uint8Array): string | undefined {
  if (typeof content === "string") return content.replace(/^\uFEFF/, "");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** The text of a file; undefined when it cannot be read or is not UTF-8, which is reported. */
export async function readText(
  { folder, readFile }: NamedFiles,
  name: string,
  maxBytes: number,
  report: (message: string) => void,
): Promise<string | undefined> {
  try {
    const text = decode(await readFile(resolve(folder, name), maxBytes));
    if (text === undefined) report("expected a file with UTF-8 text, found other bytes");
    return text;
  } catch (error) {
    report(unusable(error));
    return undefined;
  }
}

/** A setting that names a file, with its absolute path and its text. @param wrong the error in a text, if any */
export const textFile = (files: NamedFiles, maxBytes: number, wrong: (text: string) => string | undefined = () => "") =>
  z
    .string()
    .min(1)
    .transform(async (name, { addIssue }) => {
      const text = await readText(files, name, maxBytes, addIssue);
      const message = text === undefined ? "" : wrong(text);
      if (message) addIssue(message);
      return { path: resolve(files.folder, name), text: text ?? "" };
    })
    .meta({ expected: "the path of a file" });

/** A file that is not read. The message is what was found instead. */
class UnusableFile extends Error {}

/**
 * Reads a regular file.
 * @throws UnusableFile for a FIFO, socket, device or folder, and for a file of more than `maxBytes`; a system error if
 * the file cannot be opened or read.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await stat(path);
  if (!file.isFile()) throw new UnusableFile("a folder, FIFO, socket or device; only regular files are read");
  if (file.size > maxBytes) throw new UnusableFile(`a file of more than ${maxBytes / 1024} KiB`);
  return readFile(path);
}

/** Why a file was not read, as a message. The system's own message quotes the whole path. */
export function unusable(error: unknown): string {
  if (error instanceof UnusableFile) return `expected a file that can be read, found ${error.message}`;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "unknown error";
  const found = { EACCES: "a file without permission to read it", ENOENT: "no such file" }[code] ?? code;
  return `expected a file that can be read, found ${found}`;
}

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
  TAG_RESOLVE_FAILED: "a tag that is not allowed",
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
    // Tags such as !!omap would make values that no setting has.
    const plain = { stringKeys: true, resolveKnownTags: false };
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, ...plain });
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
    const value = withoutNull(document.toJS({ maxAliasCount: 100 }));
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
    if (error instanceof SyntaxError) return failed({ message: error.message });
    throw error;
  }
}

/**
 * A setting without a value is not set. Its name stays, so that a wrong one is refused.
 * @throws SyntaxError for a name that the schema drops without an error
 */
export function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (value === null || typeof value !== "object") return value ?? undefined;
  if (Object.hasOwn(value, "__proto__")) throw new SyntaxError("the name __proto__ is not allowed");
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutNull(part)]));
}
