// Configurations with the collectors of the program, for tests of request budgets.
import { c32address } from "c32check";
import { collectors } from "../../src/collectors/index.ts";
import { formatErrors } from "../../src/config/errors.ts";
import { readDocument } from "../../src/config/files.ts";
import { load } from "../../src/config/load.ts";
import type { Config, NetworkConfig } from "../../src/config/settings.ts";

const principal = (index: number) => c32address(22, index.toString(16).padStart(40, "0"));

/** Numbers of entries in the watch lists. */
export interface Watched {
  readonly addresses?: number;
  readonly contracts?: number;
}

/** Parses a configuration, with the files addresses.txt and contracts.txt. The API key is `${KEY}`. */
export async function configOf(text: string, { addresses = 0, contracts = 0 }: Watched = {}): Promise<Config> {
  const lists: Readonly<Record<string, string>> = {
    "/etc/addresses.txt": Array.from({ length: addresses }, (_, index) => principal(index)).join("\n"),
    "/etc/contracts.txt": Array.from({ length: contracts }, (_, index) => `${principal(index)}.x`).join("\n"),
  };
  const loaded = await load({
    document: readDocument("/etc/stacks-exporter.yaml", text),
    env: { KEY: "planted-key" },
    readFile: (path) => lists[path] ?? "",
    collectors,
  });
  if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
  return loaded.config;
}

/**
 * The network of a configuration with watch lists, additional settings of the network, and settings of collectors. With
 * several shards, it is the part of the first shard.
 */
export async function networkOf(watched: Watched, settings: object = {}, ofCollectors: object = {}, shards = 1) {
  const network = {
    name: "m",
    url: "https://m",
    ...(watched.addresses === undefined ? {} : { address_files: ["addresses.txt"] }),
    ...(watched.contracts === undefined ? {} : { contract_files: ["contracts.txt"] }),
    ...settings,
  };
  const config = { shard: { count: shards }, networks: [network], collectors: ofCollectors };
  const { networks } = await configOf(JSON.stringify(config), watched);
  return networks[0] as NetworkConfig;
}
