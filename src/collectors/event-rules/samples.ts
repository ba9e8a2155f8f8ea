// The samples of the rules of a contract.
import { type Sample, seriesPerSample } from "../../exposition/family.ts";
import { type Draft, emptyHistogram, type Histogram, keyOf, ownValue, valuesOf } from "../counters.ts";
import { ERRORS } from "./evaluate.ts";
import type { EventRule } from "./rule.ts";
import { type LastValue, NO_TOTALS, type TotalsOfRules } from "./totals.ts";

// The totals of all rules of one metric, by their label values.
type Merged = Map<string, bigint | LastValue | Histogram<bigint>>;

/**
 * The samples of rules. Rules of one metric add up; of a gauge, the newest event counts. Counters and histograms whose
 * label values are known beforehand start at 0, so that `rate()` sees the first event.
 * @param identity values of the labels of the contract
 */
export function* ruleSamples(
  rules: readonly EventRule[],
  totals: TotalsOfRules,
  identity: Readonly<Record<string, string>>,
): Iterable<Sample> {
  for (const [family, ofFamily] of Map.groupBy(rules, (rule) => rule.family)) {
    const merged: Merged = new Map();
    for (const rule of ofFamily) merge(merged, rule, totals);
    const [{ labels: declared = [] } = {}] = ofFamily;
    for (const [key, value] of merged) {
      const values = valuesOf(key);
      const labels = Object.fromEntries(declared.map(({ name }, index) => [name, values[index] ?? ""]));
      const isLast = typeof value === "object" && "rank" in value;
      yield family.at({ ...identity, ...labels }, isLast ? value.value : value);
    }
  }
}

function merge(merged: Merged, rule: EventRule, totals: TotalsOfRules): void {
  const { kind, bounds } = rule.family;
  const { sums, last, histograms } = ownValue(totals, rule.fingerprint) ?? NO_TOTALS;
  if (kind === "gauge") {
    for (const [key, value] of Object.entries(last)) {
      const other = merged.get(key) as LastValue | undefined;
      if (other === undefined || value.rank >= other.rank) merged.set(key, value);
    }
    return;
  }
  const zeros = knownKeys(rule);
  if (kind === "counter") {
    const sum = (key: string) => (merged.get(key) as bigint | undefined) ?? 0n;
    for (const key of zeros) merged.set(key, sum(key));
    for (const [key, value] of Object.entries(sums)) merged.set(key, sum(key) + value);
    return;
  }
  const histogram = (key: string) => (merged.get(key) as Histogram<bigint> | undefined) ?? emptyHistogram(bounds, 0n);
  for (const key of zeros) merged.set(key, histogram(key));
  for (const [key, { counts, sum }] of Object.entries(histograms)) {
    const before = histogram(key) as Draft<Histogram<bigint>>;
    merged.set(key, {
      counts: before.counts.map((count, index) => count + (counts[index] ?? 0)),
      sum: before.sum + sum,
    });
  }
}

// Errors by reason, and overflow.
const SERIES_PER_RULE = Object.keys(ERRORS).length + 1;

/** Maximum number of series of rules, with as many label values as they allow. */
export function seriesOfRules(rules: readonly EventRule[]): number {
  return rules.reduce((total, { family, labels }) => {
    const combinations = labels.reduce((product, { from, max }) => product * ("value" in from ? 1 : max + 1), 1);
    return total + combinations * seriesPerSample(family) + SERIES_PER_RULE;
  }, 0);
}

/** The keys of all combinations of label values that are known beforehand; none if a label has no such values. */
function knownKeys({ labels }: EventRule): readonly string[] {
  const combinations = labels.reduce<readonly (readonly string[])[]>(
    (before, { allow }) => before.flatMap((values) => allow.map((value) => [...values, value])),
    [[]],
  );
  return combinations.map((values) => keyOf(...values));
}
