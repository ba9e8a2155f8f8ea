// The entries of a file of a watch list, and their places. Three formats: JSON, CSV, and one principal per line.
import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import type { Locate, Place } from "./errors.ts";
import { type Document, readDocument, withoutNull } from "./files.ts";
import type { SchemaNode } from "./schema.ts";

/** Entries that are not checked yet. */
export interface WrittenEntries {
  readonly values: readonly unknown[];
  /** Finds the places of entries and of their settings. In CSV, the key of a setting is in the header. */
  readonly locate: Locate;
  /** Why the file has none of the formats, at the place of everything. The message quotes nothing of the file. */
  readonly error?: string;
}

const malformed = (error: string, { line, column }: Partial<Place>): WrittenEntries => ({
  values: [],
  locate: () => ({ line, column }),
  error,
});

/**
 * Reads the text of a file.
 * @param key the setting that names the principal
 * @param entry the settings of an entry; other columns of CSV are labels
 */
export async function readEntries(name: string, text: string, key: string, entry: SchemaNode): Promise<WrittenEntries> {
  return /\.json$/i.test(name) ? jsonEntries(text, key) : tableEntries(text, key, entry, /\.csv$/i.test(name));
}

/** The number of names of members in valid JSON, in which only text has backslashes. */
const namesIn = (json: string): number =>
  (json.replace(/\\./g, "").match(/"[^"]*"\s*:?/g) ?? []).filter((text) => text.endsWith(":")).length;

function jsonEntries(text: string, key: string): WrittenEntries {
  let known: Document | undefined;
  const document = () => {
    known ??= readDocument(undefined, text, "JSON");
    return known;
  };
  let list: unknown;
  try {
    // It takes milliseconds where the parser of YAML, which knows places, takes seconds.
    const parsed: unknown = JSON.parse(text);
    if (namesIn(JSON.stringify(parsed)) < namesIn(text)) throw new SyntaxError("a name is there twice");
    list = withoutNull(parsed);
  } catch {
    const [error] = document().errors;
    if (error !== undefined) return malformed(error.message, error);
    list = document().value;
  }
  const locate: Locate = (path, part) => document().locate(path, part);
  if (!Array.isArray(list)) return malformed("expected a list of entries", locate([], "value"));
  return { values: list.map((entry) => (typeof entry === "string" ? { [key]: entry } : entry)), locate };
}

// Lines without a header are a table with one column.
async function tableEntries(text: string, key: string, entry: SchemaNode, isCsv: boolean): Promise<WrittenEntries> {
  const rows: { readonly fields: readonly string[]; readonly line: number }[] = [];
  const parser = parse({
    ...(isCsv ? {} : { comment: "#", quote: null }),
    on_record: (fields: readonly string[], { lines }) => {
      rows.push({ fields, line: lines });
    },
    trim: true,
    skip_empty_lines: true,
    relax_quotes: true,
    relax_column_count: true,
    record_delimiter: "\n",
  });
  try {
    // In pieces, between which everything else has its turn.
    await Readable.from(text.replaceAll("\r\n", "\n").match(/.{1,16384}/gsu) ?? [])
      .pipe(parser)
      .toArray();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The parser's own message quotes the text. For an open quote, its line is the end of the file.
    return malformed("expected a quote at the end of a field", { line: (rows.at(-1)?.line ?? 0) + 1 });
  }
  const header = isCsv ? rows.shift() : undefined;
  const columns = isCsv ? (header?.fields ?? []) : [key];
  const { line = 1 } = header ?? {};
  if (!columns.includes(key)) return malformed(`expected a header line with commas and the column ${key}`, { line });
  if (new Set(columns).size < columns.length)
    return malformed("expected different columns, found a name twice", { line });
  const odd = rows.find(({ fields }) => fields.length !== columns.length);
  if (odd !== undefined) return malformed("expected as many fields as columns", odd);
  const locate: Locate = ([index], part) => {
    return { line: part === "key" ? line : rows[Number(index)]?.line };
  };
  return { values: rows.map(({ fields }) => entryOf(columns, fields, entry)), locate };
}

// Columns that are no settings are labels. CSV has only text.
function entryOf(columns: readonly string[], fields: readonly string[], { properties = {} }: SchemaNode): object {
  const values: Record<string, object | string | boolean> = {};
  for (const [index, column] of columns.entries()) {
    const text = fields[index];
    if (!text) continue;
    const [first = "", part] = column.split(/\.(.*)/s);
    const setting = Object.hasOwn(properties, first) ? properties[first] : undefined;
    const [name, below] = setting === undefined ? ["labels", column] : [first, part];
    const isBoolean = /^(true|false)$/.test(text) && setting?.type === "boolean";
    if (below === undefined) values[name] = isBoolean ? text === "true" : text;
    else if (typeof values[name] !== "string") values[name] = { ...Object(values[name]), [below]: text };
  }
  return values;
}
