// The settings of an upstream: URL, key and budget, and when another upstream takes over.
import { z } from "zod";
import { PRESETS } from "../api/budget-presets.ts";
import { NO_PROXY, PROXY_EXPECTED, parseProxy } from "./proxy.ts";
import { duration, labelValue, url } from "./values.ts";

/** The largest budget. */
export const MAX_REQUESTS = { perMinute: 100_000, perMonth: 10_000_000_000 } as const;

/** The value for no limit of the month. */
const UNLIMITED = "unlimited";

const { keyless, free_key: freeKey } = PRESETS;

const perMinute = z
  .int()
  .min(1)
  .max(MAX_REQUESTS.perMinute)
  .optional()
  .meta({
    unit: "requests",
    description: "Requests in any 60 seconds.",
    absent: `${keyless.perMinute}, or ${freeKey.perMinute} with a key`,
    sample: String(keyless.perMinute),
  });

const perMonth = z
  .union([z.int().min(1).max(MAX_REQUESTS.perMonth).meta({ unit: "requests" }), z.literal(UNLIMITED), z.null()])
  .optional()
  .meta({
    description: "Requests in any 31 days. `unlimited` (or `null`) where the API has no monthly limit.",
    absent: `\`${UNLIMITED}\`, or ${freeKey.perMonth} with a key`,
    sample: UNLIMITED,
  });

const words = Object.fromEntries(
  Object.entries(PRESETS).map(([name, limits]) => [
    name,
    { per_minute: limits.perMinute, per_month: limits.perMonth ?? UNLIMITED },
  ]),
);

const budget = z.object({ per_minute: perMinute, per_month: perMonth }).prefault({});

const BUDGET_ABSENT = "`keyless`, or `free_key` with a key";

/** Characters of a key: the fewest that can be found and hidden in a text, and the most that fit in a header. */
export const KEY_LENGTH = { shortest: 8, longest: 4096 } as const;

// Headers that every request sets, or that belong to the connection. A key in one of them would break all requests.
const TAKEN_HEADERS = [
  /^(__proto__|accept|accept-encoding|connection|content-length|expect|host|if-none-match)$/i,
  /^(keep-alive|te|trailer|transfer-encoding|upgrade|user-agent)$/i,
];

const OWN_HEADER = "the name of a header that no request has for itself";

/** A setting that is one reference to an environment variable, and nothing else. */
export const REFERENCE = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** The settings of a key, of which one can be set. */
export const KEYS = ["api_key", "api_key_file"] as const;

