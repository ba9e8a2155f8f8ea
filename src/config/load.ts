// From the text of a file to a checked configuration, or to all that is wrong with it.
import { resolve } from "node:path";
import { check, checkKeys, valueAt } from "./check.ts";
import { configureCollector } from "./collectors.ts";
import type { Config, ConfigurableCollector, NetworkConfig } from "./config.ts";
import { type Environment, expand } from "./environment.ts";
import { Findings } from "./findings.ts";
import { checkFlags, type Flags } from "./flags.ts";
import { type ReadFile, readKey } from "./keys.ts";
import { inOrder, type Mistake } from "./mistakes.ts";
import { settingsTree } from "./schema.ts";
import { allSettings, IN_MEMORY, networkSettings } from "./settings.ts";
import { NO_SOURCE, readSource } from "./source.ts";
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

/** Reads, expands and checks a configuration. Rejects only for bugs: mistakes are the result. */
export async function loadConfig(options: LoadOptions): Promise<Loaded> {
  const { text, file, env, readFile, collectors } = options;
  const flags = checkFlags(options.flags ?? {}, collectors);
  const source = text === undefined ? NO_SOURCE : await readSource(file, text);
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

    const apiKey = await readKey(network, path, parts);
    const enabled = collectors.flatMap((collector) => configureCollector(collector, root, index, findings) ?? []);
    const watched = await readWatchLists(network, path, parts);
    listed.push(...watched.mistakes);
    const parsed = networkSettings(collectors).safeParse(network);
    if (!parsed.success) continue;
    const { url, api_key_header, budget, max_body, confirmations } = parsed.data;
    const perMonth = typeof budget.per_month === "number" ? budget.per_month : undefined;
    configs.push({
      name: parsed.data.name,
      url,
      apiKey,
      apiKeyHeader: api_key_header,
      budget: { perMinute: budget.per_minute, perMonth },
      maxBodyBytes: max_body,
      confirmations,
      addresses: watched.addresses,
      contracts: watched.contracts,
      watchFiles: watched.files,
      collectors: enabled,
    });
  }
  return { networks: withSameLabels(configs), listed };
}
