// Settings of the configuration that flags of the command line replace.
import { isMapping } from "./paths.ts";

/** The settings that flags replace, and their flags. */
export const FLAGS = {
  listen: "--listen",
  "web.config_file": "--web.config.file",
  "web.probe_address": "--web.probe-address",
  "log.level": "--log-level",
  "log.format": "--log-format",
} as const;

/** Flags that are settings, as they were given, by the path of the setting. */
export type Flags = { readonly [Path in keyof typeof FLAGS]?: string | undefined };

/** The settings of the file with those of the flags in their place, and the flags that were given by their path. */
export function withFlags(root: unknown, flags: Flags): readonly [root: unknown, given: ReadonlyMap<string, string>] {
  const given = Object.entries(FLAGS).filter(([path]) => flags[path as keyof Flags] !== undefined);
  const replaced = given.reduce<unknown>(
    (settings, [path]) => replaceAt(settings, path.split("."), flags[path as keyof Flags]),
    root,
  );
  return [replaced, new Map(given)];
}

function replaceAt(settings: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  return isMapping(settings) ? { ...settings, [key]: replaceAt(settings[key] ?? {}, rest, value) } : settings;
}
