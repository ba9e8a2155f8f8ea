// Reads the web configuration: TLS, users and headers of the HTTP server, in the format of exporter-toolkit.
import { dirname, resolve } from "node:path";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { z } from "zod";
import { readDocument } from "./document.ts";
import { type ConfigError, ErrorList } from "./errors.ts";
import { type NamedFiles, type ReadFile, readText, unusable } from "./files.ts";
import { normalize } from "./normalize.ts";
import { isMapping, type Path, valueAt } from "./paths.ts";
import { treeOf } from "./schema.ts";
import { isCertificate } from "./upstream-settings.ts";
import { MAX_BYTES } from "./values.ts";
import {
  CIPHER_SUITES,
  type ClientAuthType,
  CURVES,
  TLS_VERSIONS,
  type TlsVersion,
  webSettings,
} from "./web-settings.ts";

/** TLS of the HTTP server. */
export interface TlsConfig {
  readonly context: SecureContextOptions;
  readonly clientAuth: ClientAuthType;
  /** A client certificate has to have one of these subject alternative names; undefined when any will do. */
  readonly allowedSans: readonly string[] | undefined;
}

/** A checked web configuration. */
export interface WebConfig {
  /** Undefined for plain HTTP. */
  readonly tls: TlsConfig | undefined;
  /** Bcrypt hashes by user; without users, no password is required. */
  readonly users: ReadonlyMap<string, string>;
  /** Headers of every response. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The limit of the rate of requests: one in each interval, and a burst of them at once. Undefined for none. */
  readonly rateLimit: { readonly intervalMs: number; readonly burst: number } | undefined;
  /** Whether the file enables HTTP/2. */
  readonly wantsHttp2: boolean;
}

/** A web configuration, or all of its errors; and the files that it was read from, absolute. */
export type LoadedWebConfig = { readonly files: readonly string[] } & (
  | { readonly ok: true; readonly web: WebConfig }
  | { readonly ok: false; readonly errors: readonly ConfigError[] }
);

const tree = treeOf(webSettings);

/** Loads a web configuration. It rejects only for bugs: errors in the files are a result. */
export async function loadWebConfig(file: string, readFile: ReadFile): Promise<LoadedWebConfig> {
  const path = resolve(file);
  let text: string | Uint8Array;
  try {
    text = await readFile(path, MAX_BYTES.configuration);
  } catch (error) {
    const nowhere = { line: undefined, column: undefined, path: "" };
    return { ok: false, files: [path], errors: [{ file, ...nowhere, message: unusable(error) }] };
  }
  const document = await readDocument(file, text);
  const errors = new ErrorList({ file, locate: document.locate, tree, flags: new Map() });
  // Hashes have dollar signs: nothing is replaced by the environment.
  const written = normalize(document.value ?? {}, tree, [], { env: undefined, errors });
  const result = webSettings.safeParse(written);
  for (const issue of result.error?.issues ?? []) errors.addIssue(issue, written);
  for (const user of Object.keys(
    isMapping(written) && isMapping(written.basic_auth_users) ? written.basic_auth_users : {},
  )) {
    if (user.includes(":")) errors.add(["basic_auth_users", user], "expected a user name without a colon", "key");
  }
  const { interval, burst = 0 } = result.data?.rate_limit ?? {};
  if (interval && burst < 1) errors.add(["rate_limit", "burst"], "expected at least 1: 0 refuses every request");
  const tls = valueAt(written, ["tls_server_config"]);
  const context = { files: { folder: dirname(path), readFile }, errors, tls };
  const parts = isMapping(tls) && Object.keys(tls).length > 0 ? await readParts(context) : undefined;
  const files = [path, ...(parts?.files ?? [])];
  const settings = result.data;
  const secure = settings?.tls_server_config;
  let checked: TlsConfig | undefined;
  if (secure !== undefined && parts !== undefined) {
    checkRelations(secure, errors);
    const { client_auth_type: clientAuth, client_allowed_sans: allowedSans } = secure;
    checked = { context: contextOf(secure, parts), clientAuth, allowedSans };
    if (errors.inOrder.length === 0) checkContext(checked.context, errors);
  }
  const all = [...document.errors, ...errors.inOrder];
  if (settings === undefined || all.length > 0) return { ok: false, files, errors: all };
  const { basic_auth_users: users, http_server_config: http, rate_limit: rate } = settings;
  return {
    ok: true,
    files,
    web: {
      tls: checked,
      users: new Map(Object.entries(users)),
      headers: Object.entries(http.headers).flatMap(([name, value]) => (value ? [[name, value] as const] : [])),
      rateLimit: rate?.interval ? { intervalMs: rate.interval, burst: rate.burst } : undefined,
      wantsHttp2: http.http2 === true,
    },
  };
}

