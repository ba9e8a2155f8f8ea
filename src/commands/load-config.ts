// Loads the configuration of a command.
import { collectors } from "../collectors/index.ts";
import type { Config } from "../config/config.ts";
import { formatErrors } from "../config/errors.ts";
import { readRegularFile, unusable } from "../config/files.ts";
import { configLoader, type Loaded } from "../config/load.ts";
import type { Flags } from "../config/normalize.ts";
import { MOST_BYTES } from "../config/settings.ts";
import { CommandError, type Io } from "./io.ts";

/** The options that every command has. */
export interface ConfigFlags extends Flags {
  readonly config?: string;
}

/** A valid configuration. `reload` reads the files that it names again; the text stays as it was. */
export interface LoadedConfig {
  readonly config: Config;
  readonly reload: () => Promise<Loaded>;
}

/** Loads the file of `--config`, or the defaults. @throws CommandError with everything that is wrong with it */
export async function loadConfigFile({ config: file, ...flags }: ConfigFlags, io: Io): Promise<LoadedConfig> {
  return loadConfigText(file === undefined ? undefined : await readBytes(file), file, flags, io.env);
}

/** Loads a text. @throws CommandError with everything that is wrong with it */
export async function loadConfigText(
  text: Uint8Array | string | undefined,
  file: string | undefined,
  { listen, logLevel, logFormat }: Flags,
  env: Io["env"],
): Promise<LoadedConfig> {
  const flags = { listen, logLevel, logFormat };
  const reload = configLoader({ text, file, env, readFile: readRegularFile, collectors, flags });
  const loaded = await reload();
  if (!loaded.ok) throw new CommandError(formatErrors(loaded.errors));
  return { config: loaded.config, reload };
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readRegularFile(file, MOST_BYTES.configuration);
  } catch (error) {
    throw new CommandError(`${file}: ${unusable(error)}`);
  }
}
