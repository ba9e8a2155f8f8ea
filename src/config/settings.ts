// The table of settings: names, types, defaults, ranges and descriptions. Everything that is said about a setting elsewhere
// (documentation, JSON Schema, example, messages) is made from here.
import { z } from "zod";
import { type ConfigurableCollector, LOG_FORMATS, LOG_LEVELS } from "./config.ts";
import { CHAINS } from "./principal.ts";
import { cron, duration, every, listenAddress, size, url } from "./values.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const log = z
  .object({
    level: z.enum(LOG_LEVELS).default("info").meta({
      description: "Lines below this level are left out. `debug` writes a line for every poll.",
    }),
    format: z.enum(LOG_FORMATS).default("json").meta({
      description: "`json` writes one object per line, `pretty` writes text for people.",
    }),
  })
  .prefault({})
  .meta({ description: "The log, on standard error." });

/** Where the state file is when nothing else was said. */
export const DEFAULT_STATE_PATH = "data/state.db";

/** The path that means: nowhere. */
export const IN_MEMORY = "memory";

const state = z
  .object({
    path: z.string().min(1).default(DEFAULT_STATE_PATH).meta({
      expected: "the path of a file, or memory",
      description:
        "The state file (SQLite). Relative to the folder in which the exporter is started; folders are made when they are missing. `memory` keeps nothing; `state: memory` says the same.",
    }),
  })
  .prefault({})
  .meta({
    words: { [IN_MEMORY]: { path: IN_MEMORY } },
    description:
      "What outlives the process: counters of blocks, addresses and contracts with the place where they stopped, and how much of the budget was used.",
  });

const perMinute = z.int().min(1).max(100_000).default(10).meta({
  unit: "requests",
  description:
    "Requests in any 60 seconds. The default stays well below what the hosted API allows without a key; raise it with a key or a node of your own.",
});

const perMonth = z
  .union([z.int().min(1).max(10_000_000_000).meta({ unit: "requests" }), z.literal("unlimited"), z.null()])
  .default(150_000)
  .meta({
    description: "Requests in any 31 days. `unlimited` (or `null`) where nobody counts them by the month.",
  });

const budget = z.object({ per_minute: perMinute, per_month: perMonth }).prefault({}).meta({
  description:
    "How much the network may be asked. Every request counts, repeated ones too; when the budget is short, polls wait and the less important collectors wait longer.",
});

/** Most characters of a key that is sent in a header, and the fewest that can be recognised (and hidden) in a text. */
export const KEY_LENGTH = { shortest: 8, longest: 4096 } as const;

// What a request says of itself and of its connection: a key in its place would fail every request, or change its meaning.
const TAKEN_HEADERS: ReadonlySet<string> = new Set([
  "__proto__",
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "if-none-match",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);

const OWN_HEADER = "the name of a header that no request has for itself";

const entryShape = {
  name: z.string().min(1).max(128).optional().meta({
    description: "Value of the label `name`; different for every entry of the list.",
    absent: "the principal in short, such as `SP3FB..5SVTE`",
    sample: "treasury",
  }),
  group: z.string().max(128).optional().meta({
    description: "Value of the label `group` of the info family; what rules and dashboards sum by.",
    sample: "exchange",
  }),
  labels: z.record(z.string(), z.string().max(256)).optional().meta({
    description:
      "Further labels of the info family. Names of a-z, 0-9 and _, the first a letter, and none that the family has already.",
    sample: "{ owner: treasury-team }",
  }),
};

/** An entry of the list of addresses, as it is written. */
export const addressEntry = z.object({
  address: z.string().meta({
    expected: "a Stacks address, or a contract as address.name",
    description: "An account or a contract whose transactions are counted. Its checksum is verified.",
    sample: "SP000000000000000000002Q6VF78",
  }),
  ...entryShape,
});

/** An entry of the list of contracts, as it is written. */
export const contractEntry = z.object({
  contract_id: z.string().meta({
    expected: "a contract as address.name",
    description: "A contract whose printed events are counted. The checksum of its address is verified.",
    sample: "SP000000000000000000002Q6VF78.pox-4",
  }),
  ...entryShape,
});

const watchFiles = (what: string) =>
  z
    .array(z.string().min(1).meta({ expected: "the path of a file" }))
    .max(100)
    .default([])
    .meta({
      description: `Files with more ${what}, relative to the folder of this file: \`.csv\` with a header line (further columns are labels), \`.json\` with a list of such entries or of principals, anything else with one principal per line. Read again when they change.`,
      sample: `[${what}.csv]`,
    });

const networkShape = {
  name: z
    .string()
    .regex(/^[a-z0-9_-]{1,63}$/)
    .meta({
      expected: "1 to 63 of the characters a-z, 0-9, _ and -",
      description: "Value of the label `network`. Different for every network.",
      sample: "mainnet",
    }),
  url: url().meta({
    description: "Where the API is. A path is kept, a slash at the end is dropped.",
    sample: "https://api.hiro.so",
  }),
  api_key: z
    .string()
    .optional()
    .meta({
      sensitive: true,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
      expected: '"${NAME}" with the name of an environment variable, or api_key_file instead',
      pattern: "^\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$",
      description: `Key of the API, from an environment variable; a key is never written into this file. From ${KEY_LENGTH.shortest} to ${KEY_LENGTH.longest} printable ASCII characters.`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
      sample: "${HIRO_API_KEY}",
    }),
  api_key_file: z.string().min(1).optional().meta({
    expected: "the path of a file that holds the key",
    description:
      "File with the key of the API, instead of `api_key`. Relative to the folder of this file. White space around the key is dropped.",
    sample: "/run/secrets/hiro-api-key",
  }),
  api_key_header: z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/)
    .refine((name) => !TAKEN_HEADERS.has(name.toLowerCase()), OWN_HEADER)
    .default("x-api-key")
    .meta({
      // Some write `name: key` here.
      sensitive: true,
      expected: OWN_HEADER,
      description: "Header that carries the key.",
    }),
  chain: z.enum(CHAINS).default("mainnet").meta({
    description: "Which addresses are right: those of mainnet begin with SP or SM, those of testnet with ST or SN.",
  }),
  confirmations: z.int().min(1).max(1000).default(6).meta({
    unit: "blocks",
    description:
      "Stacks blocks after which a transaction of a watched principal is counted, its own block included. 1 counts at sight.",
  }),
  addresses: z.array(addressEntry).max(100_000).default([]).meta({
    description: "Accounts and contracts whose transactions are counted.",
  }),
  address_files: watchFiles("addresses"),
  contracts: z.array(contractEntry).max(100_000).default([]).meta({
    description: "Contracts whose printed events are counted.",
  }),
  contract_files: watchFiles("contracts"),
  budget,
  max_body: size(1024, 1024 ** 3)
    .prefault("16MiB")
    .meta({ description: "Longest answer that is read, after decompression; a longer one fails the poll." }),
};

