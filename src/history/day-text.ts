// The samples of one owner in one day, as lines with timestamps, series by series: OpenMetrics allows neither families
// nor series to be interleaved.
import { emptyHistogram } from "../collectors/counters.ts";
import type { Family, Sample } from "../exposition/family.ts";
import { LabelText, linesOf } from "../exposition/text.ts";

interface Series {
  value: Sample["value"];
  /** The lines of the value, each up to its timestamp. */
  lines: readonly string[];
  readonly parts: string[];
}

const zeroOf = ({ kind, bounds }: Family): Sample["value"] => (kind === "histogram" ? emptyHistogram(bounds, 0) : 0);

const NONE = { samples: [], series: [] };

/** Collects the samples of one owner. */
export class OwnerText {
  readonly #target: string;
  readonly #isExposed: (family: Family) => boolean;
  readonly #labels = new LabelText();
  /** Counters by family, from the start of the history. */
  readonly #known = new Map<Family, Set<string>>();
  #day = new Map<Family, Map<string, Series>>();
  #before: number | undefined;
  /** The last addition of this day, and its series. */
  #added: { readonly samples: readonly Sample[]; readonly series: readonly Series[] } = NONE;
  #last: readonly Sample[] | undefined;

  /** @param target labels that Prometheus would have added, as text */
  constructor(target: string, isExposed: (family: Family) => boolean) {
    this.#target = target;
    this.#isExposed = isExposed;
  }

  /** Adds the samples of a time; the times ascend. @param at Unix time in seconds */
  add(samples: readonly Sample[], at: number): void {
    this.addZeros(samples);
    if (samples !== this.#added.samples) {
      const shown = samples.filter(({ family }) => this.#isExposed(family));
      const series = shown.map((sample) => this.#seriesOf(sample.family, this.#setOf(sample), sample.value));
      this.#added = { samples, series };
    }
    for (const series of this.#added.series) append(series, at);
    this.#before = at;
  }

  /**
   * Adds the zeros that the samples of the next time need: a counter that appears later than at the first time is 0 at
   * the time before, so that `increase()` sees its first change.
   */
  addZeros(samples: readonly Sample[]): void {
    // The samples of most times are those of the time before.
    if (samples === this.#last) return;
    this.#last = samples;
    for (const sample of samples) {
      const { family } = sample;
      if (family.kind === "gauge" || !this.#isExposed(family)) continue;
      const set = this.#setOf(sample);
      const known = this.#known.get(family) ?? new Set();
      this.#known.set(family, known);
      if (known.has(set)) continue;
      known.add(set);
      if (this.#before !== undefined) append(this.#seriesOf(family, set, zeroOf(family)), this.#before);
    }
  }

  #setOf({ family, labels }: Sample): string {
    const own = this.#labels.of(family, labels);
    return own === "" ? this.#target : `${own},${this.#target}`;
  }

  /** The series with its present value. */
  #seriesOf(family: Family, set: string, value: Sample["value"]): Series {
    const ofFamily = this.#day.get(family) ?? new Map<string, Series>();
    this.#day.set(family, ofFamily);
    const known = ofFamily.get(set);
    if (known?.value === value) return known;
    const lines = linesOf(family, set, value).split("\n").slice(0, -1);
    if (known === undefined) {
      const series = { value, lines, parts: [] };
      ofFamily.set(set, series);
      return series;
    }
    known.value = value;
    known.lines = lines;
    return known;
  }

  /** Removes and returns the lines of the day, by family. */
  *take(): Iterable<readonly [Family, string]> {
    const day = this.#day;
    this.#day = new Map();
    this.#added = NONE;
    for (const [family, ofFamily] of day) {
      yield [family, [...ofFamily.values()].map(({ parts }) => parts.join("")).join("")];
    }
  }
}

function append({ lines, parts }: Series, at: number): void {
  for (const line of lines) parts.push(line, ` ${at}\n`);
}
