// The settings of the web configuration: the file format that exporters share (exporter-toolkit).
import { z } from "zod";
import { duration } from "./values.ts";

/** Versions of TLS, and their names in Node.js. */
export const TLS_VERSIONS = { TLS10: "TLSv1", TLS11: "TLSv1.1", TLS12: "TLSv1.2", TLS13: "TLSv1.3" } as const;
export type TlsVersion = keyof typeof TLS_VERSIONS;

/** Cipher suites by their names in Go, with their names in OpenSSL. Those of TLS 1.3 have the same names. */
export const CIPHER_SUITES = {
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
export const CURVES = { CurveP256: "P-256", CurveP384: "P-384", CurveP521: "P-521", X25519: "X25519" } as const;

/** The certificate that a client has to present. `RequireClientCert` is an older name of `RequireAnyClientCert`. */
const CLIENT_AUTH_TYPES = [
  "NoClientCert",
  "RequestClientCert",
  "RequireClientCert",
  "RequireAnyClientCert",
  "VerifyClientCertIfGiven",
  "RequireAndVerifyClientCert",
] as const;
export type ClientAuthType = (typeof CLIENT_AUTH_TYPES)[number];

const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>) => Object.keys(record) as [Key, ...Key[]];

const file = z.string().min(1).optional().meta({ expected: "the path of a file" });
const pem = z.string().min(1).optional().meta({ expected: "text in PEM" });

const tlsServerConfig = z
  .strictObject({
    cert_file: file,
    key_file: file,
    cert: pem,
    key: pem.meta({ sensitive: true }),
    client_auth_type: z.enum(CLIENT_AUTH_TYPES).default("NoClientCert"),
    client_ca_file: file,
    client_ca: pem,
    client_allowed_sans: z.array(z.string().min(1)).min(1).max(1000).optional(),
    min_version: z.enum(keysOf(TLS_VERSIONS)).default("TLS12"),
    max_version: z.enum(keysOf(TLS_VERSIONS)).default("TLS13"),
    cipher_suites: z.array(z.enum(keysOf(CIPHER_SUITES))).default([]),
    curve_preferences: z.array(z.enum(keysOf(CURVES))).default([]),
    prefer_server_cipher_suites: z.boolean().default(true),
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
  .default({});

// In exporter-toolkit, an interval of 0 switches the limit off, and a burst of 0 refuses every request.
const rateLimit = z
  .strictObject({
    interval: z
      .union([z.literal(0), duration("1ms", "24h")])
      .meta({ expected: "0, or a duration such as 500ms or 1s" }),
    burst: z.int().min(0).max(1_000_000).default(0),
  })
  .optional();

/** All settings of the web configuration. */
export const webSettings = z.strictObject({
  tls_server_config: tlsServerConfig,
  http_server_config: httpServerConfig,
  basic_auth_users: users,
  rate_limit: rateLimit,
});
