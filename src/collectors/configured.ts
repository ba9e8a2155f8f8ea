// What the configuration says of watched principals and assets: on the page from the start, and as long as they are
// watched, whichever collectors are enabled. Pure.
import { type Family, gauge, type Sample } from "../exposition/family.ts";
import { STX, type Watched, type WatchedNetwork } from "./collector.ts";
import { ofAddress, ofContract } from "./subjects.ts";

const source = "the configuration";
const asset = "identifier of the asset";

const families = {
  addressInfo: ofAddress.gauge({
    name: "stacks_address_info",
    help: "Always 1. Group and additional labels of a watched address, to join with its other series.",
    source,
    isOpen: true,
    labels: {
      group: "group of the address in the configuration",
      kind: { about: "kind of principal", values: ["account", "contract"] },
    },
  }),
  addressSilentAfter: ofAddress.gauge({
    name: "stacks_address_silent_after_seconds",
    help: "Time without a sent transaction after which the address counts as silent (silent_after). Absent if not set.",
    source,
  }),
  minBalance: ofAddress.gauge({
    name: "stacks_address_min_balance_microstx",
    help: "Minimum of the available STX in the configuration (min_balance). In microSTX. Absent if not set.",
    source,
  }),
  minTokenBalance: ofAddress.gauge({
    name: "stacks_address_ft_min_balance_units",
    help: "Minimum balance of a fungible token in the configuration (min_balance), in base units. Absent if not set.",
    source,
    labels: { asset },
  }),
  maxOutflow: ofAddress.gauge({
    name: "stacks_address_max_outflow_microstx",
    help: "Limit of the STX sent within an hour in the configuration (max_outflow). In microSTX. Absent if not set.",
    source,
  }),
  maxTokenOutflow: ofAddress.gauge({
    name: "stacks_address_ft_max_outflow_units",
    help: "Limit of a token sent within an hour in the configuration (max_outflow), in base units. Absent if not set.",
    source,
    labels: { asset },
  }),
  contractInfo: ofContract.gauge({
    name: "stacks_contract_info",
    help: "Always 1. Group and additional labels of a watched contract, to join with its other series.",
    source,
    isOpen: true,
    labels: { group: "group of the contract in the configuration" },
  }),
  contractSilentAfter: ofContract.gauge({
    name: "stacks_contract_silent_after_seconds",
    help: "Time without calls and events after which the contract counts as silent (silent_after). Absent if not set.",
    source,
  }),
  // One sample per asset and network, which belongs to no address.
  assetDecimals: gauge({
    name: "stacks_asset_decimals",
    help: "Decimal places of an asset in the configuration: amounts in base units divided by 10 to this power are tokens.",
    source,
    labels: { network: "name of the network", asset },
  }),
};

/** Every family, in the order of the metrics page. */
export const configuredFamilies: readonly Family[] = Object.values(families);

/** The samples of a network. Members of a group that is exported as sums have none of their own. */
export function* configuredSamples({ name: network, addresses, contracts, assets }: WatchedNetwork): Iterable<Sample> {
  for (const watched of addresses) if (watched.isSummed !== true) yield* ofOneAddress(network, watched);
  for (const watched of contracts) yield* ofOneContract(network, watched);
  // Only addresses have amounts of tokens.
  for (const { id, decimals } of addresses.length > 0 ? assets : [])
    if (decimals !== undefined) yield families.assetDecimals.at({ network, asset: id }, decimals);
}

function* ofOneAddress(network: string, watched: Watched): Iterable<Sample> {
  const { name, principal, group, minBalance, maxOutflow, silentAfterMs } = watched;
  const labels = { network, name, address: principal };
  const kind = principal.includes(".") ? "contract" : "account";
  yield families.addressInfo.at({ ...watched.labels, ...labels, group, kind }, 1);
  if (silentAfterMs !== undefined) yield families.addressSilentAfter.at(labels, silentAfterMs / 1000);
  for (const [limits = {}, ofStx, ofToken] of [
    [minBalance, families.minBalance, families.minTokenBalance],
    [maxOutflow, families.maxOutflow, families.maxTokenOutflow],
  ] as const)
    for (const [asset, limit] of Object.entries(limits))
      yield asset === STX ? ofStx.at(labels, limit) : ofToken.at({ ...labels, asset }, limit);
}

function* ofOneContract(network: string, watched: Watched): Iterable<Sample> {
  const { name, principal, group, silentAfterMs } = watched;
  const labels = { network, name, contract_id: principal };
  yield families.contractInfo.at({ ...watched.labels, ...labels, group }, 1);
  if (silentAfterMs !== undefined) yield families.contractSilentAfter.at(labels, silentAfterMs / 1000);
}
