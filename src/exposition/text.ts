// The text formats: the header lines of a family, and the sample lines, which are the same in both formats but for
// exemplars.
import type { Exemplar, Family, Sample } from "./family.ts";

/** The two text formats: classic 0.0.4, and OpenMetrics 1.0. */
export type Format = "classic" | "openmetrics";

type Labels = Sample["labels"];

/** HELP, TYPE and (OpenMetrics) UNIT of a family. */
export function headerOf(family: Family, format: Format): string {
  const help = family.help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  if (format === "classic") return `# HELP ${family.name} ${help}\n# TYPE ${family.name} ${family.kind}\n`;
  // OpenMetrics names a counter's family without the suffix of its samples.
  const name = family.kind === "counter" ? family.name.replace(/_total$/, "") : family.name;
  const unit = family.unit === undefined ? "" : `# UNIT ${name} ${family.unit}\n`;
  return `# TYPE ${name} ${family.kind}\n${unit}# HELP ${name} ${help.replaceAll('"', '\\"')}\n`;
}

/** A number as both formats write it. Refuses NaN: absent data has no sample. */
export function formatValue(value: number | bigint): string {
  if (typeof value === "bigint" || Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) throw new RangeError("NaN is not a value: leave the sample out");
  return value > 0 ? "+Inf" : "-Inf";
}

function escapeLabel(text: string): string {
  if (!/[\\"\n]/.test(text)) return text;
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** The declared labels first; then the free labels of an open family, sorted by name. */
function namesOf({ labelNames, isOpen }: Family, labels: Labels): readonly string[] {
  if (!isOpen) return labelNames;
  const free = Object.keys(labels).filter((name) => !labelNames.includes(name));
  return [...labelNames, ...free.sort()];
}

/** The text of a label set. Families of one owner often share a label set: it is rendered once. */
export class LabelText {
  #labels: Labels | undefined;
  #names: readonly string[] = [];
  #text = "";

  /** What is between the name and the value in a line: the pairs in braces, if there are any, and a space. */
  of(family: Family, labels: Labels): string {
    const names = namesOf(family, labels);
    if (labels === this.#labels && names === this.#names) return this.#text;
    // One flat string, which V8 copies faster into many lines than a tree of its pieces.
    const pieces: string[] = [];
    for (const name of names) {
      const value = labels[name];
      if (typeof value !== "string") throw new TypeError(`${family.name}: label ${name} has no value`);
      pieces.push(pieces.length === 0 ? "{" : ",", name, '="', escapeLabel(value), '"');
    }
    pieces.push(pieces.length === 0 ? " " : "} ");
    this.#labels = labels;
    this.#names = names;
    this.#text = pieces.join("");
    return this.#text;
  }
}

/** What ends the line of a counter in OpenMetrics. */
export function exemplarOf({ labels, value, time }: Exemplar): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escapeLabel(text)}"`);
  return ` # {${pairs.join(",")}} ${formatValue(value)}${time === undefined ? "" : ` ${time}`}`;
}

/** The line of one sample, without its end. */
export function lineOf({ kind, name }: Family, labels: string, value: Sample["value"]): string {
  if (kind === "counter" && value < 0) throw new RangeError(`${name}: a counter cannot be ${value}`);
  return name + labels + formatValue(value);
}
