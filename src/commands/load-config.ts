// Loads the configuration of a command: its file, the files that this names, and flags. Without a file: one network,
// from flags and the environment.
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { proxyError } from "../api/transport.ts";
import { collectors } from "../collectors/index.ts";
import { type ConfigError, formatErrors, shorten } from "../config/errors.ts";
import { type Document, NO_DOCUMENT, openDocument, readDocument, readRegularFile } from "../config/files.ts";
import { type Loaded, load, type Part } from "../config/load.ts";
import { type Config, DEFAULT_NETWORKS } from "../config/settings.ts";
import { LISTEN_ADDRESS, type ListenAddress, parseListen } from "../config/values.ts";
import { loadWebConfig } from "../config/web-config.ts";
import type { ConfigSource, WebSource } from "../reload.ts";
import { CommandError, type Io } from "./io.ts";

/** The options of the commands, under the names of the command line. */
export interface Flags {
  readonly "config.file"?: string;
  /** One network, without a file. */
  readonly url?: string;
  /** Each as `NAME=PRINCIPAL`, or only the principal. */
  readonly address?: readonly string[];
  readonly contract?: readonly string[];
  readonly "web.listenAddress"?: readonly string[];
  readonly "web.config.file"?: string;
  readonly "web.probeAddress"?: string;
  readonly "log.level"?: string;
  readonly "log.format"?: "json" | "pretty";
  readonly resetState?: boolean;
  /** How many of the newest events are read. */
  readonly last?: string;
  readonly network?: string;
  /** Output file. @default standard output */
  readonly output?: string;
  readonly values?: string;
  /** Folder for the dashboards, which exists. */
  readonly boards?: string;
  readonly seed?: string;
}

/** A valid configuration, its source, and the options of the process. */
export interface LoadedConfig {
  readonly config: Config;
  readonly source: ConfigSource;
  readonly options: ReturnType<typeof optionsOf>;
}

/**
 * Loads the file of `--config.file`, or without one a text: by default, the configuration of the other flags.
 * @throws CommandError with everything that is wrong with it
 */
export async function loadConfig(
  { "config.file": file, ...flags }: Flags,
  { env }: Pick<Io, "env">,
  { part = "own", text }: { readonly part?: Part; readonly text?: string } = {},
): Promise<LoadedConfig> {
  const families = new Map();
  const read = async (): Promise<Document> => {
    if (file !== undefined) return openDocument(file, readRegularFile);
    return text === undefined ? documentOf(flags, env) : readDocument(undefined, text);
  };
  const loadOf = (document: Document): Promise<Loaded> =>
    load({ document, env, readFile: readRegularFile, collectors, families, part });
  const options = optionsOf(flags, env);
  let document = await read();
  const loaded = await loadOf(document);
  const errors = loaded.ok ? [] : file === undefined ? loaded.errors.map(atFlag) : loaded.errors;
  const wrong = [formatErrors(errors), proxyError()].filter((text) => text !== "");
  if (!loaded.ok || wrong.length > 0) throw new CommandError(wrong.join("\n"));
  const { config } = loaded;
  const { output } = flags;
  const inputs = [file, flags.values, ...config.networks.flatMap(({ watchFiles }) => watchFiles)];
  if (output && inputs.some((input) => input && resolve(input) === resolve(output)))
    throw new CommandError("--output: expected another file, found one that the command reads");
  return {
    config,
    options,
    source: {
      load: async () => {
        const next = await read();
        const reloaded = onlyReloadable(await loadOf(next), config, file);
        if (reloaded.ok) document = next;
        return reloaded;
      },
      loadFiles: () => loadOf(document),
      isFile: file !== undefined,
    },
  };
}

const DEFAULT_ADDRESS = ":10789";
const PROBE = "STACKS_EXPORTER_PROBE_ADDRESS";

