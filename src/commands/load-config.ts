// Loads the configuration of a command.
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { collectors } from "../collectors/index.ts";
import type { Config } from "../config/config.ts";
import { type ConfigError, formatErrors, NOWHERE } from "../config/errors.ts";
import { readRegularFile, unusable } from "../config/files.ts";
import type { Flags } from "../config/flags.ts";
import { configLoader, type Loaded } from "../config/load.ts";
import type { Part } from "../config/shard.ts";
import { type ListenAddress, MAX_BYTES, parseListen } from "../config/values.ts";
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

/** Loads the file of `--config`, or the defaults. @throws CommandError with everything that is wrong with it */
export async function loadConfigFile(
  { config: file, ...flags }: ConfigFlags,
  io: Io,
  part?: Part,
): Promise<LoadedConfig> {
  if (file === undefined) return load({ read: async () => undefined, file, isFile: false }, flags, io.env, part);
  return load({ read: () => readBytes(file), file, isFile: true }, flags, io.env, part);
}

/** Loads a text. @throws CommandError with everything that is wrong with it */
export async function loadConfigText(
  text: string,
  file: string | undefined,
  flags: ServerFlags,
  env: Io["env"],
): Promise<LoadedConfig> {
  return load({ read: async () => text, file, isFile: false }, flags, env);
}

type Text = Uint8Array | string | undefined;

interface Origin {
  readonly read: () => Promise<Text>;
  /** Its name in messages. */
  readonly file: string | undefined;
  /** Whether it is a file, which a reload can read again. */
  readonly isFile: boolean;
}

async function load(
  { read, file, isFile }: Origin,
  serverFlags: ServerFlags,
  env: Io["env"],
  part: Part = "own",
): Promise<LoadedConfig> {
  const flags = flagsOf(serverFlags);
  const loaderOf = (text: Text) =>
    configLoader({ text, file, env, readFile: readRegularFile, collectors, flags, part });
  let loader = loaderOf(await read());
  const loaded = await loader();
  if (!loaded.ok) throw new CommandError(formatErrors(loaded.errors));
  const { config } = loaded;
  const source: ConfigSource = {
    loadFiles: () => loader(),
    async load() {
      let found: Text;
      try {
        found = await read();
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        return { ok: false, errors: [errorOf({ message: error.message })] };
      }
      const next = loaderOf(found);
      const result = onlyReloadable(await next(), config, file);
      if (result.ok) loader = next;
      return result;
    },
    isFile,
  };
  const { web } = config;
  return { config: { ...config, web: { ...web, probes: [...web.probes, ...probesIn(env)] } }, source };
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
  const errors = Object.entries(FIXED).flatMap(([path, settingOf]): ConfigError[] =>
    isDeepStrictEqual(settingOf(loaded.config), settingOf(inUse))
      ? []
      : [errorOf({ file, path, message: "expected the value of the start, found another one; restart the exporter" })],
  );
  return errors.length === 0 ? loaded : { ok: false, errors };
}

const errorOf = (error: Pick<ConfigError, "message"> & Partial<ConfigError>): ConfigError => ({
  file: undefined,
  path: "",
  ...NOWHERE,
  ...error,
});

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readRegularFile(file, MAX_BYTES.configuration);
  } catch (error) {
    throw new CommandError(`${file}: ${unusable(error)}`);
  }
}
