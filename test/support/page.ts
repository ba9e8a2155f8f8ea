// A metrics page, as tests read it.
import { type ParsedSample, parseExposition } from "./parser.ts";

type Labels = Readonly<Record<string, string>>;

/** The samples of a metrics page, which a strict parser has read. */
export class Page {
  readonly #samples: ReadonlyMap<string, readonly ParsedSample[]>;
  /** The values of counters, by series. */
  readonly #totals: ReadonlyMap<string, number>;

  constructor(text: string, format: "classic" | "openmetrics" = "openmetrics") {
    const families = parseExposition(text, format);
    const samples = families.flatMap((family) => family.samples);
    this.#samples = Map.groupBy(samples, ({ name }) => name);
    const totals = families.flatMap((family) => (family.type === "gauge" ? [] : family.samples));
    this.#totals = new Map(totals.map(({ name, labels, value }) => [`${name} ${[...labels].join(" ")}`, value]));
  }

  /** The series of counters that are lower than on an earlier page, or absent. */
  decreased(before: Page): readonly string[] {
    return [...before.#totals].flatMap(([key, value]) => ((this.#totals.get(key) ?? -1) < value ? [key] : []));
  }

  /** The names of all samples. */
  get names(): readonly string[] {
    return [...this.#samples.keys()];
  }

  /** Every sample. */
  get all(): readonly ParsedSample[] {
    return [...this.#samples.values()].flat();
  }

  /** The samples of a name that have these labels. */
  samples(name: string, labels: Labels = {}): readonly ParsedSample[] {
    const all = this.#samples.get(name) ?? [];
    return all.filter((sample) => Object.entries(labels).every(([label, text]) => sample.labels.get(label) === text));
  }

  /** The value of the only sample that has these labels; undefined if it is absent. */
  value(name: string, labels?: Labels): number | undefined {
    const samples = this.samples(name, labels);
    if (samples.length > 1) throw new Error(`${name} ${JSON.stringify(labels ?? {})} is not one series`);
    return samples[0]?.value;
  }

  /** The exact sum of the samples that have these labels; 0 if there is none. For whole numbers. */
  sum(name: string, labels?: Labels): bigint {
    return sumOf(this.samples(name, labels));
  }

  /** The exact sums above 0 of a name by the values of these labels, joined with spaces. For whole numbers. */
  by(name: string, ...labels: readonly string[]): Readonly<Record<string, bigint>> {
    const keyOf = (sample: ParsedSample) => labels.map((label) => sample.labels.get(label)).join(" ");
    const groups = [...Map.groupBy(this.samples(name), keyOf)].map(([key, of]) => [key, sumOf(of)] as const);
    return Object.fromEntries(groups.filter(([, sum]) => sum > 0n));
  }
}

const sumOf = (samples: readonly ParsedSample[]) => samples.reduce((sum, { text }) => sum + BigInt(text), 0n);