function optionsOf(flags: Flags, env: Io["env"]) {
  const { "web.listenAddress": given = [DEFAULT_ADDRESS], "web.config.file": configFile } = flags;
  const { "web.probeAddress": probe, "log.level": level = "info", "log.format": format = "json" } = flags;
  return {
    listen: given.flatMap((text) => text.split(",")).map((text) => addressOf("--web.listen-address", text)),
    probes: [
      ...(probe === undefined ? [] : [addressOf("--web.probe-address", probe)]),
      // For the health check of an image, which must not depend on flags.
      ...(env[PROBE] ? [addressOf(PROBE, env[PROBE])] : []),
    ],
    log: { level, format },
    /** The web configuration, absolute; undefined without one. */
    webConfigFile: configFile && resolve(configFile),
  };
}

function addressOf(name: string, text: string): ListenAddress {
  const address = parseListen(text.trim());
  if (address !== undefined) return address;
  throw new CommandError(`${name}: expected ${LISTEN_ADDRESS}, found ${JSON.stringify(shorten(text))}`);
}

// Settings that only a start applies: a file that is in use cannot be exchanged.
const FIXED = {
  "state.path": ({ statePath }: Config) => statePath,
  shard: ({ shard }: Config) => shard,
};

function onlyReloadable(loaded: Loaded, inUse: Config, file: string | undefined): Loaded {
  if (!loaded.ok) return loaded;
  const changed = Object.entries(FIXED).filter(
    ([, settingOf]) => !isDeepStrictEqual(settingOf(loaded.config), settingOf(inUse)),
  );
  const message = "expected the value of the start, found another one; restart the exporter";
  const errors = changed.map(([path]) => ({ file, path, message }));
  return errors.length === 0 ? loaded : { ok: false, errors };
}

/** The source of the web configuration; undefined without one. @throws CommandError with everything that is wrong */
export async function webSourceOf({ webConfigFile: file }: LoadedConfig["options"]): Promise<WebSource | undefined> {
  if (file === undefined) return undefined;
  let files: readonly string[] = [];
  const load = async () => {
    const loaded = await loadWebConfig(file, readRegularFile);
    // A file that a refused configuration names may be corrected next.
    files = loaded.files;
    return loaded;
  };
  const loaded = await load();
  if (!loaded.ok) throw new CommandError(formatErrors(loaded.errors));
  return { web: loaded.web, files: () => files, load };
}

/** The environment variable with the key of the API. Arguments of a process can be read by others; this cannot. */
export const KEY_VARIABLE = "STACKS_API_KEY";

const DEFAULT_URL = DEFAULT_NETWORKS[0].url;

const entryOf = (text: string, key: "address" | "contract_id") => {
  const at = text.lastIndexOf("=");
  return { [key]: text.slice(at + 1), ...(at >= 0 && { name: text.slice(0, at) }) };
};

/** The configuration of flags, as a document. */
export function documentOf({ url = DEFAULT_URL, address = [], contract = [] }: Flags, env: Io["env"]): Document {
  const addresses = address.map((text) => entryOf(text, "address"));
  const contracts = contract.map((text) => entryOf(text, "contract_id"));
  const isTestnet = /\btestnet\b/.test(url) || [...address, ...contract].some((text) => /(^|=)S[TN]/.test(text));
  const chain = isTestnet ? "testnet" : "mainnet";
  const key = env[KEY_VARIABLE] ? { api_key: `\${${KEY_VARIABLE}}` } : {};
  return { ...NO_DOCUMENT, value: { networks: [{ name: chain, url, chain, ...key, addresses, contracts }] } };
}

const FLAGS = { url: "--url", api_key: KEY_VARIABLE, addresses: "--address", contracts: "--contract" } as const;

/** The same error, at its flag instead of its setting. */
export function atFlag(error: ConfigError): ConfigError {
  const [, setting = "", index] = /^networks\[0\]\.(\w+)(?:\[(\d+)\])?/.exec(error.path) ?? [];
  if (!Object.hasOwn(FLAGS, setting)) return error;
  const flag = FLAGS[setting as keyof typeof FLAGS];
  return { ...error, path: index === undefined ? flag : `${flag} number ${Number(index) + 1}` };
}
