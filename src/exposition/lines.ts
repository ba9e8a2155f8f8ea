// The samples of one owner as bytes. Rendering is the hot path of a large watch list: a line whose labels are those of the
// line at the same place last time takes its name and labels from the old bytes, and only its value is written anew.
import { column, growColumns, putValue, type Written, writeLines, writeValue } from "./columns.ts";
import type { Distribution, Family, Sample } from "./family.ts";
import { formatBound } from "./numbers.ts";

/** Which families an owner has, and how many lines of each; shared by all owners that are alike. */
export interface Shape {
  /** Index of each family that occurs, in page order. */
  readonly families: readonly number[];
  /** For each of them, the number of lines up to its end. */
  readonly stops: readonly number[];
  /** The family of each sample, in page order. */
  readonly samples: readonly Family[];
}

/** The rendered samples of one owner, in page order. */
export interface Lines extends Written {
  readonly shape: Shape;
  /** The label set of each sample. */
  readonly labels: readonly Labels[];
}

/** Where the lines of the family at a place of the shape end in the bytes. */
export function endOf({ shape, marks }: Lines, place: number): number {
  return place < 0 ? 0 : (marks[(shape.stops[place] as number) * 2 - 1] as number);
}

type Labels = Readonly<Record<string, string>>;

const isPlain = (text: string): boolean => !/[\\"\n]/.test(text);

function escapeValue(text: string): string {
  return isPlain(text) ? text : text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

// Declared labels first; the free ones of an open family in the order of their names.
function namesOf({ labelNames, isOpen }: Family, labels: Labels): readonly string[] {
  if (!isOpen) return labelNames;
  return [
    ...labelNames,
    ...Object.keys(labels)
      .filter((name) => !labelNames.includes(name))
      .sort(),
  ];
}

function prefixes(family: Family, labels: Labels): string[] {
  const pairs: string[] = [];
  for (const name of namesOf(family, labels)) {
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
  const names = family.isOpen ? [...new Set([...Object.keys(a), ...Object.keys(b)])] : family.labelNames;
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

function linesOf(family: Family): number {
  return family.kind === "histogram" ? family.bounds.length + 3 : 1;
}

/** Puts the values of one sample into the columns, beginning at a line; returns the line after them. */
function putSample({ family, value }: Sample, first: number): number {
  if (typeof value !== "object" && family.kind === "gauge") {
    putValue(first, value);
    return first + 1;
  }
  let line = first;
  for (const one of values(family, value)) putValue(line++, one);
  return line;
}

/** Renders samples, family by family. One instance per exposition, because shapes are shared among its owners. */
export class Renderer {
  readonly #index: ReadonlyMap<Family, number>;
  readonly #shapes = new Map<string, Shape>();

  /** @param index every declared family, with its place on the page. */
  constructor(index: ReadonlyMap<Family, number>) {
    this.#index = index;
  }

  /**
   * Renders the samples of one owner, reusing what did not change since `previous`. Throws on any invalid sample.
   * Lines of unchanged width keep the marks of `previous`; with `mayPatch` they are written into its bytes, and it is the result.
   */
  render(samples: Iterable<Sample>, previous: Lines | undefined, mayPatch: boolean): Lines {
    const list = Array.isArray(samples) ? (samples as readonly Sample[]) : [...samples];
    return (previous && renew(list, previous, mayPatch)) ?? this.#renderAll(list, previous);
  }

  #renderAll(list: readonly Sample[], previous: Lines | undefined): Lines {
    const ordered = this.#inPageOrder(list);
    const shape = this.#shapeOf(ordered);
    growColumns(shape.stops.at(-1) ?? 0);
    const known = previous && new Map(previous.shape.families.map((family, place) => [family, place]));
    const labels: Labels[] = [];
    let line = 0;
    let at = 0;
    for (const [place, family] of shape.families.entries()) {
      const oldPlace = known?.get(family) ?? -1;
      const first = at;
      const isReused = previous !== undefined && oldPlace >= 0;
      let oldLine = isReused && oldPlace > 0 ? (previous.shape.stops[oldPlace - 1] as number) : 0;
      const oldStop = isReused ? (previous.shape.stops[oldPlace] as number) : 0;
      let oldSample = isReused ? previous.shape.samples.findIndex((one) => this.#index.get(one) === family) : 0;
      let isNew = false;
      for (; line < (shape.stops[place] as number); at += 1) {
        const sample = ordered[at] as Sample;
        const oldLabels = oldLine < oldStop ? previous?.labels[oldSample] : undefined;
        const same = oldLabels !== undefined && isSame(sample.family, sample.labels, oldLabels);
        const fresh = same ? undefined : prefixes(sample.family, sample.labels);
        if (!same) isNew = true;
        labels.push(same ? oldLabels : sample.labels);
        const next = putSample(sample, line);
        for (let part = 0; line < next; part += 1, line += 1, oldLine += 1) {
          column.oldLine[line] = same ? oldLine : -1;
          column.prefix[line] = fresh?.[part] ?? "";
        }
        oldSample += 1;
      }
      if (isNew) refuseDoubles(ordered.slice(first, at));
    }
    return { shape, labels, ...writeLines(line, previous) };
  }

  #inPageOrder(list: readonly Sample[]): readonly Sample[] {
    const place = ({ family }: Sample): number => {
      const index = this.#index.get(family);
      if (index === undefined) throw new Error(`${family.name} is not declared`);
      return index;
    };
    return list
      .map((sample) => ({ sample, place: place(sample) }))
      .sort((a, b) => a.place - b.place)
      .map(({ sample }) => sample);
  }

  #shapeOf(ordered: readonly Sample[]): Shape {
    const families: number[] = [];
    const stops: number[] = [];
    let lines = 0;
    for (const { family } of ordered) {
      const index = this.#index.get(family) as number;
      lines += linesOf(family);
      if (families.at(-1) !== index) {
        families.push(index);
        stops.push(lines);
      } else stops[stops.length - 1] = lines;
    }
    const key = `${families.join()};${stops.join()}`;
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      shape = { families, stops, samples: ordered.map(({ family }) => family) };
      this.#shapes.set(key, shape);
    }
    return shape;
  }
}

/** The short way for an owner whose label sets are what they were; undefined when they are not. */
function renew(list: readonly Sample[], previous: Lines, mayPatch: boolean): Lines | undefined {
  const { shape, labels, marks, bytes } = previous;
  if (list.length !== labels.length) return undefined;
  growColumns(marks.length / 2);
  let line = 0;
  let isPatch = true;
  for (let at = 0; at < list.length; at += 1) {
    const sample = list[at] as Sample;
    if (sample.family !== shape.samples[at] || !isSame(sample.family, sample.labels, labels[at] as Labels))
      return undefined;
    const next = putSample(sample, line);
    for (; line < next; line += 1) {
      column.oldLine[line] = line;
      if (column.width[line] !== (marks[line * 2 + 1] as number) - (marks[line * 2] as number) - 1) isPatch = false;
    }
  }
  if (isPatch) {
    const lines = mayPatch ? previous : { shape, labels, marks, bytes: copyOf(bytes) };
    for (let one = 0; one < line; one += 1) writeValue(one, lines.bytes, marks[one * 2] as number);
    return lines;
  }
  return { shape, labels, ...writeLines(line, previous) };
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

function refuseDoubles(group: readonly Sample[]): void {
  if (group.length < 2) return;
  const seen = new Set<string>();
  for (const { family, labels } of group) {
    const key = JSON.stringify(family.labelNames.map((name) => labels[name]));
    if (seen.has(key)) throw new Error(`${family.name}: two samples with the labels ${key}`);
    seen.add(key);
  }
}
