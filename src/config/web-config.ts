// Reads the web configuration: TLS, users and headers of the HTTP server, in the format of exporter-toolkit.
import { dirname, resolve } from "node:path";
import { readDocument } from "./document.ts";
import { type ConfigError, ErrorList } from "./errors.ts";
import { type ReadFile, unusable } from "./files.ts";
import { normalize } from "./normalize.ts";
import { isMapping } from "./paths.ts";
import { treeOf } from "./schema.ts";
import { NO_SOURCES } from "./upstream-settings.ts";
import { MAX_BYTES } from "./values.ts";
import { type TlsConfig, webSettings } from "./web-settings.ts";

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

const tree = treeOf(webSettings(NO_SOURCES.files));

/** Loads a web configuration. It rejects only for bugs: errors in the files are a result. */
export async function loadWebConfig(file: string, readFile: ReadFile): Promise<LoadedWebConfig> {
  const files: string[] = [];
  const read: ReadFile = (path, maxBytes) => {
    files.push(path);
    return readFile(path, maxBytes);
  };
  const path = resolve(file);
  let text: string | Uint8Array;
  try {
    text = await read(path, MAX_BYTES.configuration);
  } catch (error) {
    const nowhere = { line: undefined, column: undefined, path: "" };
    return { ok: false, files, errors: [{ file, ...nowhere, message: unusable(error) }] };
  }
  const document = await readDocument(file, text);
  const errors = new ErrorList(tree);
  // Hashes have dollar signs: nothing is replaced by the environment.
  const written = withoutEmptyTls(normalize(document.value ?? {}, tree, [], { env: undefined, errors }));
  const settings = await webSettings({ folder: dirname(path), readFile: read }).safeParseAsync(written);
  for (const issue of settings.error?.issues ?? []) errors.addIssue(issue, written);
  const all = [...document.errors, ...errors.inOrder({ file, locate: document.locate })];
  if (settings.data === undefined || all.length > 0) return { ok: false, files, errors: all };
  const { tls_server_config: tls, basic_auth_users: users, http_server_config: http, rate_limit: rate } = settings.data;
  return {
    ok: true,
    files,
    web: {
      tls,
      users: new Map(Object.entries(users)),
      headers: Object.entries(http.headers).flatMap(([name, value]) => (value ? [[name, value] as const] : [])),
      rateLimit: rate?.interval ? { intervalMs: rate.interval, burst: rate.burst } : undefined,
      wantsHttp2: http.http2 === true,
    },
  };
}

// As in exporter-toolkit, an empty group is plain HTTP.
function withoutEmptyTls(settings: unknown): unknown {
  if (!isMapping(settings) || !isMapping(settings.tls_server_config)) return settings;
  const { tls_server_config: tls, ...others } = settings;
  return Object.keys(tls).length === 0 ? others : settings;
}
