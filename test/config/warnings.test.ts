import { describe, expect, test } from "@jest/globals";
import { warningsOf } from "../../src/config/warnings.ts";
import { configOf } from "./fixture.ts";

const warnings = async (url: string, key = "api_key_file: good") =>
  warningsOf(await configOf(`networks: [{ name: m, url: "${url}", ${key} }]\n`));

describe("a key over plain http", () => {
  test.each(["http://api.example", "http://10.0.0.1:3999/path", "http://[fd00::1]", "http://localhost.example"])(
    "to %s is warned of",
    async (url) => {
      expect(await warnings(url)).toEqual([
        "network m: the API key goes over plain http, where others can read it; use an https URL",
      ]);
    },
  );

  test.each([
    "https://api.example",
    "http://localhost:3999",
    "http://api.localhost",
    "http://127.0.0.1",
    "http://127.8.9.10",
    "http://[::1]:80",
    "http://[::ffff:127.0.0.1]",
  ])("to %s is not", async (url) => {
    expect(await warnings(url)).toEqual([]);
  });

  test("is no warning without a key", async () => {
    expect(await warnings("http://api.example", "")).toEqual([]);
  });

  test("names the upstream of several", async () => {
    const upstreams = `upstreams:
      - { name: own, url: "http://10.0.0.1:3999", api_key_file: good }
      - { name: public, url: "https://api.example", api_key_file: good }
      - { name: free, url: "http://api.example" }`;
    expect(warningsOf(await configOf(`networks:\n  - name: m\n    ${upstreams}\n`))).toEqual([
      "network m, upstream own: the API key goes over plain http, where others can read it; use an https URL",
    ]);
  });
});
