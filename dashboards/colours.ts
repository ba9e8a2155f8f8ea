// Colours: a thing has the same colour on every dashboard.
import { coloured, type Override, type Step, type Steps } from "./panel.ts";

/** Priorities. */
export const PRIORITIES: readonly Override[] = [
  coloured("no", "blue"),
  coloured("low", "green"),
  coloured("medium", "yellow"),
  coloured("high", "orange"),
];

/** Percentiles of fees that dashboards show, as a band around the median. */
export const PERCENTILES: Readonly<Record<"p25" | "p50" | "p75" | "p95", Override>> = {
  p25: coloured("p25", "green"),
  p50: coloured("p50", "yellow"),
  p75: coloured("p75", "orange", { "custom.lineWidth": 1, "custom.fillBelowTo": "p25", "custom.fillOpacity": 15 }),
  p95: coloured("p95", "purple", { "custom.lineWidth": 1 }),
};

/** Types of transactions. */
export const TX_TYPES: readonly Override[] = [
  coloured("all", "text"),
  coloured("token_transfer", "blue"),
  coloured("contract_call", "purple"),
  coloured("smart_contract", "orange"),
  coloured("poison_microblock", "red"),
];

/** A colour from 0, and others. A missing value has the colour of the base step: not that of a good one. */
export const from0 = (color: string, ...more: Step[]): Steps => [[null, "text"], [0, color], ...more];

/** Green, yellow from the first value, red from the second. */
export const worse = (yellow: number, red: number): Steps => from0("green", [yellow, "yellow"], [red, "red"]);

/** Red from 1: for events that should never happen. */
export const never: Steps = from0("green", [1, "red"]);

/** A dashed line: a limit or a usual level. */
export const reference = (name: string, color: string): Override =>
  coloured(name, color, {
    "custom.lineStyle": { fill: "dash", dash: [8, 6] },
    "custom.lineWidth": 1,
    "custom.fillOpacity": 0,
    "custom.stacking": { mode: "none", group: "A" },
  });
