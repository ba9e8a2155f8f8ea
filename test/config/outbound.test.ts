// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { configOf, env, errorsOf } from "./fixture.ts";

const network = (settings: string, url = "https://api.example") =>
  `networks:\n  - name: m\n    url: "${url}"\n    ${settings}\n`;
const plain = (url?: string) => network("longest_pause: 1m", url);

describe("a proxy of the environment", () => {
  test.each([
    [{ HTTPS_PROXY: "http://proxy:1" }, undefined, { origin: "http://proxy:1", source: "HTTPS_PROXY", noProxy: "" }],
    [{ HTTPS_PROXY: "http://proxy:1" }, "http://api.example", undefined],
    [{ HTTPS_PROXY: "http://proxy:1" }, "https://localhost:3999", undefined],
    [{}, undefined, undefined],
    [
      { http_proxy: "http://proxy:1", NO_PROXY: "a.example" },
      "http://api.example",
      { origin: "http://proxy:1, except for NO_PROXY", source: "HTTP_PROXY", noProxy: "a.example" },
    ],
  ])("%j for %s", async (variables, url, expected) => {
    const { proxy } =
      (await configOf(plain(url), { env: { ...env, ...variables } })).networks[0]?.upstreams[0].outbound ?? {};

    expect(proxy && { origin: proxy.origin, source: proxy.source, noProxy: proxy.noProxy }).toEqual(expected);
  });

  test("has a password, which is a secret", async () => {
    const HTTPS_PROXY = "http://user:planted%20secret@proxy:3128";
    const config = await configOf(plain(), { env: { ...env, HTTPS_PROXY } });
    const proxy = config.networks[0]?.upstreams[0].outbound.proxy;

    expect(proxy?.url.reveal()).toBe(`${HTTPS_PROXY}/`);
    expect(proxy?.password?.reveal()).toBe("planted secret");
    expect(`${JSON.stringify(config)}${inspect(config, { depth: 9 })}`).not.toContain("planted");
  });

  test.each(["proxy:3128", "socks5://proxy", "http://proxy/path", "http://proxy?x", "user:planted@proxy"])(
    "is not %j, which is not shown",
    async (HTTPS_PROXY) => {
      expect(await errorsOf(plain(), { env: { ...env, HTTPS_PROXY } })).toBe(
        "stacks-exporter.yaml:3:10: networks[0].url: expected http://host:port in the environment variable HTTPS_PROXY, found something else",
      );
    },
  );
});

test.each([
  ["api_key_file: good", "http://api.example", false],
  ["api_key_file: good", "http://10.0.0.1:3999/path", false],
  ["api_key_file: good", "http://[fd00::1]", false],
  ["api_key: ${GOOD_KEY}", "http://localhost.example", false],
  ["api_key_file: good", "http://localhost:3999", true],
  ["api_key_file: good", "http://api.localhost", true],
  ["api_key_file: good", "http://127.8.9.10:3999", true],
  ["api_key_file: good", "http://[::1]:80", true],
  ["api_key_file: good", "http://[::ffff:127.0.0.1]", true],
  ["api_key_file: good", "https://api.example", true],
  ["longest_pause: 1m", "http://api.example", true],
])("a key is never sent to another machine over plain http: %s, %s", async (settings, url, isAccepted) => {
  expect(await errorsOf(network(settings, url))).toBe(
    isAccepted
      ? "no errors"
      : "stacks-exporter.yaml:3:10: networks[0].url: expected an https URL because of the API key, found an http URL of another machine",
  );
});
