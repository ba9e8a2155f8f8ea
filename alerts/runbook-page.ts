// The text of the runbooks in blocks, which the generator writes as Markdown and the exporter serves as HTML.
import { type Alert, oneLine, type Subject } from "./model.ts";
import { LIMITS, type Limits } from "./thresholds.ts";
import { DEFAULTS } from "./values.ts";

/** A part of a section. Texts are one line, with code between backticks. */
export type Block = { readonly text: string } | { readonly query: string } | { readonly steps: readonly string[] };

/** The section of an alert. */
export interface Section {
  readonly alert: Alert["alert"];
  readonly blocks: readonly Block[];
}

/** The page of a subject. */
export interface RunbookPage {
  readonly title: string;
  readonly introduction: string;
  readonly sections: readonly Section[];
}

const SEVERITIES = {
  critical: "critical: act immediately",
  warning: "warning: investigate today",
  info: "info: explains other alerts, or may be of interest",
} as const;

/** The anchor of the section of an alert. */
export const anchorOf = ({ alert }: Pick<Alert, "alert">): string => alert.toLowerCase();

/** The URL of the section of an alert. @param base URL of the runbooks, without a slash at the end */
export const runbookUrl = (alert: Pick<Alert, "alert">, subject: string, base: string = DEFAULTS.runbookUrl): string =>
  `${base}/${subject}#${anchorOf(alert)}`;

/** The runbook page of a subject. */
export function runbookPage({ title, alerts }: Subject): RunbookPage {
  return {
    title: `Runbook: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    introduction:
      "Amounts are in microSTX (10^-6 STX). A query without a result means that the series is absent: the value is " +
      "unknown, not zero.",
    sections: alerts.map((alert) => ({ alert: alert.alert, blocks: blocksOf(alert) })),
  };
}

function blocksOf({ alert, severity, runbook }: Alert): Block[] {
  const { for: time, keepFiringFor }: Limits = LIMITS[alert];
  const keep = keepFiringFor === undefined ? "" : `, and keeps firing for ${keepFiringFor} after the condition ends`;
  return [
    { text: `Severity ${SEVERITIES[severity]}. Fires ${time === "0s" ? "at once" : `after ${time}`}${keep}.` },
    ...(DEFAULTS.disabled[alert] ? [{ text: "Disabled by default: its limits are examples." }] : []),
    { text: oneLine(runbook.meaning) },
    ...runbook.check.flatMap(([shows, query]) => [{ text: oneLine(shows) }, { query }]),
    { steps: runbook.actions.map(oneLine) },
  ];
}
