// The settings of an upstream: URL, key, connection and budget, and when another upstream takes over.
import { X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { z } from "zod";
import { PRESETS, type Preset } from "../api/budget-presets.ts";
import type { Outbound, UpstreamConfig } from "./config.ts";
import { type NamedFiles, readText } from "./files.ts";
import { isExposed, isLoopback } from "./loopback.ts";
import { type Environment, notSet } from "./normalize.ts";
import { Secret } from "./secret.ts";
import { always, either, labelValue, MAX_BYTES, unique, url } from "./values.ts";

/** The values that settings name: variables of the environment, and files. */
export interface Sources {
  readonly env: Environment;
  readonly files: NamedFiles;
}

/** The largest budget. */
export const MAX_REQUESTS = { perMinute: 100_000, perMonth: 10_000_000_000 } as const;

/** The value for no limit of the month. */
const UNLIMITED = "unlimited";

const { keyless, free_key: freeKey } = PRESETS;

const presetWords = Object.entries(PRESETS).map(([name, { perMinute, perMonth = UNLIMITED }]) => [
  name,
  { per_minute: perMinute, per_month: perMonth },
]);

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
        sample: String(keyless.perMinute),
      }),
    per_month: z
      .union([z.int().min(1).max(MAX_REQUESTS.perMonth).meta({ unit: "requests" }), z.literal(UNLIMITED), z.null()])
      .optional()
      .meta({
        description: "Requests in any 31 days. `unlimited` (or `null`) where the API has no monthly limit.",
        absent: `\`${UNLIMITED}\`, or ${freeKey.perMonth} with a key`,
        sample: UNLIMITED,
      }),
  })
  .prefault({})
  .meta({
    words: Object.fromEntries(presetWords),
    absent: "`keyless`, or `free_key` with a key",
    description: "Limits on requests to the API.",
  });

/** The settings of a key, of which one can be set. */
export const KEYS = ["api_key", "api_key_file"] as const;

// The fewest characters of a key that can be found and hidden in a text, and the most that fit in a header.
const KEY_LENGTH = { shortest: 8, longest: 4096 } as const;

/** A key; undefined for a wrong one, of which `report` shows nothing. */
function keyOf(key: string, where: string, report: (message: string) => void): Secret | undefined {
  const { shortest, longest } = KEY_LENGTH;
  const isLong = key.length >= shortest && key.length <= longest;
  if (isLong && key.trim() === key && /^[\x20-\x7e]+$/.test(key)) return new Secret(key);
  const found = key === "" ? "nothing" : "other text";
  report(`expected a key of ${shortest} to ${longest} printable ASCII characters, found ${found} in ${where}`);
  return undefined;
}

// Headers that every request sets, or that belong to the connection. A key in one of them would break all requests.
const TAKEN_HEADER =
  /^(__proto__|accept|accept-encoding|connection|content-length|expect|host|if-none-match|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent)$/i;
const OWN_HEADER = "the name of a header that no request has for itself";

const keyShape = ({ env, files }: Sources) => ({
  api_key: z
    .string()
    .regex(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/)
    .transform((reference, { issues }) => {
      const report = (message: string) => issues.push({ code: "custom", message, input: reference });
      const name = reference.slice("${".length, -"}".length);
      const key = env[name];
      if (key === undefined) report(notSet(name));
      return key === undefined ? undefined : keyOf(key, `the environment variable ${name}`, report);
    })
    .optional()
    .meta({
      sensitive: true,
      isReference: true,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
      expected: '"${NAME}" with the name of an environment variable, or api_key_file instead',
      description: "Key of the API, from an environment variable; a key is never written into this file.",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the file
      sample: "${HIRO_API_KEY}",
    }),
  api_key_file: z
    .string()
    .min(1)
    .transform(async (name, { issues }) => {
      const report = (message: string) => issues.push({ code: "custom", message, input: name });
      const text = await readText(files, name, MAX_BYTES.key, report);
      // Editors end a file with a line break, which is not a part of the key.
      const key = text === undefined ? undefined : keyOf(text.trim(), "the file", report);
      return { path: resolve(files.folder, name), key };
    })
    .optional()
    .meta({
      expected: "the path of a file that holds the key",
      description: "File with the key of the API, relative to this file.",
      sample: "/run/secrets/hiro-api-key",
    }),
  api_key_header: z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/)
    .refine((name) => !TAKEN_HEADER.test(name), OWN_HEADER)
    .default("x-api-key")
    .meta({
      // Users may write `name: key` here.
      sensitive: true,
      expected: OWN_HEADER,
      description: "Header that carries the key.",
      sample: "x-api-key",
    }),
});

