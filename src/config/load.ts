// From the text of a file to a checked configuration, or to all that is wrong with it.
import { resolve } from "node:path";
import { readAssets } from "./assets.ts";
import { check, checkKeys, valueAt } from "./check.ts";
import { configureCollector } from "./collectors.ts";
import type { Config, ConfigurableCollector, NetworkConfig } from "./config.ts";
import { type Environment, expand } from "./environment.ts";
import type { ReadFile } from "./files.ts";
import { Findings } from "./findings.ts";
import { checkFlags, type Flags } from "./flags.ts";
import { inOrder, type Mistake } from "./mistakes.ts";
import { settingsTree } from "./schema.ts";
import { allSettings, IN_MEMORY, networkSettings } from "./settings.ts";
import { NO_SOURCE, readSource, type Source } from "./source.ts";
import { readUpstreams } from "./upstreams.ts";
import { readWatchLists, withSameLabels } from "./watch-list.ts";

/** Everything a configuration is made from. */
export interface LoadOptions {
  /** Content of the file; undefined when there is none and the defaults are wanted. */
  readonly text: string | Uint8Array | undefined;
  /** Name of the file, for messages and as the folder of the files that it names. */
  readonly file: string | undefined;
  /** What `${NAME}` is replaced from. */
  readonly env: Environment;
  readonly readFile: ReadFile;
  readonly collectors: readonly ConfigurableCollector[];
  /** Settings of the command line. @default none */
  readonly flags?: Flags;
}

/** A configuration, or every mistake in it. */
export type Loaded =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/**
 * A function that checks a configuration each time it is called. It parses the text once, and reads the files that the
 * text names anew. Rejects only for bugs: mistakes are the result.
 */
export function configLoader(options: LoadOptions): () => Promise<Loaded> {
  const { text, file } = options;
  let source: Promise<Source> | undefined;
  return async () => {
    source ??= text === undefined ? Promise.resolve(NO_SOURCE) : readSource(file, text);
    return loadSource(await source, options);
  };
}

/** Reads, expands and checks a configuration once. */
export const loadConfig = (options: LoadOptions): Promise<Loaded> => configLoader(options)();

async function loadSource(source: Source, options: LoadOptions): Promise<Loaded> {
  const { file, env, readFile, collectors } = options;
  const flags = checkFlags(options.flags ?? {}, collectors);
  if (source.mistakes.length > 0) return { ok: false, mistakes: [...flags.mistakes, ...inOrder(source.mistakes)] };

  const expansion = expand(source.value ?? {}, env);
  const findings = new Findings(source, expansion, () => settingsTree(collectors));
  const root = expansion.value;
  if (source.value !== undefined) checkKeys(root, findings.tree, [], findings);
  const checked = check(allSettings(collectors), root, [], findings);
  const { networks, listed } = await configureNetworks(root, { file, readFile, collectors, findings });

  const mistakes = [...flags.mistakes, ...inOrder(findings.mistakes), ...listed];
  if (checked === undefined || mistakes.length > 0) return { ok: false, mistakes };
  return {
    ok: true,
    config: {
      listen: flags.listen ?? checked.listen,
      log: { level: flags.level ?? checked.log.level, format: flags.format ?? checked.log.format },
      statePath: checked.state.path === IN_MEMORY ? undefined : resolve(checked.state.path),
      maxSeries: checked.max_series,
      networks,
    },
  };
}

interface NetworkParts {
  readonly file: string | undefined;
  readonly readFile: ReadFile;
  readonly collectors: readonly ConfigurableCollector[];
  readonly findings: Findings;
}

// Looks at every network, also at those in which something else is wrong, so that all mistakes are told at once.
async function configureNetworks(
  root: unknown,
  parts: NetworkParts,
): Promise<{ readonly networks: readonly NetworkConfig[]; readonly listed: readonly Mistake[] }> {
  const { collectors, findings } = parts;
  const written = valueAt(root, ["networks"]) ?? allSettings(collectors).shape.networks.def.defaultValue;
  const configs: NetworkConfig[] = [];
  const listed: Mistake[] = [];
  const names = new Set<unknown>();
  for (const [index, network] of (Array.isArray(written) ? written : []).entries()) {
    const path = ["networks", index];
    const name = valueAt(network, ["name"]);
    if (names.has(name)) findings.add([...path, "name"], "expected a name that no other network has");
    if (name !== undefined) names.add(name);

    const upstreams = await readUpstreams(network, path, parts);
    const enabled = collectors.flatMap((collector) => configureCollector(collector, root, index, findings) ?? []);
    const watched = await readWatchLists(network, path, parts);
    listed.push(...watched.mistakes);
    const assets = readAssets(network, path, findings);
    const parsed = networkSettings(collectors).safeParse(network);
    const [first, ...others] = upstreams;
    if (!parsed.success || first === undefined) continue;
    const { failover, on_new_chain, max_body, longest_pause, confirmations } = parsed.data;
    configs.push({
      name: parsed.data.name,
      upstreams: [first, ...others],
      failover: {
        failures: failover.failures,
        lagBlocks: failover.lag_blocks,
        lagForMs: failover.lag_for,
        returnAfterMs: failover.return_after,
        probeEveryMs: failover.probe_every,
      },
      onNewChain: on_new_chain,
      maxBodyBytes: max_body,
      longestPauseMs: longest_pause,
      confirmations,
      addresses: watched.addresses,
      contracts: watched.contracts,
      assets,
      watchFiles: watched.files,
      collectors: enabled,
    });
  }
  return { networks: withSameLabels(configs), listed };
}
