import { describe, expect, test } from "@jest/globals";
import { parseListen, parseUrl } from "../../src/config/values.ts";

describe("addresses to listen on", () => {
  test.each([
    [":10789", { port: 10_789 }],
    ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
    ["localhost:65535", { host: "localhost", port: 65_535 }],
    ["[::1]:80", { host: "::1", port: 80 }],
    ["[::]:80", { host: "::", port: 80 }],
  ])("%s", (text, address) => {
    expect(parseListen(text)).toEqual(address);
  });

  test.each([
    "",
    ":",
    "80",
    ":65536",
    "1.2.3:80",
    "::1:80",
    "[127.0.0.1]:80",
    "[]:80",
    "a b:80",
    "http://a:80",
    "a:80/",
  ])("%j is refused", (text) => {
    expect(parseListen(text)).toBeUndefined();
  });
});

describe("URLs", () => {
  test.each([
    ["https://api.hiro.so", "https://api.hiro.so"],
    ["HTTPS://API.hiro.so/", "https://api.hiro.so"],
    ["http://localhost:3999/base/", "http://localhost:3999/base"],
    ["http://[::1]:3999", "http://[::1]:3999"],
  ])("%s", (text, url) => {
    expect(parseUrl(text)).toBe(url);
  });

  test.each([
    "",
    "api.hiro.so",
    "https:api.hiro.so",
    "https:\\\\api.hiro.so",
    "https://",
    "file:///etc/passwd",
    "https://user@host",
    "https://@host",
    "https://host?",
    "https://host#",
    "https://ho st",
    "https://host:99999",
    "https://host\nx",
  ])("%j is refused", (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });
});
