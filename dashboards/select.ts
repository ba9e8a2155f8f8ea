// Selectors with the variables of a board. Names, labels and values come from the declared families and recording rules: what
// does not exist throws when the boards are generated.
import { recordings } from "../alerts/index.ts";
import { familyOf, recorded, series } from "../alerts/series.ts";
import { Instruments } from "../src/telemetry/instruments.ts";

/** Label values; a leading `!` negates, a leading `~` makes it a regular expression. A variable needs the latter. */
type Matchers = Readonly<Record<string, string>>;

const SCOPE = ["job", "instance", "network"] as const;

function scoped(selector: string, labels: readonly string[]): string {
  const scope = SCOPE.filter((label) => label !== "network" || labels.includes(label)).map(
    (label) => `${label}=~"$${label}"`,
  );
  const [, name = "", rest = "}"] = /^([^{]+)(?:\{(.*))?$/s.exec(selector) ?? [];
  return `${name}{${scope.join(", ")}${rest === "}" ? "" : ", "}${rest}`;
}

/** An exposed series of the chosen exporters and networks: `of("stacks_up")`. */
export function of(name: string, matchers: Matchers = {}): string {
  const text = series(name, matchers);
  return scoped(text, familyOf(name)?.labelNames ?? []);
}

/** A recorded series of the chosen exporters and networks. */
export function rec(record: string, matchers: Matchers = {}): string {
  const recording = recordings.find((known) => known.record === record);
  if (recording === undefined) throw new Error(`there is no recording rule ${record}`);
  return scoped(recorded(recording, matchers), recording.labels);
}

/** Names of the families about the process, which the client library brings along. */
export const processFamilies: ReadonlySet<string> = new Set(new Instruments().watchProcess().map(({ name }) => name));

/** A series about the process of the chosen exporters. */
export function ofProcess(name: string): string {
  if (!processFamilies.has(name)) throw new Error(`there is no process family ${name}`);
  return scoped(name, []);
}

/** Alerts as Prometheus keeps them. Prometheus rules only: those of Grafana are not among them. */
export function alertsInState(state: "firing" | "pending", name = "Stacks.*"): string {
  return `ALERTS{job=~"$job", instance=~"$instance", network=~"$network|", alertname=~"${name}", alertstate="${state}"}`;
}

/** The names of the alerts that fire; `none`, with the value 0, when there are none. */
export function firingNames(): string {
  const firing = alertsInState("firing");
  return `max by (alertname) (${firing}) or label_replace(vector(0) unless on () ${firing}, "alertname", "none", "", "")`;
}

/** A sum by labels: that of one exporter, since several of the same network saw the same. */
export const total = (labels: string, expr: string): string =>
  `max by (${labels}) (sum by (job, instance, ${labels}) (${expr}))`;

/**
 * What was counted a minute. Series of which nothing was counted in the range shown are left out: most label sets never occur;
 * `@ end()` is computed once, not for every point. The work of several exporters adds up; what they saw does not.
 */
export function perMinute(labels: string, selector: string, isOwnWork = false): string {
  const summed = (expr: string) => (isOwnWork ? `sum by (${labels}) (${expr})` : total(labels, expr));
  return `(${summed(`rate(${selector}[$__rate_interval])`)} * 60 and ${summed(`increase(${selector}[$__range] @ end())`)} > 0)`;
}

/** microSTX as STX. */
export const stx = (expr: string): string => `${expr} / 1e6`;

/** What several exporters of one network say, once. */
export const once = (expr: string): string => `max without (job, instance) (${expr})`;

/** One value for each watched principal. */
export const each = (expr: string): string => `max by (network, name) (${expr})`;
