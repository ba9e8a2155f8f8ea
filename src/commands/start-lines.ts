// Log lines at start: one for each network.
import type { Config } from "../config/config.ts";
import type { NetworkPlan, Plan } from "./estimate.ts";

/** The fields of a line about a network. Never a secret: of URLs, scheme, host and port. */
export interface NetworkLine {
  readonly network: string;
  /** The preferred one first. */
  readonly upstreams: readonly string[];
  /** Polled targets; the whole chain is one for each collector that observes it. */
  readonly targets: number;
  /** Planned requests to the preferred upstream. */
  readonly requests_per_minute: number;
  readonly budget_per_minute: number;
  readonly budget_per_month: number | "unlimited";
  /** Factor by which the budget increases the interval of a collector, for collectors with an increased interval. */
  readonly stretched: Readonly<Record<string, number>>;
}

/** One line for each network. */
export function networkLines({ networks }: Plan, config: Config): readonly NetworkLine[] {
  return networks.map((planned) => {
    const upstreams = config.networks.find(({ name }) => name === planned.network)?.upstreams ?? [];
    const { perMinute, perMonth = "unlimited" } = planned.upstream.budget;
    return {
      network: planned.network,
      upstreams: upstreams.map(({ url }) => new URL(url).origin),
      targets: planned.collectors.reduce((sum, { targets }) => sum + targets, 0),
      requests_per_minute: rounded(planned.requestsPerMinute),
      budget_per_minute: perMinute,
      budget_per_month: perMonth,
      stretched: stretchedOf(planned),
    };
  });
}

function stretchedOf({ collectors }: NetworkPlan): Readonly<Record<string, number>> {
  const ratios = collectors.map(({ collector, intervalMs, configuredIntervalMs }) => {
    return [collector.name, rounded(intervalMs / configuredIntervalMs)] as const;
  });
  return Object.fromEntries(ratios.filter(([, ratio]) => ratio > 1));
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
