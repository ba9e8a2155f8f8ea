// Links from alerts to their runbooks.
import type { Alert } from "./model.ts";
import { anchorOf } from "./runbook-page.ts";
import { DEFAULTS } from "./values.ts";

/** The URL of the section of an alert. @param base URL of the runbooks, without a slash at the end */
export function runbookUrl(alert: Pick<Alert, "alert">, subject: string, base: string = DEFAULTS.runbookUrl): string {
  return `${base}/${subject}#${anchorOf(alert)}`;
}
