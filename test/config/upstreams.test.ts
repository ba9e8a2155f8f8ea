// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { redactorOf } from "../../src/config/secret.ts";
import { configOf, PLANTED } from "./fixture.ts";

const SEVERAL = `networks:
  - name: mainnet
    url: http://node:3999/
    budget: { per_minute: 600, per_month: unlimited }
    fallbacks:
      - { name: hiro, url: "https://api.hiro.so", api_key: "\${GOOD_KEY}" }
      - { name: third, url: "https://third.example", api_key_file: good }
`;

describe("several upstreams", () => {
  test("keep their order, each with its own key and budget", async () => {
    const { networks } = await configOf(SEVERAL);

    expect(networks[0]).toMatchObject({
      name: "mainnet",
      upstreams: [
        { name: "default", url: "http://node:3999", budget: { perMinute: 600, perMonth: undefined } },
        { name: "hiro", url: "https://api.hiro.so", budget: { perMinute: 900, perMonth: 150_000 } },
        { name: "third", url: "https://third.example", budget: { perMinute: 900, perMonth: 150_000 } },
      ],
    });
    expect(networks[0]?.upstreams.map(({ apiKey }) => apiKey?.())).toEqual([
      undefined,
      "planted-good-key",
      "planted-key-of-a-file",
    ]);
  });

  test("hide their keys, and pass all of them to the redactor", async () => {
    const { networks } = await configOf(SEVERAL);

    expect(inspect(networks, { depth: 9, showHidden: true })).not.toMatch(PLANTED);
    expect(JSON.stringify(networks)).not.toMatch(PLANTED);
    const redactor = redactorOf(networks);
    expect(redactor.mask("planted-good-key, planted-key-of-a-file")).toBe("***, ***");
  });
});
