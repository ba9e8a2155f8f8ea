import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { formatErrors } from "../../src/config/errors.ts";
import { readRegularFile } from "../../src/config/files.ts";
import { loadWebConfig } from "../../src/config/web-config.ts";
import { Certificates } from "../support/certificates.ts";
import { describeWith } from "../support/installed.ts";

const HASH = "$2y$10$qRTBuFoULoYNA7AQ/F3ck.trZBPyjV64.oA4ZsSBCIWvXuvQlQTuu";
const TLS = "cert_file: server.crt, key_file: server.key";
const NO_FILE = "expected a file that can be read, found no such file";

describeWith("openssl")("the web configuration", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stacks-exporter-web-"));
    const certificates = new Certificates(folder);
    certificates.signed("server", "DNS:localhost");
    certificates.selfSigned("other");
    writeFileSync(join(folder, "junk"), "no certificate\n");
    writeFileSync(join(folder, "binary"), Uint8Array.of(0xff, 0xfe));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const load = (text: string) => {
    const file = join(folder, "web.yml");
    writeFileSync(file, text);
    return loadWebConfig(file, readRegularFile);
  };

  test.each<[string, { readonly headers?: string[]; readonly [part: string]: unknown }]>([
    ["", {}],
    ["tls_server_config:\nhttp_server_config:\nbasic_auth_users:\n", {}],
    ["http_server_config: { http2: false }", {}],
    [`tls_server_config: { ${TLS} }`, { clientAuth: "NoClientCert" }],
    [`tls_server_config: { ${TLS}, client_auth_type: RequireAnyClientCert }`, { clientAuth: "RequireAnyClientCert" }],
    [`tls_server_config: { ${TLS}, min_version: TLS13 }`, { clientAuth: "NoClientCert" }],
    [
      `tls_server_config: { ${TLS}, client_auth_type: RequireAndVerifyClientCert, client_ca_file: ca.crt, client_allowed_sans: [a] }`,
      { clientAuth: "RequireAndVerifyClientCert", allowedSans: ["a"] },
    ],
    [`basic_auth_users: { alice: "${HASH}" }`, { users: [["alice", HASH]] }],
    [
      'http_server_config: { headers: { X-Frame-Options: deny, X-XSS-Protection: 1, Content-Security-Policy: "" } }',
      { headers: ["X-Frame-Options: deny", "X-XSS-Protection: 1"] },
    ],
    ["rate_limit: { interval: 0, burst: 0 }", {}],
    ["rate_limit: { interval: 500ms, burst: 20 }", { rateLimit: { intervalMs: 500, burst: 20 } }],
  ])("accepts %j", async (text, expected) => {
    const loaded = await load(text);
    if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
    const { tls, users, headers, rateLimit } = loaded.web;

    expect({
      clientAuth: tls?.clientAuth,
      allowedSans: tls?.allowedSans,
      users: [...users],
      headers,
      rateLimit,
    }).toEqual({ users: [], ...expected, headers: (expected.headers ?? []).map((header) => header.split(": ")) });
  });

  // Each error has the place of a flow mapping in one line.
  test.each([
    [
      "tls_server_config: { key_file: server.key }",
      "1:20: tls_server_config.cert_file: missing, expected the path of a file",
    ],
    [
      "tls_server_config: { cert_file: server.crt }",
      "1:20: tls_server_config.key_file: missing, expected the path of a file",
    ],
    [
      'tls_server_config: { cert_file: "", key_file: server.key }',
      '1:33: tls_server_config.cert_file: expected the path of a file, found ""',
    ],
    [
      "tls_server_config: { cert_file: none, key_file: none }",
      `1:33: tls_server_config.cert_file: ${NO_FILE}\n1:49: tls_server_config.key_file: ${NO_FILE}`,
    ],
    [
      "tls_server_config: { cert_file: junk, key_file: server.key }",
      "1:20: tls_server_config: expected certificates and their key in PEM without a passphrase, found what OpenSSL refuses (ERR_OSSL_PEM_NO_START_LINE)",
    ],
    [
      "tls_server_config: { cert_file: binary, key_file: server.key }",
      "1:33: tls_server_config.cert_file: expected a file with UTF-8 text, found other bytes",
    ],
    [
      "tls_server_config: { cert_file: server.crt, key_file: junk }",
      "1:20: tls_server_config: expected certificates and their key in PEM without a passphrase, found what OpenSSL refuses (ERR_OSSL_UNSUPPORTED)",
    ],
    [
      "tls_server_config: { cert_file: server.crt, key_file: other.key }",
      "1:20: tls_server_config: expected certificates and their key in PEM without a passphrase, found what OpenSSL refuses (ERR_OSSL_X509_KEY_VALUES_MISMATCH)",
    ],
    [
      `tls_server_config: { ${TLS}, client_ca_file: ca.crt }`,
      "1:20: tls_server_config: expected a client_auth_type that requests a certificate, found NoClientCert",
    ],
    [
      `tls_server_config: { ${TLS}, client_ca_file: none, client_auth_type: RequireAndVerifyClientCert }`,
      `1:83: tls_server_config.client_ca_file: ${NO_FILE}`,
    ],
    [
      `tls_server_config: { ${TLS}, client_auth_type: RequireAndVerifyClientCert }`,
      "1:20: tls_server_config.client_ca_file: missing, expected the CA for RequireAndVerifyClientCert",
    ],
    [
      `tls_server_config: { ${TLS}, client_auth_type: x }`,
      '1:85: tls_server_config.client_auth_type: expected one of NoClientCert, RequestClientCert, RequireClientCert, RequireAnyClientCert, VerifyClientCertIfGiven, RequireAndVerifyClientCert, found "x"',
    ],
    [
      `tls_server_config: { ${TLS}, min_version: TLS10 }`,
      '1:80: tls_server_config.min_version: expected one of TLS12, TLS13, found "TLS10"',
    ],
    [
      `tls_server_config: { ${TLS}, cipher_suites: [TLS_AES_128_GCM_SHA256] }`,
      "1:67: tls_server_config.cipher_suites: unknown setting; known here: cert_file, key_file, client_auth_type, client_ca_file, client_allowed_sans, min_version",
    ],
    [
      "rate_limit: { interval: 5, burst: 1 }",
      "1:25: rate_limit.interval: expected 0, or a duration such as 500ms or 1s, found 5",
    ],
    ["rate_limit: { interval: 1s, burst: 0 }", "1:36: rate_limit.burst: expected at least 1: 0 refuses every request"],
    ["rate_limit: { burst: 1 }", "1:13: rate_limit.interval: missing, expected 0, or a duration such as 500ms or 1s"],
    [
      "http_server_config: { http2: true }",
      "1:30: http_server_config.http2: expected false: HTTP/1.1 is served, found true",
    ],
    ["http_server_config: { http3: true }", '1:23: http_server_config.http3: unknown setting; did you mean "http2"?'],
    [
      'http_server_config: { headers: { X-XSS-Protection: "1\\r\\nSet-Cookie: a" } }',
      "1:52: http_server_config.headers.X-XSS-Protection: expected text of printable ASCII characters, found text of 16 characters",
    ],
    [
      "basic_auth_users: { john: doe, jane: $2y$10$tooshort }",
      "1:27: basic_auth_users.john: expected a bcrypt hash, as htpasswd -nBC 10 writes it, found ***\n" +
        "1:38: basic_auth_users.jane: expected a bcrypt hash, as htpasswd -nBC 10 writes it, found ***",
    ],
    [
      `basic_auth_users: { "a:b": "${HASH}" }`,
      '1:21: basic_auth_users.a:b: expected a user name without a colon, found "a:b"',
    ],
    ["hWkNKCp3fvIx3jKnsaBI", '1:1: expected a mapping, found "hWkNKCp3fvIx3jKnsaBI"'],
    ["a: b: c", '1:4: not valid YAML: text with ": " in it has to be quoted'],
    [
      "tls_server_config: { cert_file: none, min_version: x }\nbasic_auth_users: { john: doe }\nx: 1\n",
      `1:20: tls_server_config.key_file: missing, expected the path of a file
1:33: tls_server_config.cert_file: ${NO_FILE}
1:52: tls_server_config.min_version: expected one of TLS12, TLS13, found "x"
2:27: basic_auth_users.john: expected a bcrypt hash, as htpasswd -nBC 10 writes it, found ***
3:1: x: unknown setting; known here: tls_server_config, http_server_config, basic_auth_users, rate_limit`,
    ],
  ])("refuses %j", async (text, expected) => {
    const loaded = await load(text);
    const errors = loaded.ok ? "no errors" : formatErrors(loaded.errors);

    expect(errors.replaceAll(join(folder, "web.yml:"), "")).toBe(expected);
  });

  test("names the files that it was read from, also a missing one", async () => {
    const loaded = await load(`tls_server_config: { ${TLS} }`);
    const none = await loadWebConfig(join(folder, "none.yml"), readRegularFile);

    expect(loaded.files).toEqual(["web.yml", "server.crt", "server.key"].map((name) => join(folder, name)));
    expect(none).toMatchObject({ ok: false, errors: [{ message: NO_FILE }] });
  });
});
