// One exporter of several that share a configuration: the part of the watch lists that is its own.
import { hostname } from "node:os";
import type { Watched } from "../collectors/collector.ts";
import { type Shard, shardOf } from "../storage/shard.ts";
import type { ConfigurableCollector, NetworkConfig, UpstreamConfig } from "./config.ts";
import type { ErrorList } from "./errors.ts";
import { OF_HOSTNAME } from "./settings.ts";

/** The number at the end of a host name, such as that of a pod of a StatefulSet; undefined if there is none. */
export const ordinalOf = (name: string = hostname()): number | undefined => {
  const [, digits] = /-(\d{1,4})$/.exec(name.split(".")[0] ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * What a command needs of a configuration with shards: the part of this exporter; that of any one, on a machine that is
 * none of them the first; or the whole watch lists, within the budget of one shard.
 */
export type Part = "own" | "any" | "whole";

/**
 * The shard of a configuration; undefined if there is only one, or for the whole. Reports an index that is not known or
 * too high, and a budget with too few requests.
 */
export function readShard(
  { index: written, count }: { readonly index: number | typeof OF_HOSTNAME; readonly count: number },
  networks: readonly NetworkConfig[],
  errors: ErrorList,
  part: Part,
): Shard | undefined {
  const name = hostname();
  const first = part === "own" && count > 1 ? undefined : 0;
  const index = written === OF_HOSTNAME ? (ordinalOf(name) ?? first) : written;
  const path = ["shard", "index"];
  if (index === undefined) errors.add(path, `expected a host name that ends in - and a number, found ${name}`);
  else if (index >= count) errors.add(path, `expected less than count (${count}), found ${index}`);
  for (const network of networks) {
    for (const upstream of network.upstreams) {
      const { perMinute } = upstream.budget;
      if (perMinute >= count) continue;
      const found = `network ${network.name} has ${perMinute} requests a minute at ${upstream.name}`;
      errors.add(["shard", "count"], `expected at most one shard for each request a minute, found ${count}: ${found}`);
    }
  }
  return index === undefined || count === 1 || part === "whole" ? undefined : { index, count };
}

/**
 * The part of a network that one shard polls: its own principals, within its part of the budget. Shards other than the
 * first poll of the whole chain only what counting needs, and expose nothing of it.
 */
export function partOf(
  network: NetworkConfig,
  { index, count }: Shard,
  collectors: readonly ConfigurableCollector[],
): NetworkConfig {
  const isOwn = ({ principal }: Watched) => shardOf(principal, count) === index;
  const ofPrincipals = network.collectors.flatMap((settings) => {
    const { targets, isShared = false } = collectors.find(({ name }) => name === settings.name) ?? {};
    return targets !== undefined || isShared ? [{ ...settings, isHidden: targets === undefined }] : [];
  });
  return {
    ...withBudgetOfShard(network, count),
    addresses: network.addresses.filter(isOwn),
    contracts: network.contracts.filter(isOwn),
    collectors: index === 0 ? network.collectors : ofPrincipals,
  };
}

/** A network within the budget of one of several shards. */
export function withBudgetOfShard(network: NetworkConfig, count: number): NetworkConfig {
  const part = (requests: number) => Math.max(1, Math.floor(requests / count));
  const [first, ...others] = network.upstreams.map((upstream): UpstreamConfig => {
    const { perMinute, perMonth } = upstream.budget;
    return { ...upstream, budget: { perMinute: part(perMinute), perMonth: perMonth && part(perMonth) } };
  });
  return { ...network, upstreams: [first as UpstreamConfig, ...others] };
}
