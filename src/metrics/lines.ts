// The samples of one owner as bytes. Rendering is the hot path of a large watch list, so a line whose labels are those of
// the line at the same place last time takes its name and labels from the old bytes and only writes the value anew.
import type { Distribution, Family, Sample } from "./family.ts";

/** The rendered samples of one owner, grouped by family in page order; never changed once made. */
export interface Lines {
  readonly bytes: Buffer;
  /** Index of each family that occurs, ascending. */
  readonly families: readonly number[];
  /** Where the lines of each of those families end in `bytes`. */
  readonly ends: readonly number[];
  /** How many lines each of those families has. */
  readonly counts: readonly number[];
  /** The label sets per family, in the order of the lines. */
  readonly labels: readonly (readonly Labels[])[];
  /** For each line: where its value begins, and where the line ends. */
  readonly marks: Uint32Array;
}

type Labels = Readonly<Record<string, string>>;

// Shared by all renderings: they never overlap, since rendering is synchronous.
let scratch = Buffer.allocUnsafeSlow(64 * 1024);

function reserve(end: number, more: number): void {
  if (end + more <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, end + more));
  scratch.copy(larger, 0, 0, end);
  scratch = larger;
}

const isPlain = (text: string): boolean => !/[\\"\n]/.test(text);

function escapeValue(text: string): string {
  return isPlain(text) ? text : text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** A number as both formats want it. NaN is refused: absent data has no sample. */
export function formatValue(value: number | bigint): string {
  if (typeof value === "bigint" || Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) throw new RangeError("NaN is not a value: leave the sample out");
  return value > 0 ? "+Inf" : "-Inf";
}

/** The bound of a bucket; a canonical float ("1.0") in both formats, so that changing format does not change series. */
export function formatBound(bound: number): string {
  if (bound === Number.POSITIVE_INFINITY) return "+Inf";
  const text = String(bound);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

const BILLION = 1_000_000_000;

const isCounting = (value: number | bigint): value is number =>
  typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER && Number.isInteger(value);

function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; limit <= value; limit *= 10) digits += 1;
  return digits;
}

function writeDigits(value: number, from: number, to: number): void {
  let rest = value | 0;
  for (let place = to - 1; place >= from; place -= 1) {
    const tenth = (rest / 10) | 0;
    scratch[place] = 48 + rest - tenth * 10;
    rest = tenth;
  }
}

/** Writes a whole number into exactly the given place; in two halves, because each then is a 32-bit integer. */
function writeWhole(value: number, from: number, to: number): void {
  if (value < BILLION) writeDigits(value, from, to);
  else {
    const high = Math.floor(value / BILLION);
    writeDigits(value - high * BILLION, to - 9, to);
    writeDigits(high, from, to - 9);
  }
}

function prefixes(family: Family, labels: Labels): string[] {
  const pairs: string[] = [];
  for (const name of family.labelNames) {
    const value = labels[name];
    if (typeof value !== "string") throw new TypeError(`${family.name}: label ${name} has no value`);
    pairs.push(`${name}="${escapeValue(value)}"`);
  }
  if (family.kind !== "histogram") return [`${family.name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} `];
  const set = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
  return [
    ...[...family.bounds, Number.POSITIVE_INFINITY].map(
      (bound) => `${family.name}_bucket{${[...pairs, `le="${formatBound(bound)}"`].join(",")}} `,
    ),
    `${family.name}_sum${set} `,
    `${family.name}_count${set} `,
  ];
}

function isSame(family: Family, a: Labels, b: Labels): boolean {
  if (a === b) return true;
  const names = family.labelNames;
  for (let place = 0; place < names.length; place += 1) {
    const name = names[place] as string;
    if (a[name] !== b[name]) return false;
  }
  return true;
}

function isDistribution(value: Sample["value"]): value is Distribution {
  return typeof value === "object";
}

/** The values of one sample's lines: one, or for a histogram the cumulative buckets, the sum and the count. */
function values(family: Family, value: Sample["value"]): readonly (number | bigint)[] {
  if (!isDistribution(value)) {
    if (family.kind === "histogram") throw new TypeError(`${family.name}: a histogram needs a distribution`);
    if (family.kind === "counter" && value < 0) throw new RangeError(`${family.name}: a counter cannot be ${value}`);
    return [value];
  }
  if (family.kind !== "histogram" || value.counts.length !== family.bounds.length + 1) {
    throw new TypeError(`${family.name}: the distribution does not fit the declaration`);
  }
  let seen = 0;
  const cumulative = value.counts.map((count) => {
    seen += count;
    return seen;
  });
  return [...cumulative, value.sum, seen];
}

function grouped(samples: Iterable<Sample>, index: ReadonlyMap<Family, number>): [number, Sample[]][] {
  const groups = new Map<Family, Sample[]>();
  let family: Family | undefined;
  let group: Sample[] = [];
  for (const sample of samples) {
    if (sample.family !== family) {
      family = sample.family;
      group = groups.get(family) ?? [];
      if (group.length === 0) groups.set(family, group);
    }
    group.push(sample);
  }
  return [...groups]
    .map(([family, group]): [number, Sample[]] => {
      const place = index.get(family);
      if (place === undefined) throw new Error(`${family.name} is not declared`);
      return [place, group];
    })
    .sort(([a], [b]) => a - b);
}

// The lines about to be written, as columns: the name and labels of each (either a line of the old bytes, or text), and
// its value (either a whole number, or text). Columns are reused, so that a large owner makes no garbage.
const column = {
  oldLine: new Int32Array(1024),
  prefix: [] as string[],
  whole: new Float64Array(1024),
  text: [] as string[],
  width: new Uint8Array(1024),
};

function growColumns(lines: number): void {
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

function putValue(line: number, value: number | bigint): void {
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

function writeValue(line: number, at: number): void {
  const text = column.text[line] as string;
  if (text === "") writeWhole(column.whole[line] as number, at, at + (column.width[line] as number));
  else scratch.write(text, at, "latin1");
}

/** Writes all lines that the columns hold, and notes their marks; returns the number of bytes. */
function writeLines(lineCount: number, previous: Lines | undefined, marks: Uint32Array): number {
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
      writeValue(line, end);
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
        writeValue(member, at);
      }
      end += stop - start;
    } else {
      end += stop - start;
      marks[line * 2] = end;
      writeValue(line, end);
      end += column.width[line] as number;
      scratch[end++] = 10;
      marks[line * 2 + 1] = end;
      line += 1;
    }
  }
  return end;
}