type TlsSettings = NonNullable<z.infer<typeof webSettings>["tls_server_config"]>;

interface Parts {
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly ca: string | undefined;
  readonly files: readonly string[];
}

interface Context {
  readonly files: NamedFiles;
  readonly errors: ErrorList;
  readonly tls: unknown;
}

const AT: Path = ["tls_server_config"];

/** The certificate, the key and the CA, each from a file or from the configuration. Reports errors. */
async function readParts({ files, errors, tls }: Context): Promise<Parts> {
  const read: string[] = [];
  const part = async (name: string, isRequired: boolean): Promise<string | undefined> => {
    const [text, file] = [valueAt(tls, [name]), valueAt(tls, [`${name}_file`])];
    const at = [...AT, `${name}_file`];
    if (text !== undefined && file !== undefined) {
      errors.add(at, `expected either ${name} or ${name}_file, found both`, "key");
      return undefined;
    }
    if (typeof text === "string" && text !== "") return text;
    if (text !== undefined) return undefined;
    if (file === undefined && isRequired) errors.add(at, `missing, expected ${name}_file or ${name}`);
    if (typeof file !== "string" || file === "") return undefined;
    read.push(resolve(files.folder, file));
    return readText(files, file, MAX_BYTES.certificate, (message) => errors.add(at, message));
  };
  const [cert, key, ca] = [await part("cert", true), await part("key", true), await part("client_ca", false)];
  const checkCertificate = (name: string, text: string | undefined) => {
    if (text === undefined || isCertificate(text)) return;
    const at = [...AT, valueAt(tls, [name]) === undefined ? `${name}_file` : name];
    errors.add(at, "expected certificates in PEM, found none that can be read");
  };
  checkCertificate("cert", cert);
  checkCertificate("client_ca", ca);
  return { cert, key, ca, files: read };
}

const versionsInOrder = Object.keys(TLS_VERSIONS) as TlsVersion[];

function checkRelations(settings: TlsSettings, errors: ErrorList): void {
  const { client_auth_type: type, min_version: min, max_version: max } = settings;
  if (versionsInOrder.indexOf(min) > versionsInOrder.indexOf(max)) {
    errors.add([...AT, "min_version"], `expected at most max_version (${max}), found ${min}`);
  }
  const isAsked = type !== "NoClientCert";
  for (const name of ["client_ca_file", "client_ca", "client_allowed_sans"] as const) {
    if (settings[name] === undefined || isAsked) continue;
    errors.add([...AT, name], "expected a client_auth_type that requests a certificate, found NoClientCert", "key");
  }
  // Without a CA, the certificate of any public one would do.
  if (
    type === "RequireAndVerifyClientCert" &&
    settings.client_ca_file === undefined &&
    settings.client_ca === undefined
  ) {
    errors.add([...AT, "client_ca_file"], `missing, expected the CA of the clients for ${type}`);
  }
}

// Go does not let anybody choose among the suites of TLS 1.3, and Node.js drops TLS 1.3 when none of them is listed.
const TLS13_SUITES = Object.keys(CIPHER_SUITES).filter((name) => !name.includes("_WITH_"));

function contextOf(settings: TlsSettings, { cert, key, ca }: Parts): SecureContextOptions {
  const { cipher_suites: suites, curve_preferences: curves, min_version, max_version } = settings;
  const chosen = suites.map((name) => CIPHER_SUITES[name]).filter((name) => !name.startsWith("TLS_"));
  // OpenSSL refuses the signatures of older versions otherwise.
  const isOld = min_version === "TLS10" || min_version === "TLS11";
  const ciphers = suites.length > 0 ? [...TLS13_SUITES, ...chosen].join(":") : isOld ? "DEFAULT" : undefined;
  return {
    cert,
    key,
    ...(ca === undefined ? {} : { ca }),
    minVersion: TLS_VERSIONS[min_version],
    maxVersion: TLS_VERSIONS[max_version],
    ...(ciphers === undefined ? {} : { ciphers: isOld ? `${ciphers}:@SECLEVEL=0` : ciphers }),
    ...(curves.length === 0 ? {} : { ecdhCurve: curves.map((name) => CURVES[name]).join(":") }),
    honorCipherOrder: settings.prefer_server_cipher_suites,
  };
}

// Errors that only OpenSSL finds: a key that cannot be read, or of another certificate.
function checkContext(context: SecureContextOptions, errors: ErrorList): void {
  try {
    createSecureContext(context);
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "unknown error";
    const at = [...AT, "key_file"];
    if (code === "ERR_OSSL_X509_KEY_VALUES_MISMATCH")
      errors.add(at, "expected the key of the certificate, found another");
    else errors.add(at, `expected a private key in PEM without a passphrase, found what OpenSSL refuses (${code})`);
  }
}
