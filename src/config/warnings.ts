// Warnings about a valid configuration.
import { STX, type Watched } from "../collectors/collector.ts";
import type { Config, NetworkConfig } from "./config.ts";
import { isExposed } from "./loopback.ts";

/** Warnings about a configuration, one sentence each, without secrets. */
export function warningsOf({ networks }: Pick<Config, "networks">): string[] {
  return networks.flatMap((network) => [
    ...exposedKeys(network),
    ...limitsWithoutEffect(network),
    ...groupsWithoutEffect(network),
  ]);
}

function exposedKeys(network: NetworkConfig): string[] {
  const exposed = network.upstreams.filter(({ url, apiKey }) => apiKey !== undefined && isExposed(new URL(url)));
  return exposed.map((upstream) => {
    const where = network.upstreams.length === 1 ? network.name : `${network.name}, upstream ${upstream.name}`;
    return `network ${where}: the API key goes over plain http, where others can read it; use an https URL`;
  });
}

// A limit whose collector is off would look as if it were never exceeded.
function limitsWithoutEffect({ name: network, addresses, collectors }: NetworkConfig): string[] {
  const isLimited = ({ maxOutflow, silentAfterMs, needsPostConditions }: Watched) =>
    maxOutflow !== undefined || silentAfterMs !== undefined || needsPostConditions === true;
  const limited = addresses.filter(isLimited);
  const hasToken = limited.some(({ maxOutflow = {} }) => Object.keys(maxOutflow).some((asset) => asset !== STX));
  const collector = collectors.find(({ name }) => name === "addresses");
  const where = `network ${network}: the collector addresses`;
  if (limited.length > 0 && collector === undefined) {
    return [`${where} is off: max_outflow, silent_after and require_post_conditions have no effect`];
  }
  const { transfers } = (collector?.options ?? {}) as { readonly transfers?: boolean };
  return hasToken && transfers === false ? [`${where} reads no transfers: max_outflow of tokens has no effect`] : [];
}

function groupsWithoutEffect({ name: network, addresses, summedGroups }: NetworkConfig): string[] {
  const groups = new Set(addresses.map(({ group }) => group));
  const isLimited = ({ isSummed, minBalance, maxOutflow, silentAfterMs, needsPostConditions }: Watched) =>
    isSummed === true &&
    [minBalance, maxOutflow, silentAfterMs, needsPostConditions].some((limit) => limit !== undefined);
  const limited = addresses.filter(isLimited).map(({ name }) => name);
  return [
    ...summedGroups
      .filter((group) => !groups.has(group))
      .map((group) => `network ${network}: no address has the group ${group} of groups`),
    ...(limited.length === 0
      ? []
      : [
          `network ${network}: min_balance, max_outflow, silent_after and require_post_conditions have no effect on ` +
            `addresses of a group with export: group (${limited.slice(0, 3).join(", ")}${limited.length > 3 ? ", …" : ""})`,
        ]),
  ];
}
