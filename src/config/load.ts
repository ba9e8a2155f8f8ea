// From the text of a file to a checked configuration, or to all of its errors.
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { readAssets } from "./assets.ts";
import { isScheduled, withDefaultSchedules } from "./budget.ts";
import type { Config, ConfigurableCollector, NetworkConfig } from "./config.ts";
import { NO_DOCUMENT, readDocument } from "./document.ts";
import { type ConfigError, ErrorList } from "./errors.ts";
import { readEventRules } from "./event-rules.ts";
import type { ReadFile } from "./files.ts";
import { checkMetricNames } from "./metric-selection.ts";
import {
  type Environment,
  entriesOf,
  type Flags,
  flagsByPath,
  isMapping,
  normalize,
  valueAt,
  withFlags,
  withMergedCollectors,
  writtenPath,
} from "./normalize.ts";
import { CHAINS } from "./principal.ts";
import { settingsFor } from "./schema.ts";
import { DEFAULT_NETWORKS, IN_MEMORY } from "./settings.ts";
import { type Part, partOf, readShard, withBudgetOfShard } from "./shard.ts";
import { readUpstreams, upstreamsOf } from "./upstreams.ts";
import { readWatchList, type WatchList } from "./watch-list.ts";

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
  let parsed: ReturnType<typeof parse> | undefined;
  return async () => {
    parsed ??= parse(options);
    return readFiles(await parsed, options);
  };
}

async function parse({ text, file, env, collectors, otherMetrics = () => [], flags = {} }: LoadOptions) {
  const document = text === undefined ? NO_DOCUMENT : await readDocument(file, text);
  const { schema, tree } = settingsFor(collectors);
  const errors = new ErrorList({ file, locate: document.locate, tree, flags: flagsByPath(flags) });
  const written = withFlags(normalize(document.value ?? {}, tree, [], { env, errors }), flags);
  const merged = withMergedCollectors(written, DEFAULT_NETWORKS);
  const result = schema.safeParse(withoutEntries(withDefaultSchedules(merged, collectors)));
  for (const issue of result.error?.issues ?? []) reportIssue(issue, merged, written, errors);
  // Before they are checked: also a network with errors names files.
  const networks = entriesOf(valueAt(merged, ["networks"]));
  const rules = await readEventRules(networks, errors);
  checkMetricNames(merged, errors, () => [
    ...collectors.flatMap(({ families = [] }) => families.map(({ name }) => name)),
    ...[...rules.values()].flatMap((ofEntry) => ofEntry.map(({ family }) => family.name)),
    ...otherMetrics(),
  ]);
  return { settings: result.data, networks, rules, errors, syntaxErrors: document.errors };
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

function reportIssue(issue: z.core.$ZodIssue, merged: unknown, written: unknown, errors: ErrorList): void {
  const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  const value = valueAt(merged, path);
  const place = writtenPath(path, written);
  // Messages of this project contain the expected value, and may quote a part of the found value.
  const expected = issue.code === "custom" && !errors.isExpanded(place) ? issue.message : errors.expectationAt(path);
  const causes = issue.code === "custom" ? entriesOf(issue.params?.causes).map(String) : [];
  errors.addUnexpected(writtenPath(path, written, causes), value, expected, errors.describe(place, value));
}

const NO_LIST: WatchList = { watched: [], files: [], errors: [] };

async function readFiles(
  parsed: Awaited<ReturnType<typeof parse>>,
  { file, env, readFile, collectors, part = "own" }: LoadOptions,
): Promise<Loaded> {
  const { settings } = parsed;
  const errors = parsed.errors.copy();
  const files = { folder: file === undefined ? "." : dirname(file), readFile };
  const inFiles: ConfigError[] = [];
  const networks: NetworkConfig[] = [];
  for (const [index, network] of parsed.networks.entries()) {
    const at = ["networks", index];
    const chain = CHAINS.find((name) => name === valueAt(network, ["chain"])) ?? "mainnet";
    const assets = readAssets(network, at, chain, errors);
    const context = { env, chain, files, errors, assets, rules: parsed.rules };
    const parts = await readUpstreams(network, at, context);
    const isSet = (key: string) => valueAt(network, [key]) !== undefined;
    const read = async (list: "addresses" | "contracts", names: string) =>
      isSet(list) || isSet(names) ? readWatchList(list, network, at, context) : NO_LIST;
    const addresses = await read("addresses", "address_files");
    const contracts = await read("contracts", "contract_files");
    inFiles.push(...addresses.errors, ...contracts.errors);
    const checked = settings?.networks[index];
    if (checked === undefined) continue;
    const [first, ...others] = upstreamsOf(checked, parts, files.folder);
    if (first === undefined) continue;
    const summedGroups = checked.groups.flatMap(({ name, export: how }) => (how === "group" ? [name] : []));
    networks.push({
      name: checked.name,
      upstreams: [first, ...others],
      failover: checked.failover,
      onNewChain: checked.on_new_chain,
      maxBodyBytes: checked.max_body,
      longestPauseMs: checked.longest_pause,
      confirmations: checked.confirmations,
      summedGroups,
      addresses: addresses.watched.map((one) => (summedGroups.includes(one.group) ? { ...one, isSummed: true } : one)),
      contracts: contracts.watched,
      assets,
      watchFiles: [...new Set([...addresses.files, ...contracts.files])],
      collectors: Object.values(checked.collectors).flatMap(({ enabled, ...config }) =>
        enabled ? [{ ...config, isDefault: !isScheduled(network, config.name) }] : [],
      ),
    });
  }
  const shard = settings?.shard && readShard(settings.shard, networks, errors, part);
  const everything = withSameLabels(withSameLabels(networks, "addresses"), "contracts");
  const all = [...errors.inOrder, ...parsed.syntaxErrors, ...inFiles];
  if (settings === undefined || all.length > 0) return { ok: false, errors: all };
  const { listen, web, log, state, metrics, max_series } = settings;
  const statePath = state.path === IN_MEMORY ? undefined : resolve(state.path);
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
      statePath,
      metrics,
      maxSeries: max_series,
      shard,
      networks: everything.map((network) =>
        shard === undefined
          ? withBudgetOfShard(network, settings.shard?.count ?? 1)
          : partOf(network, shard, collectors),
      ),
    },
  };
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
