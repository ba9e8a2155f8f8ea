// Files of a watch list as entries, each with its line. Knows three forms; what the entries say is checked elsewhere.

/** An entry as it was written, and where. */
export interface WrittenEntry {
  readonly line: number;
  /** An entry of the list, not checked yet. */
  readonly value: unknown;
}

/** What a file holds, or why it cannot be read. */
export type WatchFile =
  | { readonly ok: true; readonly entries: readonly WrittenEntry[] }
  | { readonly ok: false; readonly line: number | undefined; readonly message: string };

/** Reads the text of a file; `key` is what the principal is called in an entry. */
export function parseWatchFile(name: string, text: string, key: string): WatchFile {
  if (/\.json$/i.test(name)) return parseJson(text, key);
  return /\.csv$/i.test(name) ? parseCsv(text, key) : parseLines(text, key);
}

function parseLines(text: string, key: string): WatchFile {
  const entries = text.split(/\r?\n/).flatMap((line, index) => {
    const principal = line.replace(/(^|\s)#.*$/, "").trim();
    return principal === "" ? [] : [{ line: index + 1, value: { [key]: principal } }];
  });
  return { ok: true, entries };
}

function parseJson(text: string, key: string): WatchFile {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return { ok: false, line: undefined, message: "expected JSON, found other text" };
  }
  if (!Array.isArray(list)) return { ok: false, line: 1, message: "expected a list of entries" };
  const lines = linesOfItems(text);
  const entries = list.map((item: unknown, index) => ({
    line: lines[index] ?? 1,
    value: typeof item === "string" ? { [key]: item } : item,
  }));
  return { ok: true, entries };
}

// The parser tells no places, so the beginnings of the items are looked for in what is known to be a valid list.
function linesOfItems(text: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let isExpected = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === "\n") line += 1;
    if (/\s/.test(character)) continue;
    if (depth === 1 && isExpected && character !== "]") {
      lines.push(line);
      isExpected = false;
    }
    if (character === '"') {
      for (at += 1; text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
    } else if (character === "[" || character === "{") {
      depth += 1;
      if (depth === 1) isExpected = true;
    } else if (character === "]" || character === "}") depth -= 1;
    else if (character === "," && depth === 1) isExpected = true;
  }
  return lines;
}

const KNOWN = new Set(["name", "group"]);

function parseCsv(text: string, key: string): WatchFile {
  const rows = rowsOf(text);
  if (!Array.isArray(rows)) return { ok: false, line: rows.line, message: "expected a quote at the end of a field" };
  const [header, ...rest] = rows;
  const columns = header?.fields.map((field) => field.trim()) ?? [];
  if (!columns.includes(key)) {
    return { ok: false, line: header?.line ?? 1, message: `expected a header line with the column ${key}` };
  }
  const doubled = columns.find((column, index) => columns.indexOf(column) !== index);
  if (doubled !== undefined) return { ok: false, line: 1, message: `expected one column ${doubled}, found two` };
  const entries: WrittenEntry[] = [];
  for (const { line, fields } of rest) {
    if (fields.length !== columns.length) {
      return { ok: false, line, message: `expected ${columns.length} fields, found ${fields.length}` };
    }
    const value: Record<string, unknown> = {};
    const labels: Record<string, string> = {};
    for (const [index, column] of columns.entries()) {
      const field = (fields[index] ?? "").trim();
      if (field === "") continue;
      if (column === key || KNOWN.has(column)) value[column] = field;
      else labels[column] = field;
    }
    entries.push({ line, value: Object.keys(labels).length === 0 ? value : { ...value, labels } });
  }
  return { ok: true, entries };
}

interface Row {
  readonly line: number;
  readonly fields: string[];
}

/** Rows that are not empty; the line of a quote that is never closed, when there is one. */
function rowsOf(text: string): Row[] | { readonly line: number } {
  const rows: Row[] = [];
  let row: Row = { line: 1, fields: [] };
  let field = "";
  let line = 1;
  let quotedAt: number | undefined;
  const endRow = () => {
    row.fields.push(field);
    if (row.fields.length > 1 || field.trim() !== "") rows.push(row);
    field = "";
    row = { line: line + 1, fields: [] };
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (quotedAt !== undefined) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else quotedAt = undefined;
    } else if (character === '"' && field.trim() === "") {
      field = "";
      quotedAt = line;
    } else if (character === ",") {
      row.fields.push(field);
      field = "";
    } else if (character === "\n") endRow();
    else if (character !== "\r") field += character;
    if (character === "\n") line += 1;
  }
  if (quotedAt !== undefined) return { line: quotedAt };
  endRow();
  return rows;
}
