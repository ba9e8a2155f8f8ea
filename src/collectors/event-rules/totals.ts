// Totals of the rules of a contract. Plain data of bounded size; pure.

import { seriesPerSample } from "../../exposition/family.ts";
import {
  add,
  addAmount,
  type Counters,
  type Draft,
  type Histogram,
  keyOf,
  observe,
  ownValue,
  valuesOf,
} from "../counters.ts";
import { OTHER } from "../labels.ts";
import type { Result } from "./evaluate.ts";
import type { EventRule, RuleLabel } from "./rule.ts";

/** The value of a gauge, and the rank of its event in the list: higher is newer. */
export interface LastValue {
  readonly value: bigint;
  readonly rank: number;
}

/** Totals of one rule, by its label values. A rule uses one of the three kinds of values. */
export interface RuleTotals {
  readonly sums: Counters<bigint>;
  readonly last: Readonly<Record<string, LastValue>>;
  readonly histograms: Readonly<Record<string, Histogram<bigint>>>;
  /** Matching events that were not counted, by reason. */
  readonly errors: Counters<number>;
  /** Samples with a label that counts as `other`. */
  readonly overflow: number;
}

/** By the fingerprint of the rule. */
export type TotalsOfRules = Readonly<Record<string, RuleTotals>>;

/** Totals before the first event. */
export const NO_TOTALS: RuleTotals = { sums: {}, last: {}, histograms: {}, errors: {}, overflow: 0 };

/** A counted event. */
export interface RankedResults {
  readonly results?: readonly Result[] | undefined;
  readonly rank: number;
}

/**
 * Adds counted events, oldest first, and drops the totals of removed rules.
 * @param spareSeries maximum number of new series for label values that are not known beforehand
 */
export function addResults(
  before: TotalsOfRules,
  rules: readonly EventRule[],
  counted: readonly RankedResults[],
  spareSeries: number,
): TotalsOfRules {
  const byRule = Map.groupBy(
    counted.flatMap(({ results = [], rank }) => results.map((result) => ({ result, rank }))),
    ({ result }) => result.rule,
  );
  const spare = { series: spareSeries };
  return Object.fromEntries(
    rules.flatMap((rule) => {
      const { fingerprint } = rule;
      const known = ownValue(before, fingerprint);
      const added = byRule.get(fingerprint);
      if (added === undefined) return known === undefined ? [] : [[fingerprint, known]];
      const totals = structuredClone(known ?? NO_TOTALS) as Draft<RuleTotals>;
      const slots = new LabelSlots(rule, totals, spare);
      for (const { result, rank } of added) addResult(totals, rule, slots, result, rank);
      return [[fingerprint, totals]];
    }),
  );
}

function addResult(
  totals: Draft<RuleTotals>,
  { family, labels }: EventRule,
  slots: LabelSlots,
  { sample, errors = [] }: Result,
  rank: number,
): void {
  for (const error of errors) add(totals.errors, error);
  if (sample === undefined) return;
  const values = slots.assign(sample.labels);
  if (values.some((value, index) => value === OTHER && isFromEvent(labels[index]))) totals.overflow += 1;
  const key = keyOf(...values);
  if (family.kind === "counter") addAmount(totals.sums, key, sample.value);
  else if (family.kind === "histogram") observe(totals.histograms, key, family.bounds, sample.value);
  // Older events can be read, and counted, after newer ones.
  else if (rank >= (ownValue(totals.last, key)?.rank ?? rank)) totals.last[key] = { value: sample.value, rank };
}

const isFromEvent = (label: RuleLabel | undefined): boolean => label !== undefined && "path" in label.from;

/** The label values of a rule that have their own series. */
class LabelSlots {
  readonly #rule: EventRule;
  readonly #own: readonly Set<string>[];
  readonly #keys: Set<string>;
  readonly #spare: { series: number };

  constructor(rule: EventRule, { sums, last, histograms }: RuleTotals, spare: { series: number }) {
    this.#rule = rule;
    this.#spare = spare;
    this.#keys = new Set([sums, last, histograms].flatMap((values) => Object.keys(values)));
    this.#own = rule.labels.map(({ allow }) => new Set(allow));
    for (const key of this.#keys) for (const [index, value] of valuesOf(key).entries()) this.#own[index]?.add(value);
  }

  /**
   * The values that a sample gets: a label beyond its `max` becomes `other`, and without series to spare all of them
   * do. The values of the first events keep their series: which is which never changes.
   */
  assign(wanted: readonly string[]): readonly string[] {
    const { labels, family } = this.#rule;
    const values = wanted.map((value, index) => {
      const own = this.#own[index] as Set<string>;
      return value === NONE || own.has(value) || sizeOf(own) < (labels[index]?.max ?? 0) ? value : OTHER;
    });
    const key = keyOf(...values);
    if (this.#keys.has(key)) return values;
    const isKnown = values.every((value, index) => labels[index]?.allow.includes(value));
    const size = seriesPerSample(family);
    if (!isKnown && this.#spare.series < size) {
      const others = values.map((value, index) => (isFromEvent(labels[index]) ? OTHER : value));
      this.#keys.add(keyOf(...others));
      return others;
    }
    if (!isKnown) this.#spare.series -= size;
    this.#keys.add(key);
    for (const [index, value] of values.entries()) this.#own[index]?.add(value);
    return values;
  }
}

// Neither a label without a value nor `other` takes a slot.
const NONE = "";
const sizeOf = (own: ReadonlySet<string>): number => own.size - (own.has(OTHER) ? 1 : 0) - (own.has(NONE) ? 1 : 0);
