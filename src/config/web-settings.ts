// The settings of the web configuration: the file format that exporters share (exporter-toolkit).
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { z } from "zod";
import type { NamedFiles } from "./files.ts";
import { isMapping } from "./paths.ts";
import { isCertificate, NO_CERTIFICATE, pemFile } from "./upstream-settings.ts";
import { always, duration, either } from "./values.ts";

/** Versions of TLS in their order, and their names in Node.js. */
const TLS_VERSIONS = { TLS10: "TLSv1", TLS11: "TLSv1.1", TLS12: "TLSv1.2", TLS13: "TLSv1.3" } as const;

/** Cipher suites by their names in Go, with their names in OpenSSL. Those of TLS 1.3 have the same names. */
const CIPHER_SUITES = {
  TLS_AES_128_GCM_SHA256: "TLS_AES_128_GCM_SHA256",
  TLS_AES_256_GCM_SHA384: "TLS_AES_256_GCM_SHA384",
  TLS_CHACHA20_POLY1305_SHA256: "TLS_CHACHA20_POLY1305_SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
} as const;

/** Curves, and their names in OpenSSL. */
const CURVES = { CurveP256: "P-256", CurveP384: "P-384", CurveP521: "P-521", X25519: "X25519" } as const;

/** The certificate that a client has to present. `RequireClientCert` is an older name of `RequireAnyClientCert`. */
const CLIENT_AUTH_TYPES = [
  "NoClientCert",
  "RequestClientCert",
  "RequireClientCert",
  "RequireAnyClientCert",
  "VerifyClientCertIfGiven",
  "RequireAndVerifyClientCert",
] as const;
type ClientAuthType = (typeof CLIENT_AUTH_TYPES)[number];

const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>) => Object.keys(record) as [Key, ...Key[]];

/** TLS of the HTTP server. */
export interface TlsConfig {
  readonly context: SecureContextOptions;
  readonly clientAuth: ClientAuthType;
  /** A client certificate has to have one of these subject alternative names; undefined when any will do. */
  readonly allowedSans: readonly string[] | undefined;
}

const pem = z.string().min(1).meta({ expected: "text in PEM" });
const certificate = pem.refine(isCertificate, NO_CERTIFICATE).optional();

// Go does not let anybody choose among the suites of TLS 1.3, and Node.js drops TLS 1.3 when none of them is listed.
const TLS13_SUITES = Object.keys(CIPHER_SUITES).filter((name) => !name.includes("_WITH_"));

const tlsServerConfig = (files: NamedFiles) =>
  z
    .strictObject({
      cert_file: pemFile(files, isCertificate).optional(),
      key_file: pemFile(files).optional(),
      cert: certificate,
      key: pem.optional().meta({ sensitive: true }),
      client_auth_type: z.enum(CLIENT_AUTH_TYPES).default("NoClientCert"),
      client_ca_file: pemFile(files, isCertificate).optional(),
      client_ca: certificate,
      client_allowed_sans: z.array(z.string().min(1)).min(1).max(1000).optional(),
      min_version: z.enum(keysOf(TLS_VERSIONS)).default("TLS12"),
      max_version: z.enum(keysOf(TLS_VERSIONS)).default("TLS13"),
      cipher_suites: z.array(z.enum(keysOf(CIPHER_SUITES))).default([]),
      curve_preferences: z.array(z.enum(keysOf(CURVES))).default([]),
      prefer_server_cipher_suites: z.boolean().default(true),
    })
    .superRefine(...either(["cert", "cert_file"]))
    .superRefine(...either(["key", "key_file"]))
    .superRefine(...either(["client_ca", "client_ca_file"]))
    .superRefine(checkRelations, always)
    .transform((settings, { issues }): TlsConfig => {
      const { min_version, max_version, cipher_suites: suites, curve_preferences: curves } = settings;
      const chosen = suites.map((name) => CIPHER_SUITES[name]).filter((name) => !name.startsWith("TLS_"));
      // OpenSSL refuses the signatures of older versions otherwise.
      const isOld = min_version === "TLS10" || min_version === "TLS11";
      const ciphers = suites.length > 0 ? [...TLS13_SUITES, ...chosen].join(":") : isOld ? "DEFAULT" : undefined;
      const ca = settings.client_ca ?? settings.client_ca_file?.text;
      const context: SecureContextOptions = {
        cert: settings.cert ?? settings.cert_file?.text,
        key: settings.key ?? settings.key_file?.text,
        ...(ca === undefined ? {} : { ca }),
        minVersion: TLS_VERSIONS[min_version],
        maxVersion: TLS_VERSIONS[max_version],
        ...(ciphers === undefined ? {} : { ciphers: isOld ? `${ciphers}:@SECLEVEL=0` : ciphers }),
        ...(curves.length === 0 ? {} : { ecdhCurve: curves.map((name) => CURVES[name]).join(":") }),
        honorCipherOrder: settings.prefer_server_cipher_suites,
      };
      const message = errorInContext(context);
      if (message !== undefined) issues.push({ code: "custom", path: ["key_file"], message, input: settings });
      return { context, clientAuth: settings.client_auth_type, allowedSans: settings.client_allowed_sans };
    })
    .optional();

