// From the text of a file to a checked configuration, or to all of its errors.
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import type { Watched } from "../collectors/collector.ts";
import { type Shard, shardOf } from "../store/shard.ts";
import { type ConfigError, errorsOf, type Issue, issueAt } from "./errors.ts";
import type { Declared, Families } from "./event-rules.ts";
import type { Document, ReadFile } from "./files.ts";
import { CHAINS } from "./principal.ts";
import { entriesOf, valueAt } from "./schema.ts";
import {
  allSettings,
  type Config,
  type ConfigurableCollector,
  collectorConfig,
  DEFAULT_NETWORKS,
  IN_MEMORY,
  type NetworkConfig,
  OF_HOSTNAME,
  schedulesFor,
  treeFor,
  type UpstreamConfig,
} from "./settings.ts";
import type { Sources } from "./upstream-settings.ts";
import { assets } from "./watch-entries.ts";
import { readWatchList } from "./watch-list.ts";

/**
 * The part of a configuration with shards that a command needs. `own`: the part of this exporter. `any`: the same, or
 * the first part on a machine that is not a shard. `whole`: the whole watch lists, within the budget of one shard.
 */
export type Part = "own" | "any" | "whole";

/** The input of a configuration. */
export interface LoadOptions {
  /** The file. Its folder is that of the files that it names. */
  readonly document: Document;
  /** Has the keys that settings name. */
  readonly env: Sources["env"];
  readonly readFile: ReadFile;
  readonly collectors: readonly ConfigurableCollector[];
  /** The families of event rules, which a reload keeps. @default none yet */
  readonly families?: Families;
  /** @default "own" */
  readonly part?: Part;
}

/** A configuration, or all of its errors. */
export type Loaded =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };

/**
 * Loads a configuration, and the files that it names. It rejects only for bugs: errors in the configuration are a
 * result.
 */
export async function load(options: LoadOptions): Promise<Loaded> {
  const { document, env, readFile, collectors, families = new Map(), part = "own" } = options;
  const { file } = document;
  const tree = treeFor(collectors);
  const issues: Issue[] = [];
  const root = document.value ?? {};
  const raw = entriesOf(valueAt(root, ["networks"]) ?? DEFAULT_NETWORKS);
  const files = { folder: file === undefined ? "." : dirname(file), readFile };
  const schema = allSettings(collectors, { env, files });
  const { data: settings, error } = await schema.safeParseAsync(root);
  issues.push(...(error?.issues ?? []));
  const rules: Declared = { families, first: new Map() };
  const inFiles: ConfigError[] = [];
  const networks: NetworkConfig[] = [];
  for (const [index, network] of raw.entries()) {
    const at = ["networks", index];
    const chain = CHAINS.find((name) => name === valueAt(network, ["chain"])) ?? "mainnet";
    const named = assets(chain).safeParse(valueAt(network, ["assets"]));
    for (const issue of named.error?.issues ?? []) issues.push({ ...issue, path: [...at, "assets", ...issue.path] });
    const context = { known: { chain, assets: named.data }, files, issues, rules, tree };
    const addresses = await readWatchList("addresses", network, at, context);
    const contracts = await readWatchList("contracts", network, at, context);
    inFiles.push(...addresses.errors, ...contracts.errors);
    const checked = settings?.networks[index];
    if (settings === undefined || checked === undefined) continue;
    const preset = schedulesFor(checked.upstreams[0].budget.perMonth);
    const isCounting = ({ name, counts, isFollower }: ConfigurableCollector) =>
      counts !== undefined && !isFollower && settings.collectors[name]?.enabled;
    const isSummed = ({ group }: Watched) => checked.summedGroups.includes(group);
    networks.push({
      ...checked,
      assets: named.data ?? [],
      addresses: addresses.watched.map((entry) => (isSummed(entry) ? { ...entry, isSummed: true } : entry)),
      contracts: contracts.watched,
      watchFiles: [...new Set([...addresses.files, ...contracts.files])],
      collectors: collectors.flatMap((collector) => {
        const own = settings.collectors[collector.name];
        if (own?.enabled) return [collectorConfig(collector, own, preset)];
        const isNeeded = own && collector.isFollower && collectors.some(isCounting);
        return isNeeded ? [{ ...collectorConfig(collector, own, preset), isHidden: true }] : [];
      }),
    });
  }
  const shard = settings && readShard(settings.shard, networks, issues, part);
  const errors = [...errorsOf(issues, { ...document, tree, root }), ...document.errors, ...inFiles];
  if (settings === undefined || errors.length > 0) return { ok: false, errors };
  const { state, max_series, web, shard: shards } = settings;
  return {
    ok: true,
    config: {
      statePath: state.path === IN_MEMORY ? undefined : resolve(state.path),
      maxSeries: max_series,
      externalUrl: web.external_url,
      shard,
      networks: networks.map((network) => partOf(network, shard, shards.count, collectors)),
    },
  };
}

/** The number at the end of a host name, such as that of a pod of a StatefulSet; undefined if there is none. */
export const ordinalOf = (name: string = hostname()): number | undefined => {
  const [, digits] = /-(\d{1,4})$/.exec(name.split(".")[0] ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** The shard; undefined if there is only one, or for the whole. Reports a wrong index, and too small a budget. */
function readShard(
  { index: written, count }: { readonly index: number | typeof OF_HOSTNAME; readonly count: number },
  networks: readonly NetworkConfig[],
  issues: Issue[],
  part: Part,
): Shard | undefined {
  const ordinal = ordinalOf();
  const own = ordinal ?? (count > 1 ? undefined : 0);
  // A command can run on a machine that is no shard, such as runner-12.
  const nearest = ordinal !== undefined && ordinal < count ? ordinal : 0;
  const ofHost = part === "own" ? own : nearest;
  const index = written === OF_HOSTNAME ? ofHost : written;
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
function partOf(
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
    summed: network.addresses.filter(({ isSummed }) => isSummed),
    contracts: network.contracts.filter(isOwn),
    collectors: shard.index === 0 ? network.collectors : ofPrincipals,
  };
}
