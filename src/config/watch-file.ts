// The entries of a file of a watch list, and their places. Three formats: JSON, CSV, and one principal per line.
import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { readDocument } from "./document.ts";
import { type Locate, NOWHERE, type Place } from "./errors.ts";
import type { SchemaNode } from "./schema.ts";

/** Entries that are not checked yet. */
export interface WrittenEntries {
  readonly values: readonly unknown[];
  /** Finds the places of entries and of their settings. In CSV, the key of a setting is in the header. */
  readonly locator: () => Promise<Locate>;
}

/** A file in none of the formats, and the place that shows it. The message quotes nothing of the file. */
export class MalformedFile extends Error {
  readonly place: Place;

  constructor(message: string, { line, column }: Partial<Place>) {
    super(message);
    this.place = { line, column };
  }
}

/**
 * Reads the text of a file.
 * @param key the setting that names the principal
 * @param entry the settings of an entry; other columns of CSV are labels
 * @throws MalformedFile
 */
export function readEntries(name: string, text: string, key: string, entry: SchemaNode): Promise<WrittenEntries> {
  if (/\.json$/i.test(name)) return jsonEntries(text, key);
  return /\.csv$/i.test(name) ? csvEntries(text, key, entry) : lineEntries(text, key);
}

async function lineEntries(text: string, key: string): Promise<WrittenEntries> {
  const entries = text.split("\n").flatMap((whole, index) => {
    const written = whole.replace(/(^|\s)#.*$/s, "");
    const value = written.trim();
    return value === "" ? [] : [{ value: { [key]: value }, line: index + 1, column: written.search(/\S/) + 1 }];
  });
  const locate: Locate = ([index]) => ({ line: entries[Number(index)]?.line, column: entries[Number(index)]?.column });
  return { values: entries.map(({ value }) => value), locator: async () => locate };
}

async function jsonEntries(text: string, key: string): Promise<WrittenEntries> {
  const locator = async () => readDocument(undefined, text, "JSON").locate;
  let list: unknown;
  try {
    // It takes milliseconds where the parser of YAML, which knows places, takes seconds.
    list = JSON.parse(text);
  } catch {
    const { value, errors } = readDocument(undefined, text, "JSON");
    for (const error of errors) throw new MalformedFile(error.message, error);
    list = value;
  }
  if (!Array.isArray(list)) throw new MalformedFile("expected a list of entries", (await locator())([], "value"));
  return { values: list.map((entry) => (typeof entry === "string" ? { [key]: entry } : entry)), locator };
}

async function csvEntries(text: string, key: string, entry: SchemaNode): Promise<WrittenEntries> {
  const [lines, values]: [number[], unknown[]] = [[], []];
  const header = text.slice(0, text.search(/\S|$/)).split("\n").length;
  const columnsOf = (columns: string[]) => {
    if (!columns.includes(key))
      throw new MalformedFile(`expected a header line with commas and the column ${key}`, { line: header });
    if (new Set(columns).size === columns.length) return columns;
    throw new MalformedFile("expected different columns, found a name twice", { line: header });
  };
  if (text.trim() === "") columnsOf([]);
  const options = { trim: true, skip_empty_lines: true, relax_quotes: true, record_delimiter: ["\r\n", "\n"] };
  const onRecord = (record: object, context: { readonly lines: number }) => {
    lines.push(context.lines);
    return record;
  };
  const parser = parse({ ...options, columns: columnsOf, on_record: onRecord });
  try {
    const chunks = text.match(/.{1,16384}/gs) ?? [];
    for await (const record of Readable.from(chunks).pipe(parser)) values.push(entryOf(record, entry));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The parser's own messages quote the text. For an open quote, its line is the end of the file.
    if (error.code === "CSV_RECORD_INCONSISTENT_COLUMNS")
      throw new MalformedFile("expected as many fields as in the header line", { line: Number(error.lines) });
    throw new MalformedFile("expected a quote at the end of a field", { line: (lines.at(-1) ?? header) + 1 });
  }
  const locate: Locate = ([index], part) => ({ ...NOWHERE, line: part === "key" ? header : lines[Number(index)] });
  return { values, locator: async () => locate };
}

// Columns that are no settings are labels. CSV has only text.
function entryOf(record: Readonly<Record<string, string>>, { properties = {} }: SchemaNode): object {
  const values: Record<string, object | string | boolean> = {};
  for (const [column, text] of Object.entries(record)) {
    if (text === "") continue;
    const [first = "", part] = column.split(/\.(.*)/s);
    const setting = properties[first];
    const [name, below] = setting === undefined ? ["labels", column] : [first, part];
    const isBoolean = /^(true|false)$/.test(text) && setting?.type === "boolean";
    if (below === undefined) values[name] = isBoolean ? text === "true" : text;
    else values[name] = { ...Object(values[name]), [below]: text };
  }
  return values;
}
