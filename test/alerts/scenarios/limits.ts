// Alerts on a value beyond a limit. They are alike, and so are their scenarios.
import { gone, hold, type Scenario, trace } from "../../support/promtool.ts";
import { firing, forAlert, never, quiet, target } from "./builder.ts";

const mainnet = { network: "mainnet" };
const fees = { network: "mainnet", collector: "fees" };
const collector = (metric: string, values: string, labels: string, network: string) => ({
  [`stacks_exporter_collector_${metric}{${labels}collector="fees", ${target(network)}}`]: values,
});

interface Limit {
  readonly alert: string;
  /** Series by network and value. */
  readonly series: (network: string, values: (factor: number) => string) => Readonly<Record<string, string>>;
  /** The limit, and a value just beyond it. */
  readonly limit: number;
  readonly beyond: number;
  readonly usual: number;
  readonly for: number;
  readonly labels?: Readonly<Record<string, string>>;
}

const LIMITS: readonly Limit[] = [
  {
    alert: "StacksCollectorRetired",
    series: (network, values) => collector("state", values(1), 'state="retired", ', network),
    limit: 0,
    beyond: 1,
    usual: 0,
    for: 5,
    labels: fees,
  },
  {
    alert: "StacksBudgetStretched",
    series: (network, values) => collector("stretch_ratio", values(1), "", network),
    limit: 1.5,
    beyond: 1.51,
    usual: 1,
    for: 15,
    labels: fees,
  },
  {
    alert: "StacksBudgetMonthLow",
    series: (network, values) => ({
      [`stacks_exporter_budget_remaining_requests{window="month", ${target(network)}}`]: values(100),
      [`stacks_exporter_budget_limit_requests{window="month", ${target(network)}}`]: hold(74_400, 500),
      [`stacks_exporter_budget_remaining_requests{window="minute", ${target(network)}}`]: hold(0, 500),
      [`stacks_exporter_budget_limit_requests{window="minute", ${target(network)}}`]: hold(60, 500),
    }),
    limit: 0.1,
    beyond: 0.0995,
    usual: 1,
    for: 15,
  },
  {
    alert: "StacksSeriesHigh",
    series: (network, values) => ({
      [`stacks_exporter_series{family="a", job="stacks", instance="${network}"}`]: values(500),
      [`stacks_exporter_series{family="b", job="stacks", instance="${network}"}`]: values(500),
      [`stacks_exporter_series_limit{job="stacks", instance="${network}"}`]: hold(1000, 500),
    }),
    limit: 0.9,
    beyond: 0.902,
    usual: 0.2,
    for: 30,
    labels: { instance: "mainnet" },
  },
  ...Object.entries({
    configuration: "stacks_exporter_config_last_reload_successful",
    "watch list": "stacks_exporter_watch_list_last_reload_successful",
    "web configuration": "stacks_exporter_web_config_last_reload_successful",
  }).map(([part, family]) => ({
    alert: "StacksReloadRefused",
    series: (network: string, values: (value: number) => string) => ({
      [`${family}{job="stacks", instance="${network}"}`]: values(1),
    }),
    limit: 1,
    beyond: 0,
    usual: 1,
    for: 5,
    labels: { instance: "mainnet", part },
  })),
];

function limits({ alert, series, limit, beyond, usual, for: pending, labels = mainnet }: Limit): Scenario[] {
  const { part } = labels as { readonly part?: string };
  const it: ReturnType<typeof forAlert> = (name, ...rest) =>
    forAlert(alert)(part === undefined ? name : `${part}: ${name}`, ...rest);
  const steady = (value: number) => (factor: number) => hold(value * factor, 200);
  const broken = (factor: number) =>
    trace(hold(usual * factor, 20), hold(beyond * factor, 60), hold(usual * factor, 60));
  return [
    it("it fires while the value is beyond the limit", series("mainnet", broken), [
      quiet(19, 20 + pending - 1),
      firing(labels, 20 + pending, 79),
      quiet(80, 130),
    ]),
    it("quiet: as usual", series("mainnet", steady(usual)), [never(130)]),
    it("quiet: exactly at the limit", series("mainnet", steady(limit)), [never(130)]),
    it(
      "quiet: nothing is known",
      series("mainnet", (factor) => trace(hold(usual * factor, 20), gone(100))),
      [never(110)],
    ),
    it("of two, only the affected one", { ...series("mainnet", steady(beyond)), ...series("testnet", steady(usual)) }, [
      firing(labels, 60),
    ]),
  ];
}

/** Every scenario of these alerts. */
export const limitScenarios: readonly Scenario[] = LIMITS.flatMap(limits);
