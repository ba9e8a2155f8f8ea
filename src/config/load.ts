// From the text of a file to a checked configuration, or to all of its errors.
import { dirname, resolve } from "node:path";
import type { Watched } from "../collectors/collector.ts";
import { readAssets } from "./assets.ts";
import { schedulesOf } from "./budget.ts";
import type { Config, ConfigurableCollector, NetworkConfig } from "./config.ts";
import { type Document, NO_DOCUMENT, readDocument } from "./document.ts";
import { type ConfigError, ErrorList } from "./errors.ts";
import { EventRules, type Families } from "./event-rules.ts";
import type { ReadFile } from "./files.ts";
import { checkMetricNames } from "./metric-selection.ts";
import { type Environment, type Flags, flagsByPath, normalize, withFlags } from "./normalize.ts";
import { entriesOf, isMapping, type Path, valueAt } from "./paths.ts";
import { CHAINS } from "./principal.ts";
import { allSettings, DEFAULT_NETWORKS, IN_MEMORY, treeFor } from "./settings.ts";
import { type Part, partOf, readShard, withBudgetOfShard } from "./shard.ts";
import { ONLY_UPSTREAM } from "./upstream-settings.ts";
import { readWatchList } from "./watch-list.ts";

/** The input of a configuration. */
export interface LoadOptions {
  /** Content of the file; undefined when there is none and the defaults are wanted. */
  readonly text: string | Uint8Array | undefined;
  /** Name of the file, for messages and as the folder of the files that it names. */
  readonly file: string | undefined;
  /** Replaces `${NAME}`. */
  readonly env: Environment;
  readonly readFile: ReadFile;
  readonly collectors: readonly ConfigurableCollector[];
  /** Names of the metrics that no collector and no event rule has. @default none */
  readonly otherMetrics?: () => readonly string[];
  /** Settings of the command line. @default none */
  readonly flags?: Flags;
  /** @default "own" */
  readonly part?: Part;
}

/** A configuration, or all of its errors. */
export type Loaded =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };

/**
 * A function that loads a configuration each time it is called. It parses the text once, and reads the files that the
 * text names each time. It rejects only for bugs: errors in the configuration are a result.
 */
export function configLoader(options: LoadOptions): () => Promise<Loaded> {
  const { text, file } = options;
  const families: Families = new Map();
  let document: ReturnType<typeof readDocument> | undefined;
  return async () => {
    document ??= text === undefined ? Promise.resolve(NO_DOCUMENT) : readDocument(file, text);
    return load(await document, families, options);
  };
}

async function load(document: Document, families: Families, options: LoadOptions): Promise<Loaded> {
  const { file, env, readFile, collectors, otherMetrics = () => [], flags = {}, part = "own" } = options;
  const tree = treeFor(collectors);
  const errors = new ErrorList(tree);
  const written = withFlags(normalize(document.value ?? {}, tree, [], { env, errors }), flags);
  const raw = entriesOf(valueAt(written, ["networks"]) ?? DEFAULT_NETWORKS);
  const files = { folder: file === undefined ? "." : dirname(file), readFile };
  const presets = raw.map(schedulesOf);
  const schema = allSettings(collectors, { env, files }, [...new Set(presets)]);
  const settings = await schema.safeParseAsync(withoutEntries(written));
  for (const issue of settings.error?.issues ?? []) errors.addIssue(issue, written);
  const eventRules = new EventRules(errors, families);
  const rules = await eventRules.read(written);
  const inFiles: ConfigError[] = [];
  const networks: NetworkConfig[] = [];
  for (const [index, network] of raw.entries()) {
    const at = ["networks", index];
    checkForm(network, at, errors);
    const chain = CHAINS.find((name) => name === valueAt(network, ["chain"])) ?? "mainnet";
    const assets = readAssets(network, at, chain, errors);
    const context = { chain, files, errors, assets, rules, root: written, tree };
    const addresses = await readWatchList("addresses", network, at, context);
    const contracts = await readWatchList("contracts", network, at, context);
    inFiles.push(...addresses.errors, ...contracts.errors);
    const checked = settings.data?.networks[index];
    if (checked === undefined) continue;
    const isSummed = ({ group }: Watched) => checked.summedGroups.includes(group);
    networks.push({
      ...checked,
      assets,
      addresses: addresses.watched.map((entry) => (isSummed(entry) ? { ...entry, isSummed: true } : entry)),
      contracts: contracts.watched,
      watchFiles: [...new Set([...addresses.files, ...contracts.files])],
      collectors: Object.values(settings.data?.collectors ?? {}).flatMap(
        (configOf) => configOf(presets[index] ?? "keyless") ?? [],
      ),
    });
  }
  checkMetricNames(written, errors, () => [
    ...collectors.flatMap(({ families = [] }) => families.map(({ name }) => name)),
    ...eventRules.metrics,
    ...otherMetrics(),
  ]);
  const shard = settings.data && readShard(settings.data.shard, networks, errors, part);
  const all = [
    ...errors.inOrder({ file, locate: document.locate, flags: flagsByPath(flags) }),
    ...document.errors,
    ...inFiles,
  ];
  if (settings.data === undefined || all.length > 0) return { ok: false, errors: all };
  const { listen, web, log, state, metrics, max_series, shard: shards } = settings.data;
  return {
    ok: true,
    config: {
      listen,
      web: {
        configFile: web.config_file === undefined ? undefined : resolve(files.folder, web.config_file),
        probes: web.probe_address === undefined ? [] : [web.probe_address],
        allowedHosts: web.allowed_hosts,
      },
      log,
      statePath: state.path === IN_MEMORY ? undefined : resolve(state.path),
      metrics,
      maxSeries: max_series,
      shard,
      networks: withSameLabels(withSameLabels(networks, "addresses"), "contracts").map((network) =>
        shard === undefined ? withBudgetOfShard(network, shards.count) : partOf(network, shard, collectors),
      ),
    },
  };
}

// The entries of watch lists can be many. They are checked in slices, together with those of their files.
function withoutEntries(root: unknown): unknown {
  if (!isMapping(root) || !Array.isArray(root.networks)) return root;
  const emptied = (list: unknown) => (Array.isArray(list) ? [] : list);
  const networks = root.networks.map((network: unknown) =>
    isMapping(network)
      ? { ...network, addresses: emptied(network.addresses), contracts: emptied(network.contracts) }
      : network,
  );
  return { ...root, networks };
}

// A network has the settings of one upstream, or a list of them. Defaults would look as if they were set.
function checkForm(network: unknown, at: Path, errors: ErrorList): void {
  if (entriesOf(valueAt(network, ["upstreams"])).length === 0) return;
  for (const key of ONLY_UPSTREAM) {
    if (valueAt(network, [key]) === undefined) continue;
    errors.add([...at, key], `expected ${key} under each of the upstreams, found it next to upstreams`, "key");
  }
}

// A family has one set of label names, so every entry of a list has the same. Labels that are not set are empty.
function withSameLabels(networks: readonly NetworkConfig[], list: "addresses" | "contracts"): readonly NetworkConfig[] {
  const names = new Set(networks.flatMap((network) => network[list].flatMap(({ labels }) => Object.keys(labels))));
  const empty = Object.fromEntries([...names].sort().map((name) => [name, ""]));
  return networks.map((network) => ({
    ...network,
    [list]: network[list].map((entry) => ({ ...entry, labels: { ...empty, ...entry.labels } })),
  }));
}
