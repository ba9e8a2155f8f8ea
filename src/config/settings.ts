// The settings: names, types, defaults, ranges and descriptions, and the configuration that they become. Messages,
// documentation, the example and the JSON Schema are made from here.
import { z } from "zod";
import { MINUTES_PER_MONTH, PRESETS, type Preset } from "../api/budget.ts";
import type { AnyCollector, WatchedNetwork } from "../collectors/collector.ts";
import type { Shard } from "../store/shard.ts";
import { parseSchedule, type Schedule } from "./interval.ts";
import { CHAINS } from "./principal.ts";
import { type SchemaNode, treeOf } from "./schema.ts";
import {
  checkUpstream,
  fallbacks,
  KEYS,
  NO_SOURCES,
  type Sources,
  upstreamOf,
  upstreamShape,
} from "./upstream-settings.ts";
import { always, cron, duration, either, every, labelValue, unique, url } from "./values.ts";
import { addressEntry, assetEntry, contractEntry, MAX_ASSETS, NO_NETWORK } from "./watch-entries.ts";

/** One collector on one network. */
export interface CollectorConfig extends Schedule {
  readonly name: string;
  /** Whether the schedule is the default: the budget can increase it without breaking a promise. */
  readonly isDefault: boolean;
  /** Longest duration of one poll. Milliseconds. */
  readonly timeoutMs: number;
  /** Age at which values disappear. Milliseconds. */
  readonly maxAgeMs: number;
  /** The collector's own settings, parsed by its schema. */
  readonly options: unknown;
  /** Whether its samples are left out: another shard exposes them, or only others need it. @default false */
  readonly isHidden?: boolean | undefined;
}

/** The parts of a collector that the configuration needs. Collectors are passed in, never imported. */
export type ConfigurableCollector = Pick<AnyCollector, "name" | "about" | "schedule"> &
  Partial<Pick<AnyCollector, "timeout" | "options" | "targets" | "isShared" | "isOptIn" | "isFollower" | "counts">>;

/** With fewer requests a month than this, the default schedules are those of `free_key`. */
export const KEYLESS_MONTH = PRESETS.keyless.perMinute * MINUTES_PER_MONTH;

/** The preset whose default schedules fit this number of requests in a month; undefined stands for no limit. */
export const schedulesFor = (perMonth: number | undefined): Preset =>
  perMonth !== undefined && perMonth < KEYLESS_MONTH ? "free_key" : "keyless";

/** Intervals after which a value disappears: two polls may fail before it does. */
const MAX_AGE_INTERVALS = 3;
const DEFAULT_TIMEOUT = "10s";

/** The default schedules, in words. */
export const textOf = (schedule: AnyCollector["schedule"]): string =>
  Object.entries(schedule)
    .map(([preset, text]) => `${text} (\`${preset}\`)`)
    .join(", ");

/** The settings of the schedule of a collector, of which at most one is set. */
const SCHEDULES = ["every", "schedule"] as const;

/** The settings of a collector. */
export const collectorSettings = ({
  about,
  schedule,
  isOptIn = false,
  timeout = DEFAULT_TIMEOUT,
  options = z.object({}),
}: ConfigurableCollector) =>
  z
    .strictObject({
      enabled: z
        .boolean()
        .default(!isOptIn)
        .describe(
          "Whether it is polled. `blocks` is also polled without it, and not exposed, while another collector counts.",
        ),
      every: every.optional().meta({
        absent: textOf(schedule),
        description: "Time between two polls; the first one is made at start. Either this or `schedule`.",
      }),
      schedule: cron
        .optional()
        .describe("Times of the polls, in UTC: second, minute, hour, day of month, month, weekday."),
      timeout: duration("1ms", "5m")
        .prefault(timeout)
        .describe("Longest duration of a poll with all its requests; at most its interval. A request ends after 1m."),
      ...options.shape,
    })
    .superRefine(...either(SCHEDULES))
    .prefault({})
    .meta({ description: about, exclusive: SCHEDULES });

/** A collector with checked settings. @param preset that of the network's budget, for a default schedule */
export function collectorConfig(
  { name, ...collector }: ConfigurableCollector,
  { every, schedule, timeout, enabled: _, ...options }: z.infer<ReturnType<typeof collectorSettings>>,
  preset: Preset,
): CollectorConfig {
  const chosen = every ?? schedule ?? parseSchedule(collector.schedule[preset]);
  const { intervalMs } = chosen;
  return {
    name,
    ...chosen,
    isDefault: every === undefined && schedule === undefined,
    timeoutMs: Math.min(timeout, intervalMs),
    maxAgeMs: MAX_AGE_INTERVALS * intervalMs,
    options,
  };
}

const path = z.string().min(1).meta({ expected: "the path of a file" });

/** The path that stands for no state file. */
export const IN_MEMORY = "memory";

const state = z
  .preprocess(
    (written) => (written === IN_MEMORY ? { path: IN_MEMORY } : written),
    z.strictObject({
      path: z.string().min(1).default("data/state.db").meta({
        expected: "the path of a file, or memory",
        description: "The state file (SQLite), relative to the working directory. `memory` keeps nothing.",
      }),
    }),
  )
  .prefault({})
  .meta({ word: IN_MEMORY, description: "What a restart keeps." });