/** Settings of one collector, those that every collector has and its own. */
export function collectorSettings({ about, schedule, timeout = "10s", options, name }: ConfigurableCollector) {
  return z
    .object({
      enabled: z.boolean().default(true).meta({ description: "Whether it is polled." }),
      every: every().optional().meta({
        absent: schedule,
        description: "Time between two polls; the first one is made at start. Either this or `schedule`.",
        sample: "45s",
      }),
      schedule: cron().optional().meta({
        description:
          "Times of the polls, in UTC: second, minute, hour, day of month, month, weekday. A step has to divide its field evenly.",
        sample: "*/30 * * * * *",
      }),
      timeout: duration(1, 5 * MINUTE_MS)
        .prefault(timeout)
        .meta({
          description:
            "Longest duration of one poll, with all its requests and retries. Not longer than the interval, to which the default is shortened.",
        }),
      max_age: duration(SECOND_MS, 365 * 24 * HOUR_MS)
        .optional()
        .meta({
          description:
            "Age at which values disappear. Not shorter than the interval, which for a cron expression is its longest gap.",
          absent: "three intervals",
          sample: "6m",
        }),
      ...ownShape(name, options),
    })
    .prefault({})
    .meta({ description: about });
}

const COMMON = new Set(["enabled", "every", "schedule", "timeout", "max_age"]);

/** Of what was written for a collector, the part that is the collector's own. */
export function ownPart(written: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(written).filter(([key]) => !COMMON.has(key)));
}

function ownShape(name: string, options: ConfigurableCollector["options"]): z.ZodRawShape {
  if (options === undefined) return {};
  if (!(options instanceof z.ZodObject)) throw new TypeError(`the options of collector ${name} are no object schema`);
  for (const key of Object.keys(options.shape)) {
    if (COMMON.has(key)) throw new TypeError(`the option ${key} of collector ${name} is a setting of every collector`);
  }
  return options.shape;
}

function collectorsSettings(collectors: readonly ConfigurableCollector[]) {
  return z.object(Object.fromEntries(collectors.map((collector) => [collector.name, collectorSettings(collector)])));
}

/** Settings of one network. */
export function networkSettings(collectors: readonly ConfigurableCollector[]) {
  return z.object({
    ...networkShape,
    collectors: collectorsSettings(collectors).prefault({}).meta({
      overrides: true,
      description: "Settings of collectors for this network only; whatever is left out is as under `collectors`.",
    }),
  });
}

/** The whole table, for a list of collectors. */
export function allSettings(collectors: readonly ConfigurableCollector[]) {
  return z
    .object({
      listen: listenAddress().prefault(":10789").meta({
        description: "Where metrics and pages are served. Port 0 takes any free port.",
      }),
      log,
      state,
      max_series: z.int().min(1000).max(10_000_000).default(500_000).meta({
        unit: "series",
        description:
          "Series that there may be in all. Near it, assets and topics that were not seen before have no series of their own and count as `other`, so that sums stay right. What the watch list has anyway is not cut.",
      }),
      networks: z
        .array(networkSettings(collectors))
        .min(1)
        .max(100)
        .prefault([{ name: "mainnet", url: "https://api.hiro.so" }])
        .meta({ description: "The APIs to watch. Without it: mainnet at https://api.hiro.so, without a key." }),
      collectors: collectorsSettings(collectors).prefault({}).meta({
        description: "What is read from every network.",
      }),
    })
    .meta({ title: "stacks-exporter", description: "Configuration of stacks-exporter." });
}
