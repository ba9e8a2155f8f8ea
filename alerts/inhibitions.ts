// Inhibition rules: one problem, one notification.
import { alerts } from "./index.ts";
import type { Alert } from "./model.ts";
import { DEFAULTS } from "./values.ts";

/** While `source` fires, `targets` with the same labels are not sent. */
export interface Inhibition {
  readonly source: string;
  readonly targets: readonly string[];
  readonly equal: readonly string[];
  readonly why: string;
}

const exporter = ["job", "instance", DEFAULTS.clusterLabel, DEFAULTS.namespaceLabel] as const;
const network = ["network", ...exporter] as const;

const known = new Set<string>(alerts.map(({ alert }) => alert));
const everyOther = (...except: readonly Alert["alert"][]) =>
  [...known].filter((name) => !except.includes(name as never));

function inhibition(
  source: Alert["alert"],
  targets: readonly string[],
  equal: readonly string[],
  why: string,
): Inhibition {
  for (const name of [source, ...targets]) if (!known.has(name)) throw new Error(`there is no alert ${name}`);
  return { source, targets, equal, why };
}

/** Every inhibition, the most far-reaching first. */
export const inhibitions: readonly Inhibition[] = [
  inhibition(
    "StacksExporterDown",
    everyOther("StacksExporterDown", "StacksExporterAbsent"),
    exporter,
    "No data is available; alerts that still fire are only kept firing.",
  ),
  inhibition(
    "StacksUpstreamDown",
    everyOther("StacksUpstreamDown", "StacksExporterDown", "StacksExporterAbsent", "StacksApiUnauthorized"),
    network,
    "No new data of the network is available; alerts that still fire are only kept firing.",
  ),
  inhibition(
    "StacksApiUnauthorized",
    [
      "StacksUpstreamDown",
      "StacksNoUpstreamUp",
      "StacksUpstreamUnavailable",
      "StacksCollectorFailing",
      "StacksCollectorStale",
    ],
    network,
    "The refused key is the cause.",
  ),
  inhibition(
    "StacksMempoolFrozen",
    ["StacksFeeSpike", "StacksAddressTransactionStuck"],
    network,
    "They would be based on outdated data.",
  ),
  inhibition(
    "StacksChainTipStale",
    [
      "StacksBurnTipStale",
      "StacksTenureShort",
      "StacksAddressSilent",
      "StacksAddressTransactionStuck",
      "StacksContractSilent",
    ],
    network,
    "Without new blocks, nothing else changes.",
  ),
  inhibition(
    "StacksUpstreamRateLimited",
    ["StacksCollectorFailing", "StacksCollectorStale", "StacksAddressLimitUnwatched"],
    network,
    "The collectors wait because the server requested a pause.",
  ),
  inhibition(
    "StacksStateDamaged",
    ["StacksCollectorFailing", "StacksCollectorStale", "StacksAddressLimitUnwatched"],
    exporter,
    "Collectors that count fail because of the damaged state file.",
  ),
  inhibition(
    "StacksCollectorRetired",
    ["StacksCollectorFailing"],
    network,
    "The collector has stopped because of that operation.",
  ),
  inhibition(
    "StacksAddressOutflowHigh",
    ["StacksAddressOutflowUnusual"],
    [...network, "name", "address"],
    "Both are about the same outflow.",
  ),
  inhibition(
    "StacksAddressNonceGap",
    ["StacksAddressTransactionStuck"],
    [...network, "name", "address"],
    "The missing nonce is why they wait.",
  ),
];
