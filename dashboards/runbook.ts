// Links from panels to the runbooks of the alerts that look at the same thing.
import { subjects } from "../alerts/index.ts";
import { runbookUrl } from "../tools/generate/runbooks.ts";

/** The section of an alert. Throws when there is no such alert. */
export function runbook(name: string): { readonly title: string; readonly url: string } {
  for (const subject of subjects) {
    const alert = subject.alerts.find(({ alert }) => alert === name);
    if (alert !== undefined) return { title: `Runbook of ${name}`, url: runbookUrl(alert, subject.name) };
  }
  throw new Error(`there is no alert ${name}`);
}
