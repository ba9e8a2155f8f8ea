// Alerts on a value beyond a limit. They are alike, and so are their scenarios.
import type { Scenario } from "../../support/promtool.ts";
import { type Samples, scenariosOf } from "./read.ts";

interface Limit {
  readonly alert: string;
  /** The series that together have the value, each with its share. */
  readonly series: Readonly<Record<string, number>>;
  /** Other series that it needs. */
  readonly beside?: Samples;
  /** The limit, a value just beyond it, and the usual one. */
  readonly values: { readonly limit: number; readonly beyond: number; readonly usual: number };
  readonly for: number;
  readonly labels: Readonly<Record<string, string>>;
}

const MAINNET = { network: "mainnet" };
const FEES = { ...MAINNET, collector: "fees" };
const HERE = { instance: "exporter" };

const LIMITS: readonly Limit[] = [
  {
    alert: "StacksCollectorRetired",
    series: { "state retired fees": 1 },
    values: { limit: 0, beyond: 1, usual: 0 },
    for: 5,
    labels: FEES,
  },
  {
    alert: "StacksBudgetStretched",
    series: { "stretch fees": 1 },
    values: { limit: 1.5, beyond: 1.51, usual: 1 },
    for: 15,
    labels: FEES,
  },
  {
    alert: "StacksBudgetMonthLow",
    series: { "remaining month": 100 },
    beside: { "budget month": 74_400, "remaining minute": 0, "budget minute": 60 },
    values: { limit: 0.1, beyond: 0.0995, usual: 1 },
    for: 15,
    labels: MAINNET,
  },
  {
    alert: "StacksSeriesHigh",
    series: { "series exporter": 1000 },
    beside: { "series-limit exporter": 1000, "series-limit other": 1000 },
    values: { limit: 0.9, beyond: 0.902, usual: 0.2 },
    for: 30,
    labels: HERE,
  },
  ...["configuration", "watch list", "web configuration"].map((part) => ({
    alert: "StacksReloadRefused",
    series: { [`${part.replace(" ", "-")} exporter`]: 1 },
    values: { limit: 1, beyond: 0, usual: 1 },
    for: 5,
    labels: { ...HERE, part },
  })),
];

/** Every scenario of these alerts. */
export const limitScenarios: readonly Scenario[] = LIMITS.flatMap(
  ({ alert, series, beside, values: { limit, beyond, usual }, for: pending, labels }) => {
    /** The series, with values of some minutes each, of this or of another exporter. */
    const of = (values: readonly (readonly [value: number, minutes: string])[], isOther = false): Samples =>
      Object.fromEntries(
        Object.entries(series).map(([name, share]) => [
          isOther ? name.replace("exporter", "other") : name,
          values.map(([value, minutes]) => `${value * share}${minutes}`).join(" "),
        ]),
      );
    const steady = (value: number, isOther = false) => of([[value, ""]], isOther);
    const broken = [
      [usual, "*20"],
      [beyond, "*60"],
      [usual, ""],
    ] as const;
    const { part } = labels as { readonly part?: string };
    const another = labels === FEES || labels === MAINNET ? { testnet: steady(usual) } : steady(usual, true);
    return scenariosOf(
      alert,
      {
        labels,
        ...(beside === undefined ? {} : { given: beside }),
        "it fires while the value is beyond the limit": {
          ...of(broken),
          expect: `quiet 19 ${19 + pending}; firing ${20 + pending} 79; quiet 80 130`,
        },
        "quiet: as usual": { ...steady(usual), expect: "quiet to 130" },
        "quiet: exactly at the limit": { ...steady(limit), expect: "quiet to 130" },
        "quiet: nothing is known": { ...of([[usual, "*20 gone"]]), expect: "quiet to 110" },
        "of two, only the affected one": { ...steady(beyond), ...another, expect: "firing 60" },
      },
      part === undefined ? "" : `${part}: `,
    );
  },
);
