// Lines about to be written, and the writing of them. Kept as columns that are used again, so that a large owner makes no
// garbage; nothing here outlives one rendering, and renderings never overlap, because each is synchronous.
import { digitsOf, formatValue, isCounting, writeWhole } from "./numbers.ts";

/** Lines that were written: their bytes; and for each line where its value begins, and where the line ends. */
export interface Written {
  readonly bytes: Buffer;
  readonly marks: Uint32Array;
}

let scratch = Buffer.allocUnsafeSlow(64 * 1024);

function reserve(end: number, more: number): void {
  if (end + more <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, end + more));
  scratch.copy(larger, 0, 0, end);
  scratch = larger;
}

// The lines about to be written, as columns: the name and labels of each (either a line of the old bytes, or text), and
// its value (either a whole number, or text). Columns are reused, so that a large owner makes no garbage.
export const column = {
  oldLine: new Int32Array(1024),
  prefix: [] as string[],
  whole: new Float64Array(1024),
  text: [] as string[],
  width: new Uint8Array(1024),
};

/** Makes room for that many lines. */
export function growColumns(lines: number): void {
  if (lines <= column.oldLine.length) return;
  const size = Math.max(lines, column.oldLine.length * 2);
  const oldLine = new Int32Array(size);
  const whole = new Float64Array(size);
  const width = new Uint8Array(size);
  oldLine.set(column.oldLine);
  whole.set(column.whole);
  width.set(column.width);
  Object.assign(column, { oldLine, whole, width });
}

/** Puts a value into its column. */
export function putValue(line: number, value: number | bigint): void {
  if (isCounting(value)) {
    column.whole[line] = value;
    column.text[line] = "";
    column.width[line] = digitsOf(value);
  } else {
    const text = formatValue(value);
    column.text[line] = text;
    column.width[line] = text.length;
  }
}

/** Writes the value of a line; its width is in the column. */
export function writeValue(line: number, target: Buffer, at: number): void {
  const text = column.text[line] as string;
  if (text === "") writeWhole(column.whole[line] as number, target, at, at + (column.width[line] as number));
  else target.write(text, at, "latin1");
}

/** Writes all lines that the columns hold, and notes their marks; returns the number of bytes. */
function writeAll(lineCount: number, previous: Written | undefined, marks: Uint32Array): number {
  const old = previous ?? { bytes: scratch, marks };
  const lineStart = (line: number): number => (line === 0 ? 0 : (old.marks[line * 2 - 1] as number));
  let end = 0;
  let line = 0;
  while (line < lineCount) {
    const first = line;
    const from = column.oldLine[first] as number;
    if (from < 0) {
      const prefix = column.prefix[line] as string;
      reserve(end, prefix.length * 3 + 256);
      end += scratch.write(prefix, end, "utf8");
      marks[line * 2] = end;
      writeValue(line, scratch, end);
      end += column.width[line] as number;
      scratch[end++] = 10;
      marks[line * 2 + 1] = end;
      line += 1;
      continue;
    }
    // As many lines as follow each other in the old bytes too, with values as wide as before: one copy, values on top.
    while (
      line < lineCount &&
      column.oldLine[line] === from + line - first &&
      (old.marks[(from + line - first) * 2 + 1] as number) - (old.marks[(from + line - first) * 2] as number) - 1 ===
        column.width[line]
    ) {
      line += 1;
    }
    const isRun = line > first;
    const start = lineStart(from);
    const stop = isRun ? lineStart(from + line - first) : (old.marks[from * 2] as number);
    reserve(end, stop - start + 256);
    old.bytes.copy(scratch, end, start, stop);
    if (isRun) {
      for (let member = first; member < line; member += 1) {
        const at = (old.marks[(from + member - first) * 2] as number) - start + end;
        marks[member * 2] = at;
        marks[member * 2 + 1] = at + (column.width[member] as number) + 1;
        writeValue(member, scratch, at);
      }
      end += stop - start;
    } else {
      end += stop - start;
      marks[line * 2] = end;
      writeValue(line, scratch, end);
      end += column.width[line] as number;
      scratch[end++] = 10;
      marks[line * 2 + 1] = end;
      line += 1;
    }
  }
  return end;
}

/** The lines that the columns hold, as bytes of their own. */
export function writeLines(lineCount: number, previous: Written | undefined): Written {
  const marks = new Uint32Array(lineCount * 2);
  const end = writeAll(lineCount, previous, marks);
  const bytes = Buffer.allocUnsafeSlow(end);
  scratch.copy(bytes, 0, 0, end);
  return { bytes, marks };
}
