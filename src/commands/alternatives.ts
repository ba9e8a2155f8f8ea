// Estimates what a configuration would cost with other choices of the operator, one at a time, without calling the API.
import { MINUTES_PER_MONTH } from "../api/budget-limits.ts";
import type { Watched } from "../collectors/collector.ts";
import { collectorOf } from "../collectors/index.ts";
import { withDefaultSchedules } from "../config/budget.ts";
import { appliedSettings } from "../config/collector-settings.ts";
import type { CollectorConfig, Config, NetworkConfig } from "../config/config.ts";
import { valueAt } from "../config/normalize.ts";
import { isRoundRobin } from "../scheduler/pacing.ts";
import { type NetworkPlan, type Plan, planOf } from "./estimate.ts";

/** The costs of a configuration with one choice. */
export interface Alternative {
  /** Undefined: as configured. */
  readonly choice: string | undefined;
  /** Series of the whole exporter. */
  readonly series: number;
  readonly requestsPerMonth: number;
  /** Longest time between two polls of a watched principal. Milliseconds. */
  readonly roundMs: number;
  /** The limits that it exceeds. */
  readonly exceeds: readonly ("budget" | "max_series")[];
}

/** The choice to export all groups as sums. */
export const ALL_GROUPS = "export: group, all groups";

type Change = (network: NetworkConfig) => NetworkConfig;

const ofAddresses =
  (change: (one: Watched) => Watched): Change =>
  (network) => ({
    ...network,
    addresses: network.addresses.map(change),
  });

const without =
  (name: string): Change =>
  (network) => ({ ...network, collectors: network.collectors.filter((one) => one.name !== name) });

/** With a collector, and with changes of its options. It has its defaults if it is off. */
const withOptions =
  (name: string, change: (options: object) => object): Change =>
  (network) => {
    const present = network.collectors.find((one) => one.name === name) ?? defaultsOf(name, network);
    const changed = { ...present, options: change(present.options as object) };
    return { ...network, collectors: [...without(name)(network).collectors, changed] };
  };

function defaultsOf(name: string, { upstreams: [{ budget }] }: NetworkConfig): CollectorConfig {
  const network = { budget: { per_month: budget.perMonth ?? "unlimited" }, collectors: {} };
  const collector = collectorOf(name);
  const scheduled = withDefaultSchedules({ networks: [network] }, [collector]);
  const settings = valueAt(scheduled, ["networks", 0, "collectors", name]) ?? {};
  return { ...appliedSettings(collector).parse(settings), isDefault: true };
}

const toAll = (options: object) => ({ ...options, addresses: "all" });

const OF_ADDRESSES: Readonly<Record<string, Change>> = {
  "balances: off": without("balances"),
  "balances: all addresses": withOptions("balances", toAll),
  "waiting: off": without("waiting"),
  "waiting: all addresses": withOptions("waiting", toAll),
  "export: each address": ofAddresses((one) => ({ ...one, isSummed: false })),
  [ALL_GROUPS]: ofAddresses((one) => ({ ...one, isSummed: one.group !== "" })),
};

const OF_CONTRACTS: Readonly<Record<string, Change>> = {
  "contract_calls: off": without("contract_calls"),
  "contract_calls: on": withOptions("contract_calls", (options) => options),
  "event rules: off": (network) => ({
    ...network,
    contracts: network.contracts.map((one) => ({ ...one, rules: [] })),
  }),
};

/**
 * The costs of a network as configured, and those with each other choice that changes them; none without watched
 * principals.
 */
export function alternativesOf(config: Config, name: string): readonly Alternative[] {
  const network = config.networks.find((one) => one.name === name) as NetworkConfig;
  const { addresses, contracts } = network;
  const choices = Object.entries({
    ...(addresses.length > 0 ? OF_ADDRESSES : {}),
    ...(contracts.length > 0 ? OF_CONTRACTS : {}),
  });
  if (choices.length === 0) return [];
  const costOf = (changed: NetworkConfig, choice?: string): Alternative => {
    const plan = planOf({ ...config, networks: config.networks.map((one) => (one === network ? changed : one)) });
    return { choice, ...costsOf(plan, plan.networks.find((one) => one.network === name) as NetworkPlan) };
  };
  const configured = costOf(network);
  const others = choices.map(([choice, change]) => costOf(change(network), choice));
  return [configured, ...others.filter((other) => isDifferent(other, configured))];
}

function costsOf(plan: Plan, { collectors, requestsPerMinute, budgetError }: NetworkPlan): Omit<Alternative, "choice"> {
  const rounds = collectors.filter(({ collector }) => isRoundRobin(collector)).map(({ intervalMs }) => intervalMs);
  return {
    series: plan.collectorSeries + plan.ownSeries,
    requestsPerMonth: Math.ceil(requestsPerMinute * MINUTES_PER_MONTH - 1e-6),
    roundMs: Math.max(0, ...rounds),
    exceeds: [
      ...(budgetError === undefined ? [] : (["budget"] as const)),
      ...(plan.seriesError === undefined ? [] : (["max_series"] as const)),
    ],
  };
}

const isDifferent = (a: Alternative, b: Alternative): boolean =>
  a.series !== b.series || a.requestsPerMonth !== b.requestsPerMonth || a.roundMs !== b.roundMs;
