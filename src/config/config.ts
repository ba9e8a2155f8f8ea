// The configuration of the exporter: checked, with all defaults. `load.ts` makes it.
import type { ZodType } from "zod";
import type { DefaultSchedule, WatchedNetwork } from "../collectors/collector.ts";
import type { Schedule } from "../collectors/task.ts";
import type { Selection } from "../exposition/selection.ts";
import type { Shard } from "../store/shard.ts";
import type { upstreamOf } from "./upstream-settings.ts";
import type { ListenAddress } from "./values.ts";

/** Log levels, the most detailed first. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;

/** Log formats: JSON lines, or text for people. */
export const LOG_FORMATS = ["json", "pretty"] as const;

/** A checked configuration. */
export interface Config {
  /** At least one. */
  readonly listen: readonly ListenAddress[];
  readonly web: {
    /** The web configuration, absolute; undefined without one. */
    readonly configFile: string | undefined;
    /** Address that serves only health checks, without TLS and password. */
    readonly probes: readonly ListenAddress[];
    /** Names under which clients may address the exporter; empty: the default of each listener. */
    readonly allowedHosts: readonly string[];
  };
  readonly log: {
    readonly level: (typeof LOG_LEVELS)[number];
    readonly format: (typeof LOG_FORMATS)[number];
  };
  /** The state file; undefined when nothing is kept. */
  readonly statePath: string | undefined;
  /** The families that are exposed. */
  readonly metrics: Selection;
  /** The part of the watch lists that this exporter polls; undefined for all. */
  readonly shard: Shard | undefined;
  /** Limit of all series; beyond it, label values from the API become `other`. */
  readonly maxSeries: number;
  readonly networks: readonly NetworkConfig[];
}

/** One server of a network. */
export type UpstreamConfig = Readonly<ReturnType<typeof upstreamOf>>;

/** One watched chain. */
export interface NetworkConfig extends WatchedNetwork {
  /** Value of the label `network`; unique. */
  readonly name: string;
  /** The servers of the chain, the preferred one first. */
  readonly upstreams: readonly [UpstreamConfig, ...UpstreamConfig[]];
  /** Conditions of a failover. */
  readonly failover: {
    readonly failures: number;
    readonly lagBlocks: number;
    readonly lagForMs: number;
    readonly returnAfterMs: number;
    readonly probeEveryMs: number;
  };
  /** Action if the server follows another chain than the saved state. */
  readonly onNewChain: "refuse" | "reset";
  /** Longest pause that a 429 can cause. Milliseconds. */
  readonly longestPauseMs: number;
  /** Groups that are exported as sums. */
  readonly summedGroups: readonly string[];
  /** Absolute paths of the files of the watch lists. */
  readonly watchFiles: readonly string[];
  /** The enabled collectors, in their order in the program. */
  readonly collectors: readonly CollectorConfig[];
}

/** One collector on one network. */
export interface CollectorConfig {
  readonly name: string;
  readonly schedule: Schedule;
  /** Whether the schedule is the default, because the configuration has none. */
  readonly isDefault: boolean;
  /** Time between two polls, for a cron expression the longest. Milliseconds. */
  readonly intervalMs: number;
  /** Longest duration of one poll. Milliseconds. */
  readonly timeoutMs: number;
  /** Age at which values disappear. Milliseconds. */
  readonly maxAgeMs: number;
  /** The collector's own settings, parsed by its schema. */
  readonly options: unknown;
  /** Whether its samples are left out, because another shard exposes them. @default false */
  readonly isHidden?: boolean | undefined;
}

/** The parts of a collector that the configuration needs. Collectors are passed in, never imported. */
export interface ConfigurableCollector {
  /** Key under `collectors`. */
  readonly name: string;
  readonly about: string;
  /** Default schedules, as `parseSchedule` reads them. */
  readonly schedule: DefaultSchedule;
  /** Default deadline of a poll, as a duration. @default 10s */
  readonly timeout?: string;
  /** The families of which it may have samples. @default none */
  readonly families?: readonly { readonly name: string }[];
  /** An object schema of the collector's own settings, each with a default. */
  readonly options?: ZodType;
  /** Present if it polls watched principals. */
  readonly targets?: unknown;
  /** Whether counting of watched principals needs what it observes. @default false */
  readonly isShared?: boolean;
}
