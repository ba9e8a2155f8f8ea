// The entries of a file of a watch list, each with its place. Three formats: JSON, CSV, and one principal per line.
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CsvError, parse } from "csv-parse";
import type { Place } from "./errors.ts";

/** An entry that is not checked yet, and its place. */
interface WrittenEntry extends Place {
  readonly value: unknown;
}

/** A file in none of the formats, and the place that shows it. The message quotes nothing of the file. */
export class MalformedFile extends Error {
  override readonly name = "MalformedFile";
  readonly place: Place;

  constructor(place: Place, message: string) {
    super(message);
    this.place = place;
  }
}

/** Characters of one entry. Bounds the work between two pauses. */
const LONGEST_ENTRY = 16_384;
const TOO_LONG = `expected an entry of at most ${LONGEST_ENTRY} characters, found more`;

/** The settings of an entry. */
export interface EntryShape {
  /** The name of the principal. */
  readonly key: string;
  /** The names that are not labels. In CSV, `name.part` is a part of a mapping. */
  readonly settings: readonly string[];
}

/**
 * Reads the text of a file, with pauses.
 * @throws MalformedFile
 */
export async function* readEntries(name: string, text: string, shape: EntryShape): AsyncIterable<WrittenEntry> {
  const format = /\.json$/i.test(name) ? itemsOf : /\.csv$/i.test(name) ? recordsOf : linesOf;
  for await (const entry of inSlices(format(text, shape))) if (entry !== undefined) yield entry;
}

