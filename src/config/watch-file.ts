// Files of a watch list as entries, each with its place. Knows three forms; what the entries say is checked elsewhere.
import type { Place } from "./source.ts";

/** An entry as it was written, and where. */
export interface WrittenEntry extends Place {
  /** An entry of the list, not checked yet. */
  readonly value: unknown;
}

/** A file that is in none of the three forms, and the place where that shows. The message quotes nothing of the file. */
export class MalformedFile extends Error {
  override readonly name = "MalformedFile";
  readonly place: Place;

  constructor(place: Place, message: string) {
    super(message);
    this.place = place;
  }
}

/** Characters of one entry. Bounds the work between two entries. */
const LONGEST_ENTRY = 16_384;

/**
 * Reads the text of a file, entry by entry, so that the caller can pause; yields undefined for a line without an entry. `key`
 * is what the principal is called in an entry.
 * @throws MalformedFile
 */
export function readEntries(name: string, text: string, key: string): Iterable<WrittenEntry | undefined> {
  if (/\.json$/i.test(name)) return itemsOf(text, key);
  return /\.csv$/i.test(name) ? recordsOf(text, key) : linesOf(text, key);
}

/** Lines and columns of a text. Each call has to ask for a place beyond the one before. */
class Places {
  readonly #text: string;
  #line = 1;
  #start = 0;
  #end: number;

  constructor(text: string) {
    this.#text = text;
    this.#end = this.#endAfter(0);
  }

  at(index: number): { readonly line: number; readonly column: number } {
    for (; index > this.#end; this.#line += 1) {
      this.#start = this.#end + 1;
      this.#end = this.#endAfter(this.#start);
    }
    return { line: this.#line, column: index - this.#start + 1 };
  }

  #endAfter(index: number): number {
    const end = this.#text.indexOf("\n", index);
    return end < 0 ? this.#text.length : end;
  }
}

function checkLength(start: number, end: number, places: Places): void {
  if (end - start <= LONGEST_ENTRY) return;
  throw new MalformedFile(places.at(start), `expected an entry of at most ${LONGEST_ENTRY} characters, found more`);
}

function* linesOf(text: string, key: string): Iterable<WrittenEntry | undefined> {
  const places = new Places(text);
  for (let start = 0; start < text.length; ) {
    const end = find(text, start, (code) => code === LINE_BREAK);
    checkLength(start, end, places);
    const line = text.slice(start, end).replace(/(^|\s)#.*$/s, "");
    const principal = line.trim();
    yield principal === "" ? undefined : { ...places.at(start + line.search(/\S/)), value: { [key]: principal } };
    start = end + 1;
  }
}

const [LINE_BREAK, COMMA] = [0x0a, 0x2c];
const isFieldEnd = (code: number) => code === COMMA || code === LINE_BREAK;
const isNoBlank = (code: number) => code !== 0x20 && code !== 0x09 && code !== 0x0d;
const isNoSpace = (code: number) => isNoBlank(code) && code !== LINE_BREAK;

/** The first place from here on with such a character; the end of the text when there is none. */
function find(text: string, from: number, isWanted: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && !isWanted(text.charCodeAt(at))) at += 1;
  return at;
}

// Item by item, because parsing a long list at once would keep polls and pages waiting, and would tell no places.
function* itemsOf(text: string, key: string): Iterable<WrittenEntry | undefined> {
  const places = new Places(text);
  const fail = (at: number, message = "expected JSON, found other text") => new MalformedFile(places.at(at), message);
  let at = find(text, 0, isNoSpace);
  if (text[at] !== "[") throw fail(at, "expected a list of entries");
  const first = find(text, at + 1, isNoSpace);
  if (text[first] === "]") at = first;
  while (text[at] !== "]") {
    const start = find(text, at + 1, isNoSpace);
    const end = endOfValue(text, start);
    checkLength(start, end, places);
    const place = places.at(start);
    let item: unknown;
    try {
      item = JSON.parse(text.slice(start, end));
    } catch {
      // The parser's own message quotes the text.
      throw fail(start);
    }
    yield { ...place, value: typeof item === "string" ? { [key]: item } : item };
    at = find(text, end, isNoSpace);
    if (text[at] !== "," && text[at] !== "]") throw fail(at);
  }
  const rest = find(text, at + 1, isNoSpace);
  if (rest < text.length) throw fail(rest);
}

