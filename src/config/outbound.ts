// Connection settings of an upstream: its CA, a client certificate, and a proxy.
import { X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import type { Outbound } from "./config.ts";
import type { ErrorList } from "./errors.ts";
import { type NamedFiles, readText } from "./files.ts";
import { isExposed } from "./loopback.ts";
import { type Environment, isMapping, valueAt } from "./normalize.ts";
import { NO_PROXY, PROXY_EXPECTED, parseProxy, proxyVariable } from "./proxy.ts";
import type { Path } from "./schema.ts";
import { Secret } from "./secret.ts";
import { MAX_BYTES } from "./settings.ts";
import { parseUrl } from "./values.ts";

interface Context {
  readonly env: Environment;
  readonly files: NamedFiles;
  readonly errors: ErrorList;
}

/** The connection settings of one upstream. Reports errors in them. */
export async function readOutbound(upstream: unknown, at: Path, context: Context): Promise<Outbound> {
  return { tls: await readTls(upstream, at, context), proxy: readProxy(upstream, at, context) };
}

/** Reports a key that others could read on its way. */
export function checkKeyIsHidden(upstream: unknown, at: Path, errors: ErrorList): void {
  const url = urlOf(upstream);
  const hasKey = ["api_key", "api_key_file"].some((name) => valueAt(upstream, [name]) !== undefined);
  if (url === undefined || !hasKey || !isExposed(url) || valueAt(upstream, ["allow_insecure_key"]) === true) return;
  errors.add(
    [...at, "url"],
    "expected an https URL because of the API key, or allow_insecure_key: true; found an http URL of another machine",
  );
}

function urlOf(upstream: unknown): URL | undefined {
  const text = valueAt(upstream, ["url"]);
  const url = typeof text === "string" ? parseUrl(text) : undefined;
  return url === undefined ? undefined : new URL(url);
}

async function readTls(upstream: unknown, at: Path, { files, errors }: Context): Promise<Outbound["tls"]> {
  const settings = valueAt(upstream, ["tls"]);
  if (!isMapping(settings) || Object.keys(settings).length === 0) return undefined;
  const paths: string[] = [];
  const read = async (name: string): Promise<string | undefined> => {
    const file = settings[name];
    if (typeof file !== "string" || file === "") return undefined;
    paths.push(resolve(files.folder, file));
    const report = (message: string) => errors.add([...at, "tls", name], message);
    return readText(
      files,
      file,
      MAX_BYTES.certificate,
      report,
      "expected text in PEM, found a file that is not UTF-8 text",
    );
  };
  const [ca, cert, key] = [await read("ca_file"), await read("cert_file"), await read("key_file")];
  for (const [name, text] of [["ca_file", ca] as const, ["cert_file", cert] as const]) {
    if (text === undefined || isCertificate(text)) continue;
    errors.add([...at, "tls", name], "expected certificates in PEM, found none that can be read");
  }
  for (const [name, other] of [["cert_file", "key_file"] as const, ["key_file", "cert_file"] as const]) {
    if (settings[name] !== undefined || settings[other] === undefined) continue;
    errors.add([...at, "tls", name], `missing, expected ${name} with ${other}`);
  }
  if (cert !== undefined && key !== undefined && isCertificate(cert))
    checkPair(cert, key, [...at, "tls", "key_file"], errors);
  if (urlOf(upstream)?.protocol === "http:") {
    errors.add([...at, "tls"], "expected tls only with an https URL, found an http URL", "key");
  }
  const name = settings.server_name;
  const serverName = typeof name === "string" ? name : undefined;
  return { ca, cert, key: key === undefined ? undefined : new Secret(key), serverName, files: paths };
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}

// Errors that only OpenSSL finds: a key that cannot be read, or of another certificate.
function checkPair(cert: string, key: string, at: Path, errors: ErrorList): void {
  try {
    createSecureContext({ cert, key });
  } catch {
    errors.add(at, "expected the private key of the certificate in PEM, without a passphrase; found something else");
  }
}

function readProxy(upstream: unknown, at: Path, { env, errors }: Context): Outbound["proxy"] {
  const path = [...at, "proxy_url"];
  const configured = valueAt(upstream, ["proxy_url"]);
  if (typeof configured === "string") {
    if (configured === NO_PROXY) return undefined;
    const url = parseProxy(configured);
    return url === undefined ? undefined : proxyOf(url, "proxy_url");
  }
  const url = urlOf(upstream);
  const variable = url && proxyVariable(url, env);
  if (configured !== undefined || variable === undefined) return undefined;
  const proxy = parseProxy(variable.value);
  if (proxy !== undefined) return proxyOf(proxy, variable.name);
  errors.add(path, `expected ${PROXY_EXPECTED}, found an invalid value in the environment variable ${variable.name}`);
  return undefined;
}

function proxyOf(url: URL, source: string): Outbound["proxy"] {
  const password = url.password === "" ? undefined : new Secret(decodeURIComponent(url.password));
  return { url: new Secret(url.href), origin: url.origin, password, source };
}
