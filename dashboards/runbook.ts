// Links from panels to runbooks.
import { subjects } from "../alerts/index.ts";
import { runbookUrl } from "../alerts/runbook-page.ts";

/** The link to the runbook of an alert. Throws when there is no such alert. */
export function runbook(name: string): { readonly title: string; readonly url: string } {
  for (const subject of subjects) {
    const alert = subject.alerts.find(({ alert }) => alert === name);
    if (alert !== undefined)
      return { title: `Runbook of ${name}`, url: runbookUrl(alert, subject.name, "%(runbookUrl)s") };
  }
  throw new Error(`there is no alert ${name}`);
}
