// Panels of several dashboards. Each dashboard sets the id, the size and the texts.
import { FEES } from "../alerts/thresholds.ts";
import { TX_TYPES } from "./colours.ts";
import { lines, type Panel, type Spec, stat } from "./panel.ts";
import { firingNames, metric, total } from "./select.ts";
import { minedRatioByType, NO_MINED, recentCalls } from "./signals.ts";

type Placed = Pick<Spec, "id" | "description" | "width" | "height">;

/** Fees of mined transactions of each type, relative to its usual level. */
export const minedRatios = (spec: Placed & Pick<Spec, "title">): Panel =>
  lines({
    ...spec,
    unit: "none",
    noValue: NO_MINED,
    axis: "times usual",
    log: true,
    limit: FEES.spike.feeRatio,
    queries: { "{{tx_type}}": minedRatioByType },
    overrides: TX_TYPES,
  });

/** Contracts with the most calls that were mined in the last ten minutes. */
export const mostCalledContracts = (spec: Placed): Panel =>
  lines({
    ...spec,
    title: "Contracts with the most calls",
    decimals: 0,
    noValue: NO_MINED,
    axis: "calls",
    stacked: true,
    queries: { "{{contract_id}}": recentCalls },
  });

const RULE_ERRORS = `Events that matched an event rule but were not counted by it, by reason, and samples with a
  label that counts as other. If an error begins, the contract prints another shape: compare with
  stacks-exporter try.`;

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
      "{{name}} {{metric}}: label other": increase(
        "network, name, metric",
        "stacks_contract_rule_label_overflow_total",
      ),
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
    steps: [
      [null, "green"],
      [1, "red"],
    ],
    queries: { "{{alertname}}": firingNames() },
  });
