// Loads the web configuration of a command that serves.
import type { Config } from "../config/config.ts";
import { formatErrors } from "../config/errors.ts";
import { readRegularFile } from "../config/files.ts";
import { loadWebConfig } from "../config/web-config.ts";
import type { WebSource } from "../reload.ts";
import { CommandError } from "./io.ts";

/** The source of the web configuration; undefined without one. @throws CommandError with everything that is wrong */
export async function webSourceOf({ web: { configFile } }: Config): Promise<WebSource | undefined> {
  if (configFile === undefined) return undefined;
  let files: readonly string[] = [];
  const load = async () => {
    const loaded = await loadWebConfig(configFile, readRegularFile);
    // A file that a refused configuration names may be corrected next.
    files = loaded.files;
    return loaded;
  };
  const loaded = await load();
  if (!loaded.ok) throw new CommandError(formatErrors(loaded.errors));
  return { web: loaded.web, files: () => files, load };
}