function* linesOf(text: string, { key }: EntryShape): Iterable<WrittenEntry | undefined> {
  for (let start = 0, line = 1; start < text.length; line += 1) {
    const lineBreak = text.indexOf("\n", start);
    const end = lineBreak < 0 ? text.length : lineBreak;
    if (end - start > LONGEST_ENTRY) throw new MalformedFile({ line, column: 1 }, TOO_LONG);
    const written = text.slice(start, end).replace(/(^|\s)#.*$/s, "");
    const principal = written.trim();
    yield principal === "" ? undefined : { line, column: written.search(/\S/) + 1, value: { [key]: principal } };
    start = end + 1;
  }
}

const STRING = `"(?:[^"\\\\]|\\\\.)*"`;
const groupOf = (depth: number): string =>
  `[{[](?:[^{}[\\]"]|${STRING}${depth === 0 ? "" : `|${groupOf(depth - 1)}`})*[}\\]]`;
// A text, a list or mapping (labels are the deepest that is valid), a number or a word.
const ITEM = new RegExp(`^(?:${STRING}|${groupOf(4)}|[^\\s"{}[\\],]+)`, "su");
const NO_JSON = `expected JSON with entries of at most ${LONGEST_ENTRY} characters, found other text`;

/**
 * Cuts a list into items, each for JSON.parse. Parsing a long list at once would block the event loop, and gives no
 * places.
 */
function* itemsOf(text: string, { key }: EntryShape): Iterable<WrittenEntry | undefined> {
  let at = 0;
  let line = 1;
  let lineStart = 0;
  let lineEnd = text.indexOf("\n");
  const place = (): Place => {
    for (; lineEnd >= 0 && lineEnd < at; lineEnd = text.indexOf("\n", lineStart)) {
      line += 1;
      lineStart = lineEnd + 1;
    }
    return { line, column: at - lineStart + 1 };
  };
  const nextCharacter = () => {
    at += text.slice(at).search(/\S|$/);
    return text[at];
  };
  if (nextCharacter() !== "[") throw new MalformedFile(place(), "expected a list of entries");
  at += 1;
  let separator = nextCharacter() === "]" ? "]" : ",";
  while (separator === ",") {
    nextCharacter();
    const [item = ""] = ITEM.exec(text.slice(at, at + LONGEST_ENTRY)) ?? [];
    const value = parseItem(item);
    if (value === undefined) throw new MalformedFile(place(), NO_JSON);
    yield { ...place(), value: typeof value === "string" ? { [key]: value } : value };
    at += item.length;
    separator = nextCharacter() ?? "";
    if (separator === ",") at += 1;
  }
  if (separator !== "]") throw new MalformedFile(place(), NO_JSON);
  at += 1;
  if (nextCharacter() !== undefined) throw new MalformedFile(place(), NO_JSON);
}

// The parser's own message quotes the text.
function parseItem(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const CSV_ERRORS: Readonly<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: TOO_LONG,
  CSV_QUOTE_NOT_CLOSED: "expected a quote at the end of a field",
};

async function* recordsOf(text: string, shape: EntryShape): AsyncIterable<WrittenEntry | undefined> {
  let line = 0;
  const records: AsyncIterable<{ readonly record: readonly string[]; readonly info: { readonly lines: number } }> =
    Readable.from(chunksOf(text)).pipe(
      parse({
        info: true,
        trim: true,
        skip_empty_lines: true,
        record_delimiter: ["\r\n", "\n"],
        relax_quotes: true,
        relax_column_count: true,
        max_record_size: LONGEST_ENTRY,
        on_record: (record, { lines }) => {
          line = lines;
          return record;
        },
      }),
    );
  let columns: readonly string[] | undefined;
  try {
    for await (const { record, info } of records) {
      const place = { line: info.lines, column: undefined };
      if (columns === undefined) columns = checkedHeader(record, shape.key, place);
      else yield { ...place, value: entryOf(columns, record, shape, place) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The parser's own message quotes the text, and its line is the one at which it stopped.
    const message = CSV_ERRORS[error.code] ?? "expected CSV, found other text";
    throw new MalformedFile({ line: line + 1, column: undefined }, message);
  }
  if (columns === undefined) checkedHeader([], shape.key, { line: 1, column: undefined });
}

// A column has one of their parts.
const MAPPINGS = new Set(["min_balance", "max_outflow"]);

const CHUNK = 16_384;

function* chunksOf(text: string): Iterable<string> {
  for (let start = 0; start < text.length; start += CHUNK) yield text.slice(start, start + CHUNK);
}

function checkedHeader(columns: readonly string[], key: string, place: Place): readonly string[] {
  if (!columns.includes(key))
    throw new MalformedFile(place, `expected a header line with commas and the column ${key}`);
  const whole = columns.find((column) => MAPPINGS.has(column));
  if (whole !== undefined) {
    throw new MalformedFile(place, `expected a column for each asset, such as ${whole}.stx, found ${whole}`);
  }
  const again = columns.findIndex((column, index) => columns.indexOf(column) < index);
  if (again < 0) return columns;
  const first = columns.indexOf(columns[again] ?? "");
  const found = `the same name in columns ${first + 1} and ${again + 1}`;
  throw new MalformedFile(place, `expected different columns, found ${found}`);
}

// CSV has only text.
const WORDS: Readonly<Record<string, boolean>> = { true: true, false: false };
const BOOLEANS = new Set(["balances", "require_post_conditions", "waiting"]);

function entryOf(
  columns: readonly string[],
  record: readonly string[],
  { settings }: EntryShape,
  place: Place,
): object {
  if (record.length !== columns.length) {
    throw new MalformedFile(place, `expected ${columns.length} fields, found ${record.length}`);
  }
  const labels: [string, string][] = [];
  const values: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const text = record[index];
    if (!text) continue;
    const [name = "", part] = column.split(/\.(.*)/s);
    if (!settings.includes(name)) labels.push([column, text]);
    else if (part === undefined) values[name] = BOOLEANS.has(name) ? (WORDS[text] ?? text) : text;
    else values[name] = { ...(values[name] as object), [part]: text };
  }
  return { ...values, labels: Object.fromEntries(labels) };
}

const SLICE_MS = 10;

/** The items, with a pause every 10 ms for everything else that waits for the event loop. */
export async function* inSlices<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncIterable<Item> {
  let since = performance.now();
  for await (const item of items) {
    if (performance.now() - since >= SLICE_MS) {
      await nextTurn();
      since = performance.now();
    }
    yield item;
  }
}
