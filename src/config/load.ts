// From the text of a file to a checked configuration, or to all of its errors.
import { dirname, resolve } from "node:path";
import type { Watched } from "../collectors/collector.ts";
import { type ConfigurableCollector, collectorConfig, schedulesFor } from "./collector-settings.ts";
import type { Config, NetworkConfig } from "./config.ts";
import type { Document } from "./document.ts";
import { type ConfigError, errorsOf, type Issue } from "./errors.ts";
import { EventRules, type Families } from "./event-rules.ts";
import type { ReadFile } from "./files.ts";
import { CHAINS } from "./principal.ts";
import { entriesOf, valueAt } from "./schema.ts";
import { allSettings, DEFAULT_NETWORKS, IN_MEMORY, treeFor } from "./settings.ts";
import { type Part, partOf, readShard } from "./shard.ts";
import type { Environment } from "./upstream-settings.ts";
import { assets } from "./watch-entries.ts";
import { readWatchList } from "./watch-list.ts";

/** The input of a configuration. */
export interface LoadOptions {
  /** The file. Its folder is that of the files that it names. */
  readonly document: Document;
  /** Has the keys that settings name. */
  readonly env: Environment;
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
  const rules = new EventRules(families);
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
    const isSummed = ({ group }: Watched) => checked.summedGroups.includes(group);
    networks.push({
      ...checked,
      assets: named.data ?? [],
      addresses: addresses.watched.map((entry) => (isSummed(entry) ? { ...entry, isSummed: true } : entry)),
      contracts: contracts.watched,
      watchFiles: [...new Set([...addresses.files, ...contracts.files])],
      collectors: collectors.flatMap((collector) => {
        const own = settings.collectors[collector.name];
        return own?.enabled ? [collectorConfig(collector, own, preset)] : [];
      }),
    });
  }
  const shard = settings && readShard(settings.shard, networks, issues, part);
  const errors = [...errorsOf(issues, { ...document, tree, root }), ...document.errors, ...inFiles];
  if (settings === undefined || errors.length > 0) return { ok: false, errors };
  const { state, max_series, shard: shards } = settings;
  return {
    ok: true,
    config: {
      statePath: state.path === IN_MEMORY ? undefined : resolve(state.path),
      maxSeries: max_series,
      shard,
      networks: networks.map((network) => partOf(network, shard, shards.count, collectors)),
    },
  };
}
