// Loads the configuration of a command.
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { collectors } from "../collectors/index.ts";
import type { Config } from "../config/config.ts";
import { type ConfigError, formatErrors, NOWHERE } from "../config/errors.ts";
import { MAX_BYTES, readRegularFile, unusable } from "../config/files.ts";
import type { Flags } from "../config/flags.ts";
import { configLoader, type Loaded } from "../config/load.ts";
import type { Part } from "../config/shard.ts";
import { type ListenAddress, parseListen } from "../config/values.ts";
import type { ConfigSource } from "../reload.ts";
import { CommandError, type Io } from "./io.ts";

/** The options of commands that serve, under the names of the command line. */
export interface ServerFlags {
  readonly listen?: readonly string[];
  /** The name of the flag in exporters in Go. */
  readonly "web.listenAddress"?: readonly string[];
  readonly "web.config.file"?: string;
  readonly "web.probeAddress"?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
}

/** The options of commands that read a configuration. */
export interface ConfigFlags extends ServerFlags {
  readonly config?: string;
}

/** A valid configuration, and its source. */
export interface LoadedConfig {
  readonly config: Config;
  readonly source: ConfigSource;
}

/**
 * Loads the file of `--config`, or without one a text: by default none, for the default settings.
 * @throws CommandError with everything that is wrong with it
 */
export async function loadConfig(
  { config: file, ...given }: ConfigFlags,
  { env }: Pick<Io, "env">,
  { part = "own", text }: { readonly part?: Part; readonly text?: string } = {},
): Promise<LoadedConfig> {
  const flags = flagsOf(given);
  let loader: () => Promise<Loaded>;
  const load = async (): Promise<Loaded> => {
    let read: Uint8Array | string | undefined = text;
    try {
      if (file !== undefined) read = await readRegularFile(file, MAX_BYTES.configuration);
    } catch (error) {
      return { ok: false, errors: [errorAt(file, "", unusable(error))] };
    }
    const next = configLoader({ text: read, file, env, readFile: readRegularFile, collectors, flags, part });
    const loaded = await next();
    if (loaded.ok) loader = next;
    return loaded;
  };
  const loaded = await load();
  if (!loaded.ok) throw new CommandError(formatErrors(loaded.errors));
  const { config } = loaded;
  const { web } = config;
  return {
    config: { ...config, web: { ...web, probes: [...web.probes, ...probesIn(env)] } },
    source: {
      load: async () => {
        const before = loader;
        const next = onlyReloadable(await load(), config, file);
        if (!next.ok) loader = before;
        return next;
      },
      loadFiles: () => loader(),
      isFile: file !== undefined,
    },
  };
}

function flagsOf(given: ServerFlags): Flags {
  const { listen = [], "web.listenAddress": others = [], "web.config.file": webConfigFile } = given;
  const flags = {
    listen: [...listen, ...others].join(),
    // Relative to the working directory, unlike the setting.
    "web.config_file": webConfigFile && resolve(webConfigFile),
    "web.probe_address": given["web.probeAddress"],
    "log.level": given.logLevel,
    "log.format": given.logFormat,
  };
  return listen.length + others.length === 0 ? { ...flags, listen: undefined } : flags;
}

const PROBE = "STACKS_EXPORTER_PROBE_ADDRESS";

// For the health check of an image, which must not depend on the configuration.
function probesIn(env: Io["env"]): ListenAddress[] {
  const text = env[PROBE];
  if (text === undefined || text === "") return [];
  const address = parseListen(text);
  if (address === undefined) throw new CommandError(`${PROBE}: expected an address such as 127.0.0.1:10791`);
  return [address];
}

// Settings that only a start applies: a server, a file and a log stream that are in use cannot be exchanged.
const FIXED = {
  listen: ({ listen }: Config) => listen,
  web: ({ web }: Config) => web,
  "state.path": ({ statePath }: Config) => statePath,
  shard: ({ shard }: Config) => shard,
  "log.format": ({ log }: Config) => log.format,
};

function onlyReloadable(loaded: Loaded, inUse: Config, file: string | undefined): Loaded {
  if (!loaded.ok) return loaded;
  const changed = Object.entries(FIXED).filter(
    ([, settingOf]) => !isDeepStrictEqual(settingOf(loaded.config), settingOf(inUse)),
  );
  const message = "expected the value of the start, found another one; restart the exporter";
  return changed.length === 0 ? loaded : { ok: false, errors: changed.map(([path]) => errorAt(file, path, message)) };
}

const errorAt = (file: string | undefined, path: string, message: string): ConfigError => {
  return { file, path, ...NOWHERE, message };
};