/** The shard index that stands for the number at the end of the host name. */
export const OF_HOSTNAME = "hostname";

const shard = z
  .strictObject({
    index: z
      .union([z.int().min(0), z.literal(OF_HOSTNAME)])
      .default(0)
      .meta({
        expected: `a whole number from 0, less than count, or ${OF_HOSTNAME}`,
        description:
          "Which of the shards this exporter is. `hostname`: the number at the end of the host name, as in a StatefulSet.",
      }),
    count: z.int().min(1).max(1000).default(1).meta({ unit: "shards", description: "Number of exporters." }),
  })
  .prefault({})
  .describe("One of several exporters that share the watch lists and the budget: [shards.md](shards.md).");

const watchFiles = (what: string) =>
  z
    .array(path)
    .max(100)
    .default([])
    .meta({
      description:
        `Files with more ${what}, relative to this file: \`.csv\` with a header line (other columns are labels), ` +
        "`.json` with a list of entries or of principals, anything else with one principal per line. Read again when they change.",
    });

/** A list whose entries are checked apart, those of watch lists together with the entries of files. */
const entries = (entry: z.ZodType, description: string, most = 100_000) =>
  z.array(z.unknown()).max(most).default([]).meta({ description, entry });

/** The networks of a configuration that names none. */
export const DEFAULT_NETWORKS: [{ name: string; url: string }] = [{ name: "mainnet", url: "https://api.hiro.so" }];

function networkSettings(sources: Sources) {
  return z
    .strictObject({
      name: labelValue.describe("Value of the label `network`; different for every network."),
      ...upstreamShape(sources),
      fallbacks: fallbacks(sources),
      chain: z.enum(CHAINS).default("mainnet").describe("Chain of the addresses."),
      confirmations: z.int().min(1).max(1000).default(6).meta({
        unit: "blocks",
        description: "Blocks after which a transaction of a watched principal is counted, its own included.",
      }),
      addresses: entries(addressEntry(NO_NETWORK), "Accounts and contracts whose transactions are counted."),
      address_files: watchFiles("addresses"),
      summed_groups: z
        .array(z.string().min(1).max(128))
        .max(1000)
        .default([])
        .describe(
          "Groups of addresses of which only the sums are exposed, not the series of each address " +
            "([watch-wallets.md](watch-wallets.md#thousands-of-addresses)).",
        ),
      contracts: entries(
        contractEntry(NO_NETWORK),
        "Contracts whose calls and printed events are counted; `events`: [event-rules.md](event-rules.md).",
      ),
      contract_files: watchFiles("contracts"),
      assets: entries(
        assetEntry("mainnet"),
        "Tokens that always have their own series, regardless of `max_assets` and `max_series`.",
        MAX_ASSETS,
      ),
      longest_pause: duration("1s", "24h")
        .prefault("15m")
        .describe("Longest pause that a 429 can cause, even if the server requests a longer one."),
    })
    .superRefine(checkUpstream, always)
    .superRefine(...either(KEYS))
    .meta({ exclusive: KEYS })
    .transform((network) => ({
      name: network.name,
      upstreams: [upstreamOf(network), ...network.fallbacks] as const,
      longestPauseMs: network.longest_pause,
      confirmations: network.confirmations,
      summedGroups: network.summed_groups,
    }));
}

/** All settings, for a list of collectors. */
export function allSettings(collectors: readonly ConfigurableCollector[], sources: Sources) {
  return z
    .strictObject({
      state,
      shard,
      web: z
        .strictObject({
          external_url: url
            .optional()
            .describe(
              "URL of this exporter for people. Rules and dashboards link to its runbooks ([alerts.md](alerts.md)).",
            ),
        })
        .prefault({})
        .describe("The HTTP server."),
      max_series: z.int().min(1000).max(10_000_000).default(500_000).meta({
        unit: "series",
        description: "Number of series from which new assets, topics and labels of event rules count as `other`.",
      }),
      networks: z
        .array(networkSettings(sources))
        .min(1)
        .max(100)
        .superRefine(...unique("name", "networks"))
        .prefault(DEFAULT_NETWORKS)
        .describe("The APIs to watch. Without it: mainnet at https://api.hiro.so, without a key."),
      collectors: z
        .strictObject(Object.fromEntries(collectors.map((collector) => [collector.name, collectorSettings(collector)])))
        .prefault({})
        .describe("What is read from every network."),
    })
    .meta({ title: "stacks-exporter", description: "Configuration of stacks-exporter." });
}

const known = new WeakMap<readonly ConfigurableCollector[], SchemaNode>();

/** The settings for a list of collectors. They are made once, which takes longer than to check a configuration. */
export function treeFor(collectors: readonly ConfigurableCollector[]): SchemaNode {
  const tree = known.get(collectors) ?? treeOf(allSettings(collectors, NO_SOURCES));
  known.set(collectors, tree);
  return tree;
}

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
export interface NetworkConfig extends Readonly<z.infer<ReturnType<typeof networkSettings>>>, WatchedNetwork {
  /** Absolute paths of the files of the watch lists. */
  readonly watchFiles: readonly string[];
  /** The enabled collectors, in their order in the program. */
  readonly collectors: readonly CollectorConfig[];
}

/** One server of a network. */
export type UpstreamConfig = NetworkConfig["upstreams"][number];
