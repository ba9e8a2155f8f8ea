import { expect, test } from "@jest/globals";
import { redactorOf } from "../../src/config/secret.ts";

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
