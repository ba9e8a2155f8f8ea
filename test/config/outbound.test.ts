// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readRegularFile } from "../../src/config/files.ts";
import { Certificates } from "../support/certificates.ts";
import { describeWith } from "../support/installed.ts";
import { configOf, env, errorsOf } from "./fixture.ts";

const network = (settings: string, url = "https://api.example") =>
  `networks:\n  - name: m\n    url: "${url}"\n    ${settings}\n`;
const outboundOf = async (text: string, options: Parameters<typeof configOf>[1] = {}) =>
  (await configOf(text, options)).networks[0]?.upstreams[0].outbound;

describe("a proxy", () => {
  const proxied = { ...env, PROXY: "http://user:planted%20secret@proxy:3128" };

  test("is read from the configuration, and its password is a secret", async () => {
    const text = network("proxy_url: ${PROXY}");
    const outbound = await outboundOf(text, { env: proxied });

    expect(outbound?.proxy).toMatchObject({ origin: "http://proxy:3128", source: "proxy_url" });
    expect(outbound?.proxy?.url.reveal()).toBe("http://user:planted%20secret@proxy:3128/");
    expect(outbound?.proxy?.password?.reveal()).toBe("planted secret");
    const config = await configOf(text, { env: proxied });
    expect(`${JSON.stringify(config)}${inspect(config, { depth: 9 })}`).not.toContain("planted");
  });

  test("is read from the environment if it is not configured, unless it is `none`", async () => {
    const environment = { env: { ...env, HTTPS_PROXY: "http://proxy:1" } };

    expect((await outboundOf(network("longest_pause: 1m"), environment))?.proxy).toMatchObject({
      origin: "http://proxy:1",
      source: "HTTPS_PROXY",
    });
    expect((await outboundOf(network("proxy_url: none"), environment))?.proxy).toBeUndefined();
    expect((await outboundOf(network("longest_pause: 1m")))?.proxy).toBeUndefined();
    const own = await outboundOf(network("longest_pause: 1m", "https://localhost:3999"), environment);
    expect(own?.proxy).toBeUndefined();
  });

  test("of the environment names its exceptions", async () => {
    const environment = { env: { ...env, https_proxy: "http://proxy:1", NO_PROXY: "a.example" } };

    expect((await outboundOf(network("longest_pause: 1m"), environment))?.proxy).toMatchObject({
      origin: "http://proxy:1, except for NO_PROXY",
      noProxy: "a.example",
      source: "https_proxy",
    });
  });

  test.each(["proxy:3128", "socks5://proxy", "http://proxy/path", "http://proxy?x", "http://pro xy"])(
    "is not %j",
    async (url) => {
      expect(await errorsOf(network(`proxy_url: "${url}"`))).toMatch(/proxy_url: expected http:\/\/host:port/);
    },
  );

  test("with an invalid URL is an error that does not contain it", async () => {
    expect(await errorsOf(network("proxy_url: user:planted@proxy"))).toBe(
      "stacks-exporter.yaml:4:16: networks[0].proxy_url: expected http://host:port or https://host:port, optionally with user:password@, or none, found ***",
    );
    const environment = { env: { ...env, HTTPS_PROXY: "user:planted@proxy" } };
    expect(await errorsOf(network("longest_pause: 1m"), environment)).toBe(
      "stacks-exporter.yaml:2:5: networks[0].proxy_url: expected http://host:port or https://host:port, optionally with user:password@, or none, found an invalid value in the environment variable HTTPS_PROXY",
    );
  });
});

describe("a key over plain http", () => {
  test.each(["http://api.example", "http://10.0.0.1:3999/path", "http://[fd00::1]", "http://localhost.example"])(
    "to %s is refused",
    async (url) => {
      expect(await errorsOf(network("api_key_file: good", url))).toBe(
        "stacks-exporter.yaml:3:10: networks[0].url: expected an https URL because of the API key, or allow_insecure_key: true; found an http URL of another machine",
      );
    },
  );

  test.each([
    ["api_key_file: good", "http://localhost:3999"],
    ["api_key_file: good", "http://127.0.0.1:3999"],
    ["api_key_file: good", "https://api.example"],
    ["longest_pause: 1m", "http://api.example"],
    ["{ api_key_file: good, allow_insecure_key: true }", "http://api.example"],
  ])("with %s to %s is accepted", async (settings, url) => {
    const text = settings.startsWith("{")
      ? `networks: [{ name: m, url: "${url}", ${settings.slice(1)}]\n`
      : network(settings, url);

    expect(await errorsOf(text)).toBe("no errors");
  });
});

describeWith("openssl")("TLS", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stacks-exporter-outbound-"));
    const certificates = new Certificates(folder);
    certificates.selfSigned("client");
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const options = () => ({ file: join(folder, "config.yaml"), readFile: readRegularFile });
  const errors = async (tls: string, url?: string) =>
    (await errorsOf(network(`tls: ${tls}`, url), options())).replaceAll(`${folder}/`, "");

  test("is read from files, and their paths are kept", async () => {
    const text = network("tls: { ca_file: ca.crt, cert_file: client.crt, key_file: client.key, server_name: a.b }");
    const outbound = await outboundOf(text, options());

    expect(outbound?.tls).toMatchObject({
      ca: expect.stringMatching(/^-----BEGIN CERTIFICATE/),
      serverName: "a.b",
      files: ["ca.crt", "client.crt", "client.key"].map((name) => join(folder, name)),
    });
    expect(outbound?.tls?.key?.reveal()).toMatch(/PRIVATE KEY/);
    expect(inspect(outbound, { depth: 9 })).not.toMatch(/PRIVATE KEY/);
    expect((await outboundOf(network("tls: {}")))?.tls).toBeUndefined();
  });

  test.each([
    ["{ ca_file: none }", "4:21: networks[0].tls.ca_file: expected a file that can be read, found no such file"],
    [
      "{ ca_file: client.key }",
      "4:21: networks[0].tls.ca_file: expected certificates in PEM, found none that can be read",
    ],
    ["{ cert_file: client.crt }", "4:10: networks[0].tls.key_file: missing, expected key_file with cert_file"],
    ["{ key_file: client.key }", "4:10: networks[0].tls.cert_file: missing, expected cert_file with key_file"],
    [
      "{ cert_file: client.crt, key_file: ca.key }",
      "4:45: networks[0].tls.key_file: expected the private key of the certificate in PEM, without a passphrase; found something else",
    ],
    ["{ ca: x }", "4:12: networks[0].tls.ca: unknown setting; known here: ca_file, cert_file, key_file, server_name"],
    ["{ server_name: 'a b' }", '4:25: networks[0].tls.server_name: expected a host name, found "a b"'],
  ])("with %s is an error", async (tls, expected) => {
    expect(await errors(tls)).toBe(`config.yaml:${expected}`);
  });

  test("with a plain http URL is an error", async () => {
    expect(await errors("{ ca_file: ca.crt }", "http://api.example")).toBe(
      "config.yaml:4:5: networks[0].tls: expected tls only with an https URL, found an http URL",
    );
  });
});
