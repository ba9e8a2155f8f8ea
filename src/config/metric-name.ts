// Names of metrics and labels of event rules. `promtool check metrics` has further advice, such as base units.
import type { Family } from "../exposition/family.ts";

/** The type of a metric. */
export type Kind = Family["kind"];

const METRIC_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
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
  if (kind === "counter" && !name.endsWith("_total")) return "the name of a counter ends in _total";
  // A parser of the page would take the metric for a counter, or for a part of a histogram.
  const suffix = /_(total|bucket|count|sum)$/.exec(name)?.[0];
  return suffix === undefined || kind === "counter" || kind === undefined
    ? undefined
    : `the name of a ${kind} does not end in ${suffix}`;
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