/** Whether a text is certificates in PEM. */
export function isCertificate(text: string): boolean {
  try {
    return text.includes("-----BEGIN") && new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}

/** The error of a text that is no certificate. */
export const NO_CERTIFICATE = "expected certificates in PEM, found none that can be read";

/** The path of a file in PEM, with the text of the file. */
export const pemFile = (files: NamedFiles, isValid: (text: string) => boolean = () => true) =>
  z
    .string()
    .min(1)
    .transform(async (name, { issues }) => {
      const report = (message: string) => issues.push({ code: "custom", message, input: name });
      const text = await readText(files, name, MAX_BYTES.certificate, report);
      if (text !== undefined && !isValid(text)) report(NO_CERTIFICATE);
      return { path: resolve(files.folder, name), text: text ?? "" };
    })
    .meta({ expected: "the path of a file" });

const pem = (file: ReturnType<typeof pemFile>, what: string, sample: string) =>
  file.optional().meta({ description: `File with ${what}, in PEM. Read again when it changes.`, sample });

const tls = ({ files }: Sources) =>
  z
    .strictObject({
      ca_file: pem(pemFile(files, isCertificate), "the CA of the server, trusted instead of the public ones", "ca.crt"),
      cert_file: pem(
        pemFile(files, isCertificate),
        "a certificate for the server, which needs `key_file`",
        "client.crt",
      ),
      key_file: pem(pemFile(files), "the key of the certificate, without a passphrase", "client.key"),
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
    .superRefine(({ cert_file: cert, key_file: key }, context) => {
      const report = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
      if (cert === undefined && key !== undefined) report("cert_file", "missing, expected cert_file with key_file");
      if (cert !== undefined && key === undefined) report("key_file", "missing, expected key_file with cert_file");
      try {
        if (cert !== undefined && key !== undefined) createSecureContext({ cert: cert.text, key: key.text });
      } catch {
        const pair = "expected the private key of the certificate in PEM, without a passphrase";
        report("key_file", `${pair}; found something else`);
      }
    })
    .transform(({ ca_file: ca, cert_file: cert, key_file: key, server_name: serverName }): Outbound["tls"] => {
      const paths = [ca, cert, key].flatMap((file) => file?.path ?? []);
      if (paths.length === 0 && serverName === undefined) return undefined;
      return { ca: ca?.text, cert: cert?.text, key: key && new Secret(key.text), serverName, files: paths };
    })
    .prefault({})
    .meta({ description: "TLS of an https URL." });

const NO_PROXY = "none";
const PROXY = `http://host:port or https://host:port, optionally with user:password@, or ${NO_PROXY}`;

function parseProxy(text: string): URL | undefined {
  return /^https?:\/\/[^\s\\/?#]+\/?$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

function proxyOf(text: string, source: string, noProxy = ""): Outbound["proxy"] {
  const url = parseProxy(text);
  if (url === undefined) return undefined;
  const password = url.password === "" ? undefined : new Secret(decodeURIComponent(url.password));
  const origin = noProxy === "" ? url.origin : `${url.origin}, except for NO_PROXY`;
  return { url: new Secret(url.href), origin, noProxy, password, source };
}

const connectionShape = (sources: Sources) => ({
  allow_insecure_key: z
    .boolean()
    .default(false)
    .describe("Whether the key may be sent to an http URL of another machine, where others can read it."),
  tls: tls(sources),
  proxy_url: z
    .string()
    .refine((text) => text === NO_PROXY || parseProxy(text) !== undefined, PROXY)
    .optional()
    .meta({
      sensitive: true,
      expected: PROXY,
      description: "Forward proxy for the requests. `none` ignores the variables of the environment.",
      absent: "`HTTPS_PROXY` or `HTTP_PROXY` of the environment, except for hosts in `NO_PROXY` and for this machine",
      sample: "http://proxy.internal:3128",
    }),
});

/** The settings of an upstream of a network with several. */
const shapeOf = (sources: Sources) => ({
  url: url.meta({
    description: "Base URL of the API.",
    absent: "required, unless there are `upstreams`",
    sample: "https://api.hiro.so",
    isWritten: true,
  }),
  ...keyShape(sources),
  ...connectionShape(sources),
  budget,
});

/** The settings of the only upstream of a network, which are settings of the network itself. */
export const onlyUpstreamShape = (sources: Sources) => {
  const { url: required, ...shape } = shapeOf(sources);
  return { url: required.optional(), ...shape };
};

/** For the names and descriptions of settings, which depend on no file and no variable. */
export const NO_SOURCES: Sources = { env: {}, files: { folder: "", readFile: () => "" } };

/** The names of these settings. */
export const ONLY_UPSTREAM = Object.keys(onlyUpstreamShape(NO_SOURCES));

type Server = z.infer<z.ZodObject<ReturnType<typeof onlyUpstreamShape>>>;

/** The variable of the environment that names a proxy for a URL; undefined if none applies. */
function proxyVariable(url: URL, env: Environment): { readonly name: string; readonly value: string } | undefined {
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const found = [name.toLowerCase(), name].find((key) => env[key]);
  // As in Go: a proxy cannot reach this machine.
  return found === undefined || isLoopback(url) ? undefined : { name: found, value: env[found] ?? "" };
}

/** Rules between the settings of an upstream, whose values need not be valid. */
export function checkUpstream(
  { url: text, tls: secure, ...server }: Partial<Server>,
  { env }: Sources,
  context: z.core.$RefinementCtx,
): void {
  const report = (path: string, message: string, part = "value") =>
    context.addIssue({ code: "custom", path: [path], message, params: { part } });
  if (typeof text !== "string" || !URL.canParse(text)) return;
  const base = new URL(text);
  const hasKey = KEYS.some((key) => server[key] !== undefined);
  if (hasKey && isExposed(base) && server.allow_insecure_key !== true) {
    const https = "expected an https URL because of the API key, or allow_insecure_key: true";
    report("url", `${https}; found an http URL of another machine`);
  }
  if (secure !== undefined && Object.keys(secure).length > 0 && base.protocol === "http:")
    report("tls", "expected tls only with an https URL, found an http URL", "key");
  const variable = server.proxy_url === undefined ? proxyVariable(base, env) : undefined;
  if (variable !== undefined && parseProxy(variable.value) === undefined)
    report("proxy_url", `expected ${PROXY}, found an invalid value in the environment variable ${variable.name}`);
}

/** The upstream of checked settings. */
export function upstreamOf(name: string, server: Server & { readonly url: string }, { env }: Sources): UpstreamConfig {
  const { proxy_url: proxy, api_key_file: file, budget: written } = server;
  const variable = proxyVariable(new URL(server.url), env);
  const fromEnvironment = variable && proxyOf(variable.value, variable.name, env.no_proxy || env.NO_PROXY || undefined);
  const preset = PRESETS[presetOf(server)];
  return {
    name,
    url: server.url,
    apiKey: server.api_key ?? file?.key,
    apiKeyFile: file?.path,
    apiKeyHeader: server.api_key_header,
    outbound: { tls: server.tls, proxy: proxy === undefined ? fromEnvironment : proxyOf(proxy, "proxy_url") },
    budget: {
      perMinute: written.per_minute ?? preset.perMinute,
      perMonth: written.per_month === undefined ? preset.perMonth : Number(written.per_month) || undefined,
    },
  };
}

/** The preset of an upstream: a key belongs to a plan of the API. */
export const presetOf = (server: { readonly [Key in (typeof KEYS)[number]]?: unknown }): Preset =>
  KEYS.some((key) => server[key] !== undefined) ? "free_key" : "keyless";

/** The upstreams of a network that has several. */
export const upstreams = (sources: Sources) => {
  const entry = z
    .strictObject({
      name: labelValue.meta({
        description: "Value of the label `upstream`; different for every upstream of the network.",
        sample: "own-node",
      }),
      ...shapeOf(sources),
    })
    .superRefine((server, context) => checkUpstream(server, sources, context), always)
    .superRefine(...either(KEYS))
    .meta({ exclusive: KEYS })
    .transform(({ name, ...server }) => upstreamOf(name, server, sources));
  return z
    .array(entry)
    .max(10)
    .superRefine(...unique("name", "upstreams"))
    .prefault([])
    .meta({
      uniqueKey: "name",
      description:
        "Several APIs of the same chain, the preferred one first, instead of the settings from `url` to `budget`.",
    });
};