const keyShape = {
  api_key: z
    .string()
    .regex(REFERENCE)
    .optional()
    .meta({
      sensitive: true,
      isReference: true,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
      expected: '"${NAME}" with the name of an environment variable, or api_key_file instead',
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
    .refine((name) => TAKEN_HEADERS.every((taken) => !taken.test(name)), OWN_HEADER)
    .default("x-api-key")
    .meta({
      // Users may write `name: key` here.
      sensitive: true,
      expected: OWN_HEADER,
      description: "Header that carries the key.",
      sample: "x-api-key",
    }),
};

const fileInPem = (what: string, sample: string) =>
  z
    .string()
    .min(1)
    .optional()
    .meta({
      expected: "the path of a file",
      description: `File with ${what}, in PEM. Relative to the folder of this file. Read again when it changes.`,
      sample,
    });

const outboundShape = {
  allow_insecure_key: z.boolean().default(false).meta({
    description:
      "Whether the key may be sent to an http URL of another machine, where others can read it. Otherwise that is an error.",
  }),
  tls: z
    .object({
      ca_file: fileInPem("the CA of the server, trusted instead of the public ones", "ca.crt"),
      cert_file: fileInPem("a certificate for the server, which needs `key_file`", "client.crt"),
      key_file: fileInPem("the key of the certificate, without a passphrase", "client.key"),
      server_name: z
        .string()
        .regex(/^[A-Za-z0-9.-]{1,253}$/)
        .optional()
        .meta({
          expected: "a host name",
          description: "Name that the certificate of the server has to have.",
          absent: "the host of `url`",
          sample: "api.internal",
        }),
    })
    .prefault({})
    .meta({ description: "TLS of an https URL." }),
  proxy_url: z
    .string()
    .refine((text) => text === NO_PROXY || parseProxy(text) !== undefined, PROXY_EXPECTED)
    .optional()
    .meta({
      sensitive: true,
      expected: PROXY_EXPECTED,
      description:
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
        "Forward proxy for the requests. Write its password as `${NAME}`. `none` ignores the variables of the environment.",
      absent: "`HTTPS_PROXY` or `HTTP_PROXY` of the environment, except for hosts in `NO_PROXY` and for this machine",
      sample: "http://proxy.internal:3128",
    }),
};

/** The only upstream of a network: settings of the network itself. */
export const onlyUpstreamShape = {
  url: url.optional().meta({
    description: "Base URL of the API. A path is kept; a trailing slash is removed.",
    absent: "required, unless there are `upstreams`",
    sample: "https://api.hiro.so",
    isWritten: true,
  }),
  ...keyShape,
  ...outboundShape,
};

/** The budget of the only upstream of a network. */
export const onlyBudget = budget.meta({
  words,
  absent: BUDGET_ABSENT,
  description:
    "Limits on requests to the API. Every request counts, retries too; when the budget is short, polls wait and the less important collectors wait longer.",
});

/** One upstream of several. */
const upstreamEntry = z
  .object({
    name: labelValue.meta({
      description: "Value of the label `upstream`. Different for every upstream of the network.",
      sample: "own-node",
    }),
    url: url.meta({
      description: "Base URL of this API. A path is kept; a trailing slash is removed.",
      sample: "https://api.hiro.so",
    }),
    ...keyShape,
    // The example shows one way to give a key: both together are refused.
    api_key: keyShape.api_key.meta({ sample: undefined }),
    ...outboundShape,
    budget: budget.meta({
      words,
      absent: BUDGET_ABSENT,
      description: "Limits on requests to this upstream. Other upstreams have their own.",
      sample: "free_key",
    }),
  })
  .meta({ exclusive: KEYS });

/** The upstreams of a network that has several. */
export const upstreams = z.array(upstreamEntry).max(10).prefault([]).meta({
  uniqueKey: "name",
  description:
    "Several APIs of the same chain, the preferred one first, instead of `url`, `api_key`, `api_key_file`, `api_key_header` and `budget` of the network. One is active; another one takes over when it fails or lags.",
});

/** Conditions of a failover. */
export const failover = z
  .object({
    failures: z.int().min(1).max(100).default(3).meta({
      unit: "polls",
      description:
        "Failed polls in a row after which another upstream takes over. Polls that fail at the same time count once.",
    }),
    lag_blocks: z.int().min(1).max(100_000).default(10).meta({
      unit: "blocks",
      description: "An upstream lags when its tip is this many blocks or more behind the highest known tip.",
    }),
    lag_for: duration("1s", "24h")
      .prefault("5m")
      .meta({ description: "How long an upstream may lag before another one takes over." }),
    return_after: duration("1s", "24h")
      .prefault("10m")
      .meta({ description: "How long a preferred upstream has to be healthy before it becomes active again." }),
    probe_every: duration("1s", "1h").prefault("2m").meta({
      description:
        "Time between two probes of an upstream that is not active: one request from its own budget. With one upstream there are no probes.",
    }),
  })
  .transform(({ failures, lag_blocks, lag_for, return_after, probe_every }) => ({
    failures,
    lagBlocks: lag_blocks,
    lagForMs: lag_for,
    returnAfterMs: return_after,
    probeEveryMs: probe_every,
  }))
  .prefault({})
  .meta({ description: "When another upstream takes over, and when the preferred one returns." });

/** Action if the API follows another chain than the saved counters. */
export const onNewChain = z.enum(["refuse", "reset"]).default("refuse").meta({
  description:
    "What happens when the API follows another chain than the state of this network. `refuse`: nothing is polled. `reset`: what was saved for the network is deleted and counters start again, for devnets.",
});
