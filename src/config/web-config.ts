// Reads the web configuration: TLS, users and headers of the HTTP server, in the format of exporter-toolkit. A setting
// of exporter-toolkit that is not supported is an error, like any unknown one.
import { dirname } from "node:path";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { z } from "zod";
import { type ConfigError, errorsOf } from "./errors.ts";
import { MAX_BYTES, type NamedFiles, openDocument, type ReadFile, textFile } from "./files.ts";
import { treeOf } from "./schema.ts";
import { duration } from "./values.ts";

/** The certificate that a client has to present. `RequireClientCert` is an older name of `RequireAnyClientCert`. */
const CLIENT_AUTH_TYPES = [
  "NoClientCert",
  "RequestClientCert",
  "RequireClientCert",
  "RequireAnyClientCert",
  "VerifyClientCertIfGiven",
  "RequireAndVerifyClientCert",
] as const;

const TLS_VERSIONS = { TLS12: "TLSv1.2", TLS13: "TLSv1.3" } as const;

const tlsServerConfig = (files: NamedFiles) =>
  z
    .strictObject({
      cert_file: textFile(files, MAX_BYTES.certificate),
      key_file: textFile(files, MAX_BYTES.certificate),
      client_auth_type: z.enum(CLIENT_AUTH_TYPES).default("NoClientCert"),
      client_ca_file: textFile(files, MAX_BYTES.certificate).optional(),
      client_allowed_sans: z.array(z.string().min(1)).min(1).max(1000).optional(),
      min_version: z.enum(["TLS12", "TLS13"]).default("TLS12"),
    })
    .transform((settings, { addIssue }) => {
      const { cert_file: cert, key_file: key, client_ca_file: ca, client_auth_type: clientAuth } = settings;
      const { client_allowed_sans: allowedSans } = settings;
      if (clientAuth === "NoClientCert" && (ca ?? allowedSans) !== undefined)
        addIssue("expected a client_auth_type that requests a certificate, found NoClientCert");
      // Without a CA, the certificate of any public one would do.
      if (clientAuth === "RequireAndVerifyClientCert" && ca === undefined)
        addIssue({ code: "custom", path: ["client_ca_file"], message: `missing, expected the CA for ${clientAuth}` });
      const context: SecureContextOptions = {
        cert: cert.text,
        key: key.text,
        ...(ca === undefined ? {} : { ca: ca.text }),
        minVersion: TLS_VERSIONS[settings.min_version],
      };
      try {
        createSecureContext(context);
      } catch (error) {
        const { code = "unknown error" } = error as { readonly code?: unknown };
        addIssue(
          `expected certificates and their key in PEM without a passphrase, found what OpenSSL refuses (${code})`,
        );
      }
      return { context, clientAuth, allowedSans };
    })
    .optional();

// No control characters, and nothing that a header cannot hold.
const headerText = z
  .union([z.string().regex(/^[\x20-\x7e]*$/), z.number()])
  .transform(String)
  .optional()
  .meta({ expected: "text of printable ASCII characters" });

const httpServerConfig = z
  .strictObject({
    http2: z.literal(false).optional().meta({ expected: "false: HTTP/1.1 is served" }),
    headers: z
      .strictObject({
        "Strict-Transport-Security": headerText,
        "X-Content-Type-Options": headerText,
        "X-Frame-Options": headerText,
        "X-XSS-Protection": headerText,
        "Content-Security-Policy": headerText,
      })
      .prefault({}),
  })
  .prefault({});

// The costs that bcrypt knows. Its salt and its hash have 53 characters.
const BCRYPT_HASH = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

const users = z
  .record(
    z.string().regex(/^[^:]*$/, "a user name without a colon"),
    z.string().regex(BCRYPT_HASH).meta({ sensitive: true, expected: "a bcrypt hash, as htpasswd -nBC 10 writes it" }),
  )
  .default({});

// In exporter-toolkit, an interval of 0 switches the limit off, and a burst of 0 refuses every request.
const rateLimit = z
  .strictObject({
    interval: z
      .union([z.literal(0), duration("1ms", "24h")])
      .meta({ expected: "0, or a duration such as 500ms or 1s" }),
    burst: z.int().min(0).max(1_000_000).default(0),
  })
  .refine(({ interval, burst }) => interval === 0 || burst > 0, {
    path: ["burst"],
    message: "expected at least 1: 0 refuses every request",
  })
  .optional();

const webSettings = (files: NamedFiles) =>
  z
    .strictObject({
      tls_server_config: tlsServerConfig(files),
      http_server_config: httpServerConfig,
      basic_auth_users: users,
      rate_limit: rateLimit,
    })
    .transform(({ tls_server_config: tls, basic_auth_users, http_server_config: { headers }, rate_limit: rate }) => ({
      tls,
      /** Bcrypt hashes by user; without users, no password is required. */
      users: new Map(Object.entries(basic_auth_users)),
      headers: Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value] as const] : [])),
      /** The limit of the rate of requests: one in each interval, and a burst of them at once. Undefined for none. */
      rateLimit: rate?.interval ? { intervalMs: rate.interval, burst: rate.burst } : undefined,
    }));

/** A checked web configuration. */
export type WebConfig = Readonly<z.infer<ReturnType<typeof webSettings>>>;

/** TLS of the HTTP server. */
export type TlsConfig = NonNullable<WebConfig["tls"]>;

/** A web configuration, or all of its errors; and the files that it was read from, absolute. */
export type LoadedWebConfig = { readonly files: readonly string[] } & (
  | { readonly ok: true; readonly web: WebConfig }
  | { readonly ok: false; readonly errors: readonly ConfigError[] }
);

const tree = treeOf(webSettings({ folder: "", readFile: () => "" }));

/** Loads a web configuration. It rejects only for bugs: errors in the files are a result. */
export async function loadWebConfig(file: string, readFile: ReadFile): Promise<LoadedWebConfig> {
  const files: string[] = [];
  const read: ReadFile = (path, maxBytes) => {
    files.push(path);
    return readFile(path, maxBytes);
  };
  const document = await openDocument(file, read);
  const root = document.value ?? {};
  const settings = await webSettings({ folder: dirname(file), readFile: read }).safeParseAsync(root);
  const errors = [...document.errors, ...errorsOf(settings.error?.issues ?? [], { ...document, tree, root })];
  if (settings.data === undefined || errors.length > 0) return { ok: false, files, errors };
  return { ok: true, files, web: settings.data };
}
