// The configuration of the exporter: checked, with all defaults. `load.ts` makes it.
import type { WatchedNetwork } from "../collectors/collector.ts";
import type { Shard } from "../store/shard.ts";
import type { CollectorConfig } from "./collector-settings.ts";
import type { Settings } from "./settings.ts";

/** A checked configuration: the settings, with what they name in its place. */
export interface Config {
  /** The state file; undefined when nothing is kept. */
  readonly statePath: string | undefined;
  /** The part of the watch lists that this exporter polls; undefined for all. */
  readonly shard: Shard | undefined;
  /** Limit of all series; beyond it, label values from the API become `other`. */
  readonly maxSeries: number;
  /** URL of the exporter for people; undefined when it is not configured. */
  readonly externalUrl: string | undefined;
  readonly networks: readonly NetworkConfig[];
}

/** One watched chain. Its `upstreams` begin with the preferred one. */
export interface NetworkConfig extends Readonly<Omit<Settings["networks"][number], "name">>, WatchedNetwork {
  /** Absolute paths of the files of the watch lists. */
  readonly watchFiles: readonly string[];
  /** The enabled collectors, in their order in the program. */
  readonly collectors: readonly CollectorConfig[];
}

/** One server of a network. */
export type UpstreamConfig = NetworkConfig["upstreams"][number];
