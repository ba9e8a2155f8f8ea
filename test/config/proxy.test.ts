import { describe, expect, test } from "@jest/globals";
import { isExcluded, parseProxy, proxyVariable } from "../../src/config/proxy.ts";

describe("a proxy", () => {
  test.each(["http://proxy:3128", "https://user:p%40ss@proxy.example:443/", "http://[::1]:3128"])("is %s", (text) => {
    expect(parseProxy(text)?.href).toBe(new URL(text).href);
  });

  test.each(["proxy:3128", "socks5://proxy", "http://proxy/path", "http://proxy?x", "http://pro xy", "none", ""])(
    "is not %j",
    (text) => {
      expect(parseProxy(text)).toBeUndefined();
    },
  );
});

describe("the environment", () => {
  const env = { HTTPS_PROXY: "http://secure:1", HTTP_PROXY: "http://plain:1" };

  test.each([
    ["https://api.example", env, "HTTPS_PROXY"],
    ["http://api.example", env, "HTTP_PROXY"],
    ["https://api.example", { ...env, https_proxy: "http://lower:1" }, "https_proxy"],
    ["https://api.example", { HTTP_PROXY: "http://plain:1" }, undefined],
    ["https://api.example", { HTTPS_PROXY: "" }, undefined],
    ["https://api.example", { ...env, NO_PROXY: "api.example" }, undefined],
    ["https://api.example", { ...env, no_proxy: "api.example" }, undefined],
    ["http://localhost:3999", env, undefined],
    ["http://127.0.0.1:3999", env, undefined],
    ["http://[::1]:3999", env, undefined],
    ["http://10.0.0.1:3999", env, "HTTP_PROXY"],
  ])("for %s and %j is the variable %s", (url, variables, name) => {
    expect(proxyVariable(new URL(url), variables)?.name).toBe(name);
  });

  test.each([
    ["https://api.example", "*", true],
    ["https://api.example", "other.example, api.example", true],
    ["https://api.example", "other.example api.example", true],
    ["https://a.api.example", "api.example", true],
    ["https://api.example", ".example", true],
    ["https://api.example", "*.example", true],
    ["https://myapi.example", "api.example", false],
    ["https://api.example", "API.Example", true],
    ["https://api.example", "api.example:443", true],
    ["https://api.example", "api.example:8443", false],
    ["http://api.example:3999", "api.example:3999", true],
    ["http://10.1.2.3", "10.0.0.0/8", true],
    ["http://11.1.2.3", "10.0.0.0/8", false],
    ["http://10.1.2.3", "10.1.2.3", true],
    ["http://10.1.2.3", "2.3", false],
    ["http://10.1.2.3", "10.0.0.0/99", false],
    ["http://[fd00::1]", "fd00::/8", true],
    ["http://[fd00::1]", "fd00::1", true],
    ["http://[fd00::1]", "[fd00::1]:80", true],
    ["http://api.example", "10.0.0.0/8", false],
    ["https://api.example", "", false],
  ])("excludes %s with the list %j: %s", (url, list, isOut) => {
    expect(isExcluded(new URL(url), list)).toBe(isOut);
  });
});