// The end of a JSON value, if it is one; looks no further than the longest entry.
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length && at - start <= LONGEST_ENTRY; at += 1) {
    const character = text[at] as string;
    if (character === '"') at = endOfString(text, at);
    else if (character === "[" || character === "{") depth += 1;
    else if (depth === 0 && /[\s,\]}]/.test(character)) return at;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth === 0 && /["\]}]/.test(character)) return at + 1;
  }
  return Math.min(text.length, start + LONGEST_ENTRY + 1);
}

// The place of the closing quote.
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && at - start <= LONGEST_ENTRY && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

const KNOWN = new Set(["name", "group"]);

function* recordsOf(text: string, key: string): Iterable<WrittenEntry | undefined> {
  const places = new Places(text);
  let columns: readonly string[] | undefined;
  for (const fields of rowsOf(text, places)) {
    if (fields.length === 1 && fields[0]?.text === "") yield undefined;
    else if (columns === undefined) {
      columns = columnsOf(fields, key, places);
      yield undefined;
    } else yield recordOf(columns, fields, key, places);
  }
  if (columns === undefined) throw withoutHeader(key, places.at(0));
}

const withoutHeader = (key: string, place: Place) =>
  new MalformedFile(place, `expected a header line with the column ${key}`);

function columnsOf(fields: readonly Field[], key: string, places: Places): readonly string[] {
  const columns = fields.map(({ text }) => text);
  const place = places.at(fields[0]?.start ?? 0);
  if (!columns.includes(key)) throw withoutHeader(key, place);
  const again = columns.findIndex((column, index) => columns.indexOf(column) < index);
  if (again < 0) return columns;
  const before = columns.indexOf(columns[again] as string);
  throw new MalformedFile(
    place,
    `expected different columns, found columns ${before + 1} and ${again + 1} of one name`,
  );
}

function recordOf(columns: readonly string[], fields: readonly Field[], key: string, places: Places): WrittenEntry {
  const start = fields[0]?.start ?? 0;
  if (fields.length !== columns.length) {
    throw new MalformedFile(places.at(start), `expected ${columns.length} fields, found ${fields.length}`);
  }
  const value: Record<string, unknown> = {};
  const labels: Record<string, string> = {};
  for (const [index, column] of columns.entries()) {
    const text = fields[index]?.text ?? "";
    if (text === "") continue;
    if (column === key || KNOWN.has(column)) value[column] = text;
    else labels[column] = text;
  }
  const place = places.at(fields[columns.indexOf(key)]?.start ?? start);
  return { ...place, value: Object.keys(labels).length === 0 ? value : { ...value, labels } };
}

interface Field {
  readonly start: number;
  /** Without quotes, and without white space at its ends. */
  readonly text: string;
}

function* rowsOf(text: string, places: Places): Iterable<readonly Field[]> {
  for (let at = 0; at < text.length; ) {
    const start = at;
    const fields: Field[] = [];
    for (let isOver = false; !isOver; at += 1) {
      const field = fieldAt(text, at, places);
      fields.push({ start: at, text: field.text.trim() });
      at = field.end;
      isOver = text[at] !== ",";
      checkLength(start, at, places);
    }
    yield fields;
  }
}

// A field may stand in quotes, and a quote in it is then written twice.
function fieldAt(text: string, start: number, places: Places): { readonly text: string; readonly end: number } {
  const quote = find(text, start, isNoBlank);
  if (text[quote] !== '"') {
    const end = find(text, start, isFieldEnd);
    return { text: text.slice(start, end), end };
  }
  let content = "";
  for (let from = quote + 1; ; ) {
    const close = text.indexOf('"', from);
    if (close < 0) throw new MalformedFile(places.at(quote), "expected a quote at the end of a field");
    checkLength(start, close, places);
    content += text.slice(from, close);
    if (text[close + 1] !== '"') {
      const end = find(text, close + 1, isFieldEnd);
      return { text: content + text.slice(close + 1, end), end };
    }
    content += '"';
    from = close + 2;
  }
}
