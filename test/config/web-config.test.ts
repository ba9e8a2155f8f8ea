import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  const good = async (text: string) => {
    const loaded = await load(text);
    if (!loaded.ok) throw new Error(formatErrors(loaded.errors));
    return loaded.web;
  };
  const indented = (path: string) =>
    readFileSync(join(folder, path), "utf8")
      .split("\n")
      .map((line) => `    ${line}`)
      .join("\n");

  test.each([
    ["empty", ""],
    ["empty groups", "tls_server_config:\nhttp_server_config:\nbasic_auth_users:\n"],
    ["empty TLS", "tls_server_config: {}"],
    ["headers only", "http_server_config: { headers: { X-Frame-Options: deny } }"],
    ["users without TLS", `basic_auth_users: { alice: "${HASH}" }`],
  ])("plain HTTP: %s", async (_, text) => {
    expect((await good(text)).tls).toBeUndefined();
  });

  test.each([
    ["certificate and key", `{ ${TLS} }`],
    ["any type, no CA", `{ ${TLS}, client_auth_type: RequireAnyClientCert }`],
    ["the older name of it", `{ ${TLS}, client_auth_type: RequireClientCert }`],
    ["a certificate if given, no CA", `{ ${TLS}, client_auth_type: VerifyClientCertIfGiven }`],
    ["a verified certificate", `{ ${TLS}, client_auth_type: RequireAndVerifyClientCert, client_ca_file: ca.crt }`],
    ["all curves", `{ ${TLS}, curve_preferences: [CurveP256, CurveP384, CurveP521, X25519] }`],
    ["suites without HTTP/2", `{ ${TLS}, cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384], max_version: TLS12 }`],
    ["only suites of TLS 1.3", `{ ${TLS}, cipher_suites: [TLS_AES_128_GCM_SHA256] }`],
    ["old versions", `{ ${TLS}, min_version: TLS10, max_version: TLS11 }`],
    ["no preference", `{ ${TLS}, prefer_server_cipher_suites: false }`],
  ])("TLS: %s", async (_, tls) => {
    expect((await good(`tls_server_config: ${tls}`)).tls).toBeDefined();
  });

  test("TLS: all suites, and the files it was read from", async () => {
    const suites = [
      ...["ECDSA", "RSA"].flatMap((kind) =>
        [
          "AES_128_GCM_SHA256",
          "AES_256_GCM_SHA384",
          "CHACHA20_POLY1305_SHA256",
          "AES_128_CBC_SHA",
          "AES_256_CBC_SHA",
        ].map((suite) => `TLS_ECDHE_${kind}_WITH_${suite}`),
      ),
      "TLS_AES_128_GCM_SHA256",
      "TLS_AES_256_GCM_SHA384",
      "TLS_CHACHA20_POLY1305_SHA256",
    ];
    const loaded = await load(`tls_server_config: { ${TLS}, cipher_suites: [${suites.join(", ")}] }`);

    expect(loaded).toMatchObject({ ok: true });
    expect(loaded.files).toEqual(["web.yml", "server.crt", "server.key"].map((name) => join(folder, name)));
  });

  test("TLS: certificate, key and CA in the file itself", async () => {
    const { tls } = await good(
      `tls_server_config:\n  cert: |\n${indented("server.crt")}\n  key: |\n${indented("server.key")}\n  client_ca: |\n${indented("ca.crt")}\n  client_auth_type: RequireAndVerifyClientCert\n`,
    );

    expect(tls?.clientAuth).toBe("RequireAndVerifyClientCert");
  });

  test("users and headers; blank headers are not sent", async () => {
    const web = await good(
      `basic_auth_users: { alice: "${HASH}" }\nhttp_server_config: { http2: true, headers: { X-Frame-Options: deny, X-XSS-Protection: 1, Content-Security-Policy: "" } }`,
    );

    expect([...web.users]).toEqual([["alice", HASH]]);
    expect(web.headers).toEqual([
      ["X-Frame-Options", "deny"],
      ["X-XSS-Protection", "1"],
    ]);
    expect(web.wantsHttp2).toBe(true);
  });

  test.each([
    ["", undefined],
    ["rate_limit: { interval: 0, burst: 0 }", undefined],
    ["rate_limit: { interval: 500ms, burst: 20 }", { intervalMs: 500, burst: 20 }],
  ])("rate: %s", async (text, rate) => {
    expect((await good(text)).rateLimit).toEqual(rate);
  });

  test.each([
    [
      "no certificate",
      "tls_server_config: { key_file: server.key }",
      "1:20: tls_server_config.cert_file: missing, expected cert_file or cert",
    ],
    [
      "an empty certificate path",
      'tls_server_config: { cert_file: "", key_file: server.key }',
      '1:33: tls_server_config.cert_file: expected the path of a file, found ""',
    ],
    [
      "an empty certificate",
      'tls_server_config: { cert: "", key_file: server.key }',
      '1:28: tls_server_config.cert: expected text in PEM, found ""',
    ],
    [
      "no key",
      "tls_server_config: { cert_file: server.crt }",
      "1:20: tls_server_config.key_file: missing, expected key_file or key",
    ],
    [
      "an empty key",
      'tls_server_config: { cert_file: server.crt, key: "" }',
      "1:50: tls_server_config.key: expected text in PEM, found ***",
    ],
    [
      "certificate and key that are not there",
      "tls_server_config: { cert_file: none, key_file: none }",
      "1:33: tls_server_config.cert_file: expected a file that can be read, found no such file\n" +
        "1:49: tls_server_config.key_file: expected a file that can be read, found no such file",
    ],
    [
      "both forms of a key",
      "tls_server_config: { cert_file: server.crt, key_file: server.key, key: x }",
      "1:45: tls_server_config.key_file: expected either key or key_file, found both",
    ],
    [
      "a certificate that is none",
      "tls_server_config: { cert_file: junk, key_file: server.key }",
      "1:33: tls_server_config.cert_file: expected certificates in PEM, found none that can be read",
    ],
    [
      "a certificate that is not text",
      "tls_server_config: { cert_file: binary, key_file: server.key }",
      "1:33: tls_server_config.cert_file: expected a file with UTF-8 text, found other bytes",
    ],
    [
      "a key that is none",
      "tls_server_config: { cert_file: server.crt, key_file: junk }",
      "1:55: tls_server_config.key_file: expected a private key in PEM without a passphrase, found what OpenSSL refuses (ERR_OSSL_UNSUPPORTED)",
    ],
    [
      "the key of another certificate",
      "tls_server_config: { cert_file: server.crt, key_file: other.key }",
      "1:55: tls_server_config.key_file: expected the key of the certificate, found another",
    ],
    [
      "a CA without a type",
      `tls_server_config: { ${TLS}, client_ca_file: ca.crt }`,
      "1:67: tls_server_config.client_ca_file: expected a client_auth_type that requests a certificate, found NoClientCert",
    ],
    [
      "a CA that is not there",
      `tls_server_config: { ${TLS}, client_ca_file: none, client_auth_type: RequireAndVerifyClientCert }`,
      "1:83: tls_server_config.client_ca_file: expected a file that can be read, found no such file",
    ],
    [
      "a CA that is none",
      `tls_server_config: { ${TLS}, client_ca_file: junk, client_auth_type: RequireAndVerifyClientCert }`,
      "1:83: tls_server_config.client_ca_file: expected certificates in PEM, found none that can be read",
    ],
    [
      "no CA where one is needed",
      `tls_server_config: { ${TLS}, client_auth_type: RequireAndVerifyClientCert }`,
      "1:20: tls_server_config.client_ca_file: missing, expected the CA of the clients for RequireAndVerifyClientCert",
    ],
    [
      "a rate without a unit",
      "rate_limit: { interval: 5, burst: 1 }",
      "1:25: rate_limit.interval: expected 0, or a duration such as 500ms or 1s, found 5",
    ],
    [
      "a rate that refuses everything",
      "rate_limit: { interval: 1s, burst: 0 }",
      "1:36: rate_limit.burst: expected at least 1: 0 refuses every request",
    ],
    [
      "a rate without an interval",
      "rate_limit: { burst: 1 }",
      "1:13: rate_limit.interval: missing, expected 0, or a duration such as 500ms or 1s",
    ],
    [
      "an unknown type",
      `tls_server_config: { ${TLS}, client_auth_type: x }`,
      '1:85: tls_server_config.client_auth_type: expected one of NoClientCert, RequestClientCert, RequireClientCert, RequireAnyClientCert, VerifyClientCertIfGiven, RequireAndVerifyClientCert, found "x"',
    ],
    [
      "an unknown version",
      `tls_server_config: { ${TLS}, min_version: TLS111 }`,
      '1:80: tls_server_config.min_version: expected one of TLS10, TLS11, TLS12, TLS13, found "TLS111"',
    ],
    [
      "versions the wrong way round",
      `tls_server_config: { ${TLS}, min_version: TLS13, max_version: TLS12 }`,
      "1:80: tls_server_config.min_version: expected at most max_version (TLS12), found TLS13",
    ],
    [
      "an invented curve",
      `tls_server_config: { ${TLS}, curve_preferences: [CurveP257] }`,
      '1:87: tls_server_config.curve_preferences[0]: expected one of CurveP256, CurveP384, CurveP521, X25519, found "CurveP257"',
    ],
    [
      "an unknown setting",
      "http_server_config: { http3: true }",
      '1:23: http_server_config.http3: unknown setting; did you mean "http2"?',
    ],
    [
      "an unknown group",
      "web_limit: { interval: 1s }",
      "1:1: web_limit: unknown setting; known here: tls_server_config, http_server_config, basic_auth_users, rate_limit",
    ],
    [
      "a password instead of a hash",
      "basic_auth_users: { john: doe, jane: $2y$10$tooshort }",
      "1:27: basic_auth_users.john: expected a bcrypt hash, as htpasswd -nBC 10 writes it, found ***\n" +
        "1:38: basic_auth_users.jane: expected a bcrypt hash, as htpasswd -nBC 10 writes it, found ***",
    ],
    [
      "a user that no client can send",
      `basic_auth_users: { "a:b": "${HASH}" }`,
      "1:21: basic_auth_users.a:b: expected a user name without a colon",
    ],
    [
      "a value of X-Frame-Options",
      "http_server_config: { headers: { X-Frame-Options: foo } }",
      '1:51: http_server_config.headers.X-Frame-Options: expected deny or sameorigin, found "foo"',
    ],
    [
      "a value of X-Content-Type-Options",
      "http_server_config: { headers: { X-Content-Type-Options: sniff } }",
      '1:58: http_server_config.headers.X-Content-Type-Options: expected nosniff, found "sniff"',
    ],
    [
      "a header that cannot be set",
      "http_server_config: { headers: { Content-Type: foo } }",
      "1:34: http_server_config.headers.Content-Type: unknown setting; known here: Strict-Transport-Security, X-Content-Type-Options, X-Frame-Options, X-XSS-Protection, Content-Security-Policy",
    ],
    [
      "a header that would add another",
      'http_server_config: { headers: { X-XSS-Protection: "1\\r\\nSet-Cookie: a" } }',
      '1:52: http_server_config.headers.X-XSS-Protection: expected text of printable ASCII characters, found "1��Set-Cookie: a"',
    ],
    ["no mapping", "hWkNKCp3fvIx3jKnsaBI", '1:1: expected a mapping, found "hWkNKCp3fvIx3jKnsaBI"'],
    ["no YAML", "a: b: c", '1:4: not valid YAML: text with ": " in it has to be quoted'],
  ])("refuses %s", async (_, text, expected) => {
    const loaded = await load(text);

    expect(loaded.ok ? "no errors" : formatErrors(loaded.errors).replaceAll(join(folder, "web.yml:"), "")).toBe(
      expected,
    );
  });

  test("refuses an invented cipher suite, and names the others", async () => {
    const loaded = await load(
      `tls_server_config: { ${TLS}, cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA2048] }`,
    );

    expect(loaded.ok ? "" : formatErrors(loaded.errors)).toMatch(
      /tls_server_config\.cipher_suites\[0\]: expected one of TLS_AES_128_GCM_SHA256, .*, found "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA2048"$/,
    );
  });

  test("reports all errors at once, and a file that is not there", async () => {
    const loaded = await load(
      "tls_server_config: { cert_file: none, min_version: x }\nbasic_auth_users: { john: doe }\nx: 1\n",
    );
    const none = await loadWebConfig(join(folder, "none.yml"), readRegularFile);

    expect(loaded.ok ? [] : loaded.errors.map(({ path }) => path)).toEqual([
      "tls_server_config.key_file",
      "tls_server_config.cert_file",
      "tls_server_config.min_version",
      "basic_auth_users.john",
      "x",
    ]);
    expect(none).toMatchObject({
      ok: false,
      errors: [{ message: "expected a file that can be read, found no such file" }],
    });
  });
});
