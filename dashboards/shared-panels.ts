// Panels of several dashboards. Each dashboard sets the id, the size and the texts.
import { lines, type Panel, type Spec, shown, table } from "./panel.ts";
import { firing, metric, total } from "./select.ts";

type Placed = Pick<Spec, "id" | "description" | "width" | "height">;

const RULE_ERRORS = `Events whose value or labels an event rule could not use, by reason. If an error
  begins, the contract prints another shape: compare with stacks-exporter try.`;

/**
 * Events that event rules could not count.
 * @param restricted restricts an expression by network and name to what the dashboard selects
 */
export function ruleErrors(
  spec: Omit<Placed, "description"> & Pick<Spec, "title" | "noValue">,
  matchers: Readonly<Record<string, string>> = {},
  restricted = (expr: string) => expr,
): Panel {
  const increase = (labels: string, family: string) =>
    restricted(`${total(labels, `increase(${metric(family, matchers)}[$__rate_interval])`)} > 0`);
  return lines({
    ...spec,
    description: RULE_ERRORS,
    decimals: 0,
    bars: true,
    queries: {
      "{{name}} {{metric}}: {{reason}}": increase("network, name, metric, reason", "stacks_contract_rule_errors_total"),
    },
  });
}

const SEVERITIES = { critical: "red", warning: "orange", info: "blue" };

/** The firing alerts, and what they are about. */
export const firingAlerts = (spec: Placed & Pick<Spec, "link">): Panel =>
  table({
    ...spec,
    title: "Firing alerts",
    unit: "none",
    noValue: "None",
    only: [
      `label_replace(max by (alertname, name, collector, network, severity, instance) (${firing}), "alert", "$1", "alertname", "Stacks(.*)")`,
    ],
    labels: ["severity", "alert", "name", "collector", "network", "instance"],
    sortBy: "severity",
    overrides: [
      {
        name: "severity",
        properties: {
          mappings: Object.entries(SEVERITIES).map(([name, color]) => shown(name, name, color)),
          "custom.cellOptions": { type: "color-text" },
          "custom.width": 70,
        },
      },
      { name: "alert", properties: { "custom.width": 195 } },
      { name: "name", properties: { "custom.minWidth": 115 } },
    ],
  });
