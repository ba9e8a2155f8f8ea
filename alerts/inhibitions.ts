// Which alert makes which others needless to hear of: one trouble, one notification.
import { alerts } from "./index.ts";
import type { Alert } from "./model.ts";

/** While `source` fires, `targets` with the same labels are not sent. */
export interface Inhibition {
  readonly source: string;
  readonly targets: readonly string[];
  readonly equal: readonly string[];
  readonly why: string;
}

const network = ["network", "job", "instance"] as const;

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
    ["job", "instance"],
    "Nothing is known any more; what still fires is only kept.",
  ),
  inhibition(
    "StacksUpstreamDown",
    everyOther("StacksUpstreamDown", "StacksExporterDown", "StacksExporterAbsent", "StacksApiUnauthorized"),
    network,
    "Nothing new is known of the network; what still fires is only kept.",
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
    [
      "StacksFeeSpike",
      "StacksFeeElevated",
      "StacksMempoolBacklog",
      "StacksFeeTopHeavy",
      "StacksMempoolStuckCluster",
      "StacksFeesLow",
      "StacksFeeAbsolute",
    ],
    network,
    "They would judge a market of the past.",
  ),
  inhibition(
    "StacksMempoolStuckCluster",
    ["StacksFeeSpike", "StacksFeeElevated"],
    network,
    "High fees wait, but nobody has to pay them.",
  ),
  inhibition("StacksFeeSpike", ["StacksFeeElevated"], network, "The spike says more."),
  inhibition(
    "StacksChainTipStale",
    ["StacksBurnTipStale", "StacksTenureShort", "StacksMempoolBacklog", "StacksAddressSilent", "StacksContractSilent"],
    network,
    "Where no block comes, nothing else moves.",
  ),
  inhibition(
    "StacksUpstreamRateLimited",
    ["StacksCollectorFailing", "StacksCollectorStale"],
    network,
    "The collectors wait because they were told to.",
  ),
  inhibition(
    "StacksCollectorRetired",
    ["StacksCollectorFailing", "StacksOperationRetired"],
    network,
    "The collector stands still because of that operation.",
  ),
  inhibition(
    "StacksAddressOutflowHigh",
    ["StacksAddressOutflowUnusual"],
    [...network, "name", "address"],
    "The same money.",
  ),
];
