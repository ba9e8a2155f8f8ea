// Alerts on a value beyond a limit. They are alike, and so are their scenarios.
import { dataOf } from "../../support/data.ts";
import type { Scenario } from "../../support/promtool.ts";
import { type Samples, scenariosOf } from "./read.ts";

interface Limit {
  readonly alert: string;
  readonly series: Readonly<Record<string, number>>;
  readonly beside?: Samples;
  readonly values: { readonly limit: number; readonly beyond: number; readonly usual: number };
  readonly for: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** Every scenario of these alerts. */
export const limitScenarios: readonly Scenario[] = dataOf<readonly Limit[]>("limits.yaml", import.meta.url).flatMap(
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
      [beyond, "*40 gone*1"],
      [beyond, "*19"],
      [usual, ""],
    ] as const;
    const { part } = labels;
    const another = "network" in labels ? { testnet: steady(usual) } : steady(usual, true);
    return scenariosOf(
      alert,
      {
        labels,
        ...(beside === undefined ? {} : { given: beside }),
        "it fires while the value is beyond the limit, also when a scrape fails, and for five minutes after it": {
          ...of(broken),
          expect: `quiet 19 ${19 + pending}; firing ${20 + pending} 59 60 61 79 84; quiet 85 130`,
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
