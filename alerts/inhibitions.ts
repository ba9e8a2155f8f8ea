// Inhibition rules: one problem, one notification.
import { alerts } from "./index.ts";
import { type AlertName, DEFAULTS } from "./values.ts";

/** While `source` fires, `targets` with the same labels are not sent. */
export interface Inhibition {
  readonly source: AlertName;
  readonly targets: readonly AlertName[];
  readonly equal: readonly string[];
  readonly why: string;
}

const exporter = ["job", "instance", DEFAULTS.clusterLabel, DEFAULTS.namespaceLabel] as const;
const network = ["network", ...exporter] as const;
const job = exporter.filter((label) => label !== "instance");
/** Any shard: only one of them exposes values of the chain. */
const anyShard = network.filter((label) => label !== "instance");

/** Alerts on the shards of a job have no instance. */
const ON_SHARDS: readonly AlertName[] = ["StacksShardsDisagree", "StacksShardMissing"];

const everyOther = (...except: readonly AlertName[]) =>
  alerts.map(({ alert }) => alert).filter((name) => ![...except, ...ON_SHARDS].includes(name));

const inhibition = (
  source: AlertName,
  targets: readonly AlertName[],
  equal: readonly string[],
  why: string,
): Inhibition => ({ source, targets, equal, why });

/** Alerts on values that are not read. */
const UNREAD = ["StacksCollectorFailing", "StacksCollectorStale", "StacksAddressLimitUnwatched"] as const;

/** Every inhibition, the most far-reaching first. */
export const inhibitions: readonly Inhibition[] = [
  inhibition(
    "StacksExporterDown",
    everyOther("StacksExporterDown", "StacksExporterAbsent"),
    exporter,
    "No data is available; alerts that still fire are only kept firing.",
  ),
  inhibition("StacksExporterDown", ["StacksShardMissing"], job, "The exporter that is down is the missing shard."),
  inhibition("StacksShardsDisagree", ["StacksShardMissing"], job, "The number of shards is not known."),
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
  inhibition("StacksMempoolFrozen", ["StacksAddressTransactionStuck"], anyShard, "It would be based on outdated data."),
  inhibition(
    "StacksChainTipStale",
    [
      "StacksBurnTipStale",
      "StacksTenureShort",
      "StacksAddressSilent",
      "StacksAddressTransactionStuck",
      "StacksContractSilent",
    ],
    anyShard,
    "Without new blocks, nothing else changes.",
  ),
  inhibition(
    "StacksUpstreamRateLimited",
    ["StacksCollectorFailing", "StacksCollectorStale"],
    network,
    "The collectors wait because the server requested a pause.",
  ),
  inhibition("StacksNoUpstreamUp", UNREAD, network, "No upstream returns current values."),
  inhibition("StacksStateDamaged", UNREAD, exporter, "Collectors that count fail because of the damaged state file."),
  inhibition("StacksStateWriteFailing", UNREAD, exporter, "Polls fail because the state file cannot be written."),
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
