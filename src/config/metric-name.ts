// Names of metrics and labels of event rules. `promtool check metrics` has further advice, such as base units.

/** The types of the metrics of event rules. */
export const TYPES = ["counter", "gauge"] as const;

// Names of series that Prometheus creates, and of families that the exporter has or may add.
const RESERVED = /^(stacks_(?!app_.)|process_|nodejs_|scrape_)|^(up|ALERTS|ALERTS_FOR_STATE)$/;

/** Why a name is invalid for a metric of this type, as a part of a sentence; undefined if it is valid. */
export function errorInMetricName(name: string, type: (typeof TYPES)[number]): string | undefined {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return "only letters, digits and _, and no digit at the beginning";
  if (RESERVED.test(name)) return "reserved for Prometheus and the exporter; stacks_app_… is not";
  if (type === "counter") return name.endsWith("_total") ? undefined : "the name of a counter ends in _total";
  // A parser of the page would take the metric for a counter, or for a part of another metric.
  const suffix = /_(total|bucket|count|sum|created)$/.exec(name)?.[0];
  return suffix && `the name of a gauge does not end in ${suffix}`;
}

/** The name of the family of a metric in OpenMetrics, where that of a counter has no suffix. */
export const familyName = (name: string): string => name.replace(/_total$/, "");

// Not labels of the families, labels that Prometheus sets, and usual labels of targets in Kubernetes.
const LABEL_NAME =
  /^(?!(network|name|contract_id|le|quantile|job|instance|namespace|pod|service|container|endpoint)$)[a-z][a-z0-9_]{0,63}$/;

/** Whether a rule can have a label of this name. */
export const isLabelName = (name: string): boolean => LABEL_NAME.test(name);
