// Settings that replace others before they are checked: flags those of the file, a network those for all networks.
import { type Path, valueAt } from "./errors.ts";
import { isMapping } from "./normalize.ts";

/** Flags that are settings, as they were given. */
export interface Flags {
  readonly listen?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly logFormat?: string | undefined;
}

/** The setting of each flag. */
export const FLAGS = {
  listen: { flag: "--listen", path: ["listen"] },
  logLevel: { flag: "--log-level", path: ["log", "level"] },
  logFormat: { flag: "--log-format", path: ["log", "format"] },
} as const satisfies Record<keyof Flags, { flag: string; path: readonly string[] }>;

const isGiven = (flags: Flags) => (name: string) => flags[name as keyof Flags] !== undefined;

/** The flags that were given, by the path of their setting. */
export function flagsByPath(flags: Flags): ReadonlyMap<string, string> {
  const given = Object.entries(FLAGS).filter(([name]) => isGiven(flags)(name));
  return new Map(given.map(([, { flag, path }]) => [path.join("."), flag]));
}

/** The settings of the file, with those of the flags in their place. */
export function withFlags(root: unknown, { listen, logLevel: level, logFormat: format }: Flags): unknown {
  if (!isMapping(root)) return root;
  const given = (settings: object) =>
    Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const { log = {} } = root;
  return { ...root, ...given({ listen }), log: isMapping(log) ? { ...log, ...given({ level, format }) } : log };
}

/** The settings, with those of collectors complete under each network. */
export function withMergedCollectors(root: unknown, defaultNetworks: readonly object[]): unknown {
  if (!isMapping(root)) return root;
  const { networks = defaultNetworks, collectors } = root;
  if (!Array.isArray(networks)) return root;
  return { ...root, networks: networks.map((network) => withCollectors(network, collectors)) };
}

function withCollectors(network: unknown, common: unknown): unknown {
  if (!isMapping(network)) return network;
  const { collectors = {} } = network;
  if (!isMapping(collectors) || !isMapping(common)) return { ...network, collectors };
  const replaced = Object.entries(common).map(([name, settings]) => [
    name,
    withoutReplaced(settings, collectors[name]),
  ]);
  return { ...network, collectors: merge(Object.fromEntries(replaced), collectors) };
}

// `every` of a network replaces `schedule` for all networks, and the reverse.
function withoutReplaced(common: unknown, own: unknown): unknown {
  if (!isMapping(common) || !isMapping(own)) return common;
  if (own.every === undefined && own.schedule === undefined) return common;
  const { every: _, schedule: __, ...rest } = common;
  return rest;
}

function merge(common: unknown, own: unknown): unknown {
  if (own === undefined) return common;
  if (!isMapping(common) || !isMapping(own)) return own;
  const keys = new Set([...Object.keys(common), ...Object.keys(own)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(common[key], own[key])]));
}

/**
 * Where the file has a setting of a merged collector. When it is not under the network, but one of its `causes` is,
 * then it is the place of that one.
 */
export function writtenPath(path: Path, root: unknown, causes: readonly string[] = []): Path {
  const [networks, index, collectors, name, ...setting] = path;
  if (networks !== "networks" || collectors !== "collectors" || index === undefined || name === undefined) return path;
  const own = [setting, ...causes.map((cause) => [cause])]
    .map((candidate) => ["networks", index, "collectors", name, ...candidate])
    .find((candidate) => valueAt(root, candidate) !== undefined);
  return own ?? ["collectors", name, ...setting];
}
