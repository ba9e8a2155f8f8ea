// Warnings about a valid configuration.
import { STX, type Watched } from "../collectors/collector.ts";
import type { Config, NetworkConfig } from "./config.ts";

/** Warnings about a configuration, one sentence each, without secrets. */
export function warningsOf({ networks }: Pick<Config, "networks">): string[] {
  return networks.flatMap((network) => limitsWithoutEffect(network).map((text) => `network ${network.name}: ${text}`));
}

// A limit without data would look as if it were never exceeded.
function limitsWithoutEffect({ addresses, collectors }: NetworkConfig): string[] {
  const isLimited = ({ maxOutflow, silentAfterMs }: Watched) => maxOutflow !== undefined || silentAfterMs !== undefined;
  const limited = addresses.filter(isLimited);
  const hasToken = limited.some(({ maxOutflow = {} }) => Object.keys(maxOutflow).some((asset) => asset !== STX));
  const collector = collectors.find(({ name }) => name === "addresses");
  const { transfers } = (collector?.options ?? {}) as { readonly transfers?: boolean };
  const summed = addresses.filter((entry) => entry.isSummed && (entry.minBalance !== undefined || isLimited(entry)));
  const names = summed.slice(0, 3).map(({ name }) => name);
  const warnings: readonly (readonly [isTrue: boolean, text: string])[] = [
    [
      limited.length > 0 && collector === undefined,
      "the collector addresses is off: max_outflow and silent_after have no effect",
    ],
    [
      hasToken && transfers === false,
      "the collector addresses reads no transfers: max_outflow of tokens has no effect",
    ],
    [
      summed.length > 0,
      "min_balance, max_outflow and silent_after have no effect on addresses of a group " +
        `with export: group (${names.join(", ")}${summed.length > 3 ? ", …" : ""})`,
    ],
  ];
  return warnings.flatMap(([isTrue, text]) => (isTrue ? [text] : []));
}
