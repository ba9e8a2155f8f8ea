// Shards: exporters that share a configuration. Each polls a part of the watch lists.
import { hostname } from "node:os";
import type { Watched } from "../collectors/collector.ts";
import { type Shard, shardOf } from "../store/shard.ts";
import type { ConfigurableCollector } from "./collector-settings.ts";
import type { NetworkConfig, UpstreamConfig } from "./config.ts";
import { type Issue, issueAt } from "./errors.ts";
import { OF_HOSTNAME } from "./settings.ts";

/** The number at the end of a host name, such as that of a pod of a StatefulSet; undefined if there is none. */
export const ordinalOf = (name: string = hostname()): number | undefined => {
  const [, digits] = /-(\d{1,4})$/.exec(name.split(".")[0] ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * The part of a configuration with shards that a command needs. `own`: the part of this exporter. `any`: the same, or
 * the first part on a machine that is not a shard. `whole`: the whole watch lists, within the budget of one shard.
 */
export type Part = "own" | "any" | "whole";

/**
 * The shard of a configuration; undefined if there is only one, or for the whole. Reports an index that is unknown or
 * too high, and a budget with fewer requests than shards.
 */
export function readShard(
  { index: written, count }: { readonly index: number | typeof OF_HOSTNAME; readonly count: number },
  networks: readonly NetworkConfig[],
  issues: Issue[],
  part: Part,
): Shard | undefined {
  const first = part === "own" && count > 1 ? undefined : 0;
  const index = written === OF_HOSTNAME ? (ordinalOf() ?? first) : written;
  const found = index ?? `the host name ${hostname()}, which does not end in - and a number`;
  if (index === undefined || index >= count)
    issues.push(issueAt(["shard", "index"], `expected less than count (${count}), found ${found}`));
  const least = Math.min(...networks.flatMap(({ upstreams }) => upstreams.map(({ budget }) => budget.perMinute)));
  if (least < count)
    issues.push(issueAt(["shard", "count"], `expected at most one shard for each request a minute (${least})`));
  return index === undefined || count === 1 || part === "whole" ? undefined : { index, count };
}

/**
 * The part of a network that one shard polls: its principals, within its part of the budget. Of the collectors of the
 * whole chain, shards other than the first poll only those that counting needs, without exposing them.
 * @param shard undefined: all principals, within the budget of one of `count` shards
 */
export function partOf(
  network: NetworkConfig,
  shard: Shard | undefined,
  count: number,
  collectors: readonly ConfigurableCollector[],
): NetworkConfig {
  const part = (requests: number) => Math.max(1, Math.floor(requests / count));
  const [first, ...others] = network.upstreams.map((upstream): UpstreamConfig => {
    const { perMinute, perMonth } = upstream.budget;
    return { ...upstream, budget: { perMinute: part(perMinute), perMonth: perMonth && part(perMonth) } };
  });
  const whole = { ...network, upstreams: [first as UpstreamConfig, ...others] as const };
  if (shard === undefined) return whole;
  const isOwn = ({ principal }: Watched) => shardOf(principal, count) === shard.index;
  const ofPrincipals = network.collectors.flatMap((settings) => {
    const { targets, isShared = false } = collectors.find(({ name }) => name === settings.name) ?? {};
    return targets !== undefined || isShared ? [{ ...settings, isHidden: targets === undefined }] : [];
  });
  return {
    ...whole,
    addresses: network.addresses.filter(isOwn),
    contracts: network.contracts.filter(isOwn),
    collectors: shard.index === 0 ? network.collectors : ofPrincipals,
  };
}
