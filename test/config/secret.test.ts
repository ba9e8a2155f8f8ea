import { format, inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { redactorOf, type Secret } from "../../src/config/secret.ts";

describe("a secret", () => {
  const text = "planted-key";
  const secret: Secret = () => text;

  test.each([
    ["text", `${secret}`],
    ["JSON", JSON.stringify({ secret })],
    ["inspection", inspect({ secret }, { showHidden: true, depth: 9 })],
    ["format", format("%s %o %j", secret, secret, secret)],
    ["entries", JSON.stringify(Object.entries(secret))],
  ])("does not show in %s", (_, text) => {
    expect(text).not.toContain("planted-key");
  });

  test("is returned by a call", () => {
    expect(secret()).toBe("planted-key");
  });
});

test("the redactor of a configuration knows every key and every token of a URL, but no name of a network", () => {
  const upstreams = [
    { url: "https://a.example", apiKey: () => "planted-key-a" },
    { url: "https://b.example/planted-token", apiKey: undefined },
    { url: "https://c.example/v2/stacks-mainnet", apiKey: () => "planted-key-c" },
  ];
  const redactor = redactorOf([{ name: "stacks-mainnet", upstreams }]);

  expect(redactor.mask("planted-key-a, planted-token, PLANTED-KEY-C, https://c.example/v2/stacks-mainnet")).toBe(
    "***, ***, ***, https://c.example/v2/stacks-mainnet",
  );
});

test.each([
  ["HTTPS_PROXY", "http://user:planted%20secret@proxy:3128"],
  ["http_proxy", "user:planted%20secret@proxy"],
])("the redactor knows the password of %s", (name, url) => {
  const before = process.env[name];
  process.env[name] = url;
  try {
    expect(redactorOf([]).mask("planted%20secret, planted secret")).toBe("***, ***");
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
});
