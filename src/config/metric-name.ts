// Checks the metric names and label names of event rules: the lints of `promtool check metrics`, and reserved names.
import type { Family } from "../exposition/family.ts";

/** The type of a metric. */
export type Kind = Family["kind"];

const METRIC_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const CAMEL_CASE = /[a-z][A-Z]/;
const TYPES = /_(counter|gauge|summary|histogram|gauge_histogram)(_|$)/i;
const ABBREVIATED = /_(s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d)(_|$)/i;
const PREFIXES = "pico|nano|micro|milli|centi|deci|deca|hecto|kilo|kibi|mega|mibi|giga|gibi|tera|tebi|peta|pebi";
const BASE_UNITS: Readonly<Record<string, string>> = {
  seconds: "minutes|hours|days|weeks",
  bytes: "bits",
  kelvin: "kelvins",
  celsius: "fahrenheit|rankine",
  meters: "inches|yards|miles",
  joules: "calories",
  grams: "pounds|ounces",
  amperes: "",
  metres: "",
  volts: "",
};

// Names of series that Prometheus creates, and of families that the exporter has or may add.
const RESERVED = /^(stacks_(?!app_)|stacks_app_$|process_|nodejs_|scrape_)|^(up|ALERTS|ALERTS_FOR_STATE)$/;

/** Why a name is invalid for a metric of this type, as a part of a sentence; undefined if it is valid. */
export function errorInMetricName(name: string, kind: Kind | undefined): string | undefined {
  if (!METRIC_NAME.test(name)) return "a name has only letters, digits and _, and does not begin with a digit";
  if (RESERVED.test(name)) {
    return name.startsWith("stacks_")
      ? "names of rules begin with stacks_ only as stacks_app_…"
      : "such names are reserved for Prometheus and the exporter";
  }
  if (CAMEL_CASE.test(name)) return "names are written in snake_case";
  if (TYPES.test(name)) return "a name does not contain a metric type";
  if (ABBREVIATED.test(name)) return "units are not abbreviated";
  const unit = unitIn(name);
  if (unit !== undefined) return unit;
  if (kind === "counter" && !name.endsWith("_total")) return "the name of a counter ends in _total";
  if (kind !== undefined && kind !== "counter" && name.endsWith("_total")) return "only a counter ends in _total";
  const suffix = /_(bucket|count|sum)$/.exec(name)?.[0];
  return suffix === undefined || kind === "histogram" ? undefined : `only parts of a histogram end in ${suffix}`;
}

// The first word that is a unit counts.
function unitIn(name: string): string | undefined {
  for (const word of name.split("_")) {
    for (const [base, others] of Object.entries(BASE_UNITS)) {
      if (word === base) return undefined;
      const isOther = new RegExp(`^(?:(?:${PREFIXES})?(?:${others || "-"})|(?:${PREFIXES})${base})$`).test(word);
      if (isOther) return `the base unit is ${base}, not ${word}`;
    }
  }
  return undefined;
}

const LABEL_NAME = /^[a-z][a-z0-9_]{0,63}$/;
// Labels of the families, labels that Prometheus sets, and usual labels of targets in Kubernetes.
const RESERVED_LABELS =
  /^(network|name|contract_id|le|quantile|job|instance|namespace|pod|service|container|endpoint)$/;

/** Why a label name is invalid, as a part of a sentence; undefined if it is valid. */
export function errorInLabelName(name: string): string | undefined {
  if (name.startsWith("__")) return "Prometheus uses names that begin with __ itself";
  if (!LABEL_NAME.test(name)) return "a name has only a-z, 0-9 and _, and begins with a letter";
  return RESERVED_LABELS.test(name) ? "the exporter, Prometheus or its service discovery sets this label" : undefined;
}

/** The names that a metric takes on the metrics page, in either format. */
export function namesOf(name: string, kind: Kind): readonly string[] {
  if (kind === "gauge") return [name];
  const base = name.replace(/_total$/, "");
  // OpenMetrics names the family of a counter without its suffix.
  if (kind === "counter") return [name, base, `${base}_created`];
  return [name, ...["bucket", "sum", "count", "created"].map((suffix) => `${name}_${suffix}`)];
}
