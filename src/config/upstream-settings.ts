// The settings of an upstream: URL, key and budget.
import { z } from "zod";
import { PRESETS } from "../api/budget.ts";
import { MAX_BYTES, type NamedFiles, textFile } from "./files.ts";
import type { Secret } from "./secret.ts";
import { always, either, labelValue, unique, url } from "./values.ts";

/** The values that settings name: variables of the environment, and files. */
export interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: NamedFiles;
}

/** For the names and descriptions of settings, which depend on no file and no variable. */
export const NO_SOURCES: Sources = { env: {}, files: { folder: "", readFile: () => "" } };

/** The largest budget. */
export const MAX_REQUESTS = { perMinute: 100_000, perMonth: 10_000_000_000 } as const;

/** The value for no limit of the month. */
const UNLIMITED = "unlimited";

const { keyless, free_key: freeKey } = PRESETS;

const budget = z
  .strictObject({
    per_minute: z
      .int()
      .min(1)
      .max(MAX_REQUESTS.perMinute)
      .optional()
      .meta({
        unit: "requests",
        description: "Requests in any 60 seconds, retries included.",
        absent: `${keyless.perMinute}, or ${freeKey.perMinute} with a key`,
      }),
    per_month: z
      .union([z.int().min(1).max(MAX_REQUESTS.perMonth).meta({ unit: "requests" }), z.literal(UNLIMITED)])
      .optional()
      .meta({
        description: `Requests in any 31 days. \`${UNLIMITED}\` where the API has no monthly limit.`,
        absent: `\`${UNLIMITED}\`, or ${freeKey.perMonth} with a key`,
      }),
  })
  .prefault({})
  .describe("Limits on requests to the API.");

/** The settings of a key, of which one can be set. */
export const KEYS = ["api_key", "api_key_file"] as const;

// The fewest characters of a key that can be found and hidden in a text, and the most that fit in a header.
const KEY = /^[\x21-\x7e][\x20-\x7e]{6,4094}[\x21-\x7e]$/;

/** The error in a key, of which it shows nothing. */
const wrongKey = (key: string, where: string): string | undefined =>
  KEY.test(key) ? undefined : `expected a key of 8 to 4096 printable ASCII characters in ${where}`;

/** The settings of an upstream. Those of the preferred one are settings of the network itself. */
export const upstreamShape = ({ env, files }: Sources) => ({
  url: url.describe("Base URL of the API."),
  api_key: z
    .string()
    .regex(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/)
    .transform((reference, { issues }): Secret => {
      const name = reference.slice("${".length, -"}".length);
      const key = env[name];
      const unset = `the environment variable ${name} is not set`;
      const message = key === undefined ? unset : wrongKey(key, `the environment variable ${name}`);
      if (message !== undefined) issues.push({ code: "custom", message, input: reference });
      return () => key ?? "";
    })
    .optional()
    .meta({
      sensitive: true,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
      expected: '"${NAME}" with the name of an environment variable, or api_key_file instead',
      description: "Key of the API, from an environment variable; a key is never written into this file.",
    }),
  // Editors end a file with a line break, which is not a part of the key.
  api_key_file: textFile(files, MAX_BYTES.key, (text) => wrongKey(text.trim(), "the file"))
    .optional()
    .meta({
      expected: "the path of a file that holds the key",
      description: "File with the key of the API, relative to this file.",
    }),
  budget,
});

type Server = z.infer<z.ZodObject<ReturnType<typeof upstreamShape>>>;

// Host names of this machine as the URL parser returns them. The last is an IPv4 address in IPv6.
const LOOPBACK = /^((.+\.)?localhost\.?|127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/;

/** Rules between the settings of an upstream, whose values need not be valid. */
export function checkUpstream({ url: text, ...server }: Server, { addIssue }: z.core.$RefinementCtx): void {
  if (typeof text !== "string" || !URL.canParse(text) || KEYS.every((key) => server[key] === undefined)) return;
  const { protocol, hostname } = new URL(text);
  const message = "expected an https URL because of the API key, found an http URL of another machine";
  if (protocol === "http:" && !LOOPBACK.test(hostname)) addIssue({ code: "custom", path: ["url"], message });
}

/** The upstream of checked settings. */
export function upstreamOf({ url, budget, api_key: key, api_key_file: file }: Server, name: string = PREFERRED) {
  // A key belongs to a plan of the API.
  const preset = PRESETS[key === undefined && file === undefined ? "keyless" : "free_key"];
  const { per_minute: perMinute = preset.perMinute, per_month: perMonth = preset.perMonth } = budget;
  return {
    /** Value of the label `upstream`; unique in its network. */
    name,
    /** Base of every request: scheme, host and path, without a slash at the end. */
    url,
    apiKey: key ?? (file && (() => file.text.trim())),
    /** Absolute path of the file with the key; undefined for another source. */
    apiKeyFile: file?.path,
    /** Requests; no limit of the month when `perMonth` is undefined. */
    budget: { perMinute, perMonth: perMonth === UNLIMITED ? undefined : perMonth },
  };
}

/** The name of the preferred upstream of each network. */
const PREFERRED = "default";

/** The upstreams that take over when the preferred one fails. */
export const fallbacks = (sources: Sources) =>
  z
    .array(
      z
        .strictObject({
          name: labelValue
            .refine((name) => name !== PREFERRED, `a name other than ${PREFERRED}, which is that of the preferred one`)
            .describe("Value of the label `upstream`; different for every upstream of the network."),
          ...upstreamShape(sources),
        })
        .superRefine(checkUpstream, always)
        .superRefine(...either(KEYS))
        .meta({ exclusive: KEYS })
        .transform(({ name, ...server }) => upstreamOf(server, name)),
    )
    .max(10)
    .superRefine(...unique("name", "fallbacks"))
    .prefault([])
    .describe("Other APIs of the same chain, in order of preference, for when the preferred one fails.");
