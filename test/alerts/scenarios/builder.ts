// Helpers to write scenarios.
import type { Scenario } from "../../support/promtool.ts";

/** Labels of a network and of the exporter that is scraped. */
export const target = (network = "mainnet") => `network="${network}", job="stacks", instance="exporter"`;

/** The alert is not firing at these times. */
export const quiet = (...times: readonly number[]): Scenario["expect"] => times.map((at) => ({ at, firing: [] }));

/** The alert is not firing up to this minute, checked every five minutes. */
export const never = (upTo: number): Scenario["expect"] =>
  quiet(...Array.from({ length: Math.ceil(upTo / 5) }, (_, index) => index * 5), upTo);

/** Scenarios of one alert. */
export const forAlert =
  (alert: string) =>
  (
    name: string,
    series: Readonly<Record<string, string>>,
    expect: readonly (Scenario["expect"] | Scenario["expect"][number])[],
    every?: number,
  ): Scenario => ({
    name: `${alert}: ${name}`,
    alert,
    series,
    expect: expect.flat(),
    ...(every === undefined ? {} : { every }),
  });