// Rules between settings, of which each may be invalid by itself.
function checkRelations(settings: unknown, { addIssue }: z.core.$RefinementCtx): void {
  if (!isMapping(settings)) return;
  const report = (path: string, message: string, part = "value") =>
    addIssue({ code: "custom", path: [path], message, params: { part } });
  const isSet = (name: string) => settings[name] !== undefined || settings[`${name}_file`] !== undefined;
  for (const name of ["cert", "key"]) {
    if (!isSet(name)) report(`${name}_file`, `missing, expected ${name}_file or ${name}`);
  }
  const { client_auth_type: type, min_version: min, max_version: max } = settings;
  const [lowest, highest] = [min, max].map((version) => Object.keys(TLS_VERSIONS).indexOf(String(version)));
  if (Number(lowest) > Number(highest)) report("min_version", `expected at most max_version (${max}), found ${min}`);
  for (const name of ["client_ca_file", "client_ca", "client_allowed_sans"]) {
    if (settings[name] !== undefined && type === "NoClientCert")
      report(name, "expected a client_auth_type that requests a certificate, found NoClientCert", "key");
  }
  // Without a CA, the certificate of any public one would do.
  if (type === "RequireAndVerifyClientCert" && !isSet("client_ca"))
    report("client_ca_file", `missing, expected the CA of the clients for ${type}`);
}

// Errors that only OpenSSL finds: a key that cannot be read, or of another certificate.
function errorInContext(context: SecureContextOptions): string | undefined {
  try {
    createSecureContext(context);
    return undefined;
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "unknown error";
    return code === "ERR_OSSL_X509_KEY_VALUES_MISMATCH"
      ? "expected the key of the certificate, found another"
      : `expected a private key in PEM without a passphrase, found what OpenSSL refuses (${code})`;
  }
}

// No control characters, and nothing that a header cannot hold.
const headerText = z
  .union([z.string().regex(/^[\x20-\x7e]*$/), z.number()])
  .transform(String)
  .optional()
  .meta({ expected: "text of printable ASCII characters" });

const httpServerConfig = z
  .strictObject({
    http2: z.boolean().optional(),
    headers: z
      .strictObject({
        "Strict-Transport-Security": headerText,
        "X-Content-Type-Options": z.enum(["", "nosniff"]).optional().meta({ expected: "nosniff" }),
        "X-Frame-Options": z.enum(["", "deny", "sameorigin"]).optional().meta({ expected: "deny or sameorigin" }),
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
    z.string(),
    z.string().regex(BCRYPT_HASH).meta({ sensitive: true, expected: "a bcrypt hash, as htpasswd -nBC 10 writes it" }),
  )
  .superRefine((users: unknown, { addIssue }) => {
    const message = "expected a user name without a colon";
    for (const user of isMapping(users) ? Object.keys(users) : [])
      if (user.includes(":")) addIssue({ code: "custom", path: [user], message, params: { part: "key" } });
  }, always)
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

/** All settings of the web configuration. */
export const webSettings = (files: NamedFiles) =>
  z.strictObject({
    tls_server_config: tlsServerConfig(files),
    http_server_config: httpServerConfig,
    basic_auth_users: users,
    rate_limit: rateLimit,
  });
