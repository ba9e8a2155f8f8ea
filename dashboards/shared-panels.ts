// Panels of several dashboards. Each dashboard sets the id, the size and the texts.
import { lines, type Panel, type Spec, stat } from "./panel.ts";
import { firingNames, metric, total } from "./select.ts";

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

/** Names of the firing alerts. */
export const firingAlerts = (spec: Placed & Pick<Spec, "link">): Panel =>
  stat({
    ...spec,
    title: "Firing alerts",
    unit: "none",
    noValue: "None",
    colour: "background",
    text: "name",
    isList: true,
    steps: [
      [null, "green"],
      [1, "red"],
    ],
    queries: { "{{alertname}}": firingNames },
  });