/** Renders the samples of one owner, reusing what did not change since `previous`. Throws on any invalid sample. */
export function renderLines(
  samples: Iterable<Sample>,
  index: ReadonlyMap<Family, number>,
  previous: Lines | undefined,
): Lines {
  const families: number[] = [];
  const counts: number[] = [];
  const labels: Labels[][] = [];
  let line = 0;

  for (const [place, group] of grouped(samples, index)) {
    const old = previous?.families.indexOf(place) ?? -1;
    const oldLabels = old < 0 ? undefined : previous?.labels[old];
    let oldLine = 0;
    for (let before = 0; before < old; before += 1) oldLine += previous?.counts[before] ?? 0;
    const first = line;
    const sets: Labels[] = [];
    let isReused = true;

    for (const [position, { family, labels, value }] of group.entries()) {
      const oldSet = oldLabels?.[position];
      const same = oldSet !== undefined && isSame(family, labels, oldSet);
      const all = typeof value !== "object" && family.kind === "gauge" ? undefined : values(family, value);
      const lineCount = all?.length ?? 1;
      growColumns(line + lineCount);
      const fresh = same ? undefined : prefixes(family, labels);
      for (let part = 0; part < lineCount; part += 1) {
        column.oldLine[line] = same ? oldLine + position * lineCount + part : -1;
        column.prefix[line] = fresh?.[part] ?? "";
        putValue(line, (all === undefined ? value : all[part]) as number | bigint);
        line += 1;
      }
      sets.push(same ? oldSet : labels);
      if (!same) isReused = false;
    }
    if (!isReused) refuseDoubles(group);
    families.push(place);
    counts.push(line - first);
    labels.push(sets);
  }

  const marks = new Uint32Array(line * 2);
  const end = writeLines(line, previous, marks);
  const bytes = Buffer.allocUnsafeSlow(end);
  scratch.copy(bytes, 0, 0, end);
  let lines = 0;
  const ends = counts.map((count) => {
    lines += count;
    return marks[lines * 2 - 1] as number;
  });
  return { bytes, families, ends, counts, labels, marks };
}

function refuseDoubles(group: readonly Sample[]): void {
  const seen = new Set<string>();
  for (const { family, labels } of group) {
    const key = JSON.stringify(family.labelNames.map((name) => labels[name]));
    if (seen.has(key)) throw new Error(`${family.name}: two samples with the labels ${key}`);
    seen.add(key);
  }
}
