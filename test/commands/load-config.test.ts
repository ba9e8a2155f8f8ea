// The flags that say what is polled, where a process listens, and what it logs.
import { describe, expect, test } from "@jest/globals";
import { CommandError } from "../../src/commands/io.ts";
import { type Flags, loadConfig } from "../../src/commands/load-config.ts";
import { dataOf } from "../support/data.ts";

interface Case {
  readonly name: string;
  readonly flags?: Flags;
}
const data = dataOf<{
  readonly options: readonly (Case & { readonly options: object })[];
  readonly networks: readonly (Case & { readonly env?: object; readonly network: object })[];
}>("load-config.yaml", import.meta.url);

const optionsOf = async (flags: Flags = {}, env = {}) => (await loadConfig(flags, { env })).options;
const DEFAULTS = {
  listen: [{ port: 10_789 }],
  probes: [],
  log: { level: "info", format: "json" },
  webConfigFile: undefined,
};

test.each(data.options)("$name", async ({ flags, options }) => {
  expect(await optionsOf(flags)).toEqual({ ...DEFAULTS, ...options });
});

test("the environment adds a probe address", async () => {
  const { probes } = await optionsOf(
    { "web.probeAddress": ":3" },
    { STACKS_EXPORTER_PROBE_ADDRESS: "127.0.0.1:10791" },
  );

  expect(probes).toEqual([{ port: 3 }, { host: "127.0.0.1", port: 10_791 }]);
});

test.each<[Flags, object, RegExp]>([
  [{ "web.listenAddress": [":1,x"] }, {}, /^--web\.listen-address: expected "host:port", .*, found "x"$/],
  [{ "web.probeAddress": "x" }, {}, /^--web\.probe-address: expected .*, found "x"$/],
  [{}, { STACKS_EXPORTER_PROBE_ADDRESS: "x" }, /^STACKS_EXPORTER_PROBE_ADDRESS: expected .*, found "x"$/],
])("%j with %j is refused", async (flags, env, message) => {
  await expect(optionsOf(flags, env)).rejects.toThrow(message);
});

test("a proxy without a valid URL is refused together with the errors of the configuration", async () => {
  const before = process.env;
  process.env = { ...before, HTTPS_PROXY: "planted@proxy:3128" };
  try {
    const proxy = "expected http://host:port in HTTPS_PROXY and HTTP_PROXY, found something else";
    await expect(loadConfig({}, { env: {} })).rejects.toThrow(new CommandError(proxy));
    const message = new RegExp(`^--url: expected .*\n${proxy}$`);
    await expect(loadConfig({ url: "x" }, { env: {} })).rejects.toThrow(message);
  } finally {
    process.env = before;
  }
});

describe("a configuration without a file", () => {
  const A = "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7";
  const KEY = "planted-secret-key";
  const networkOf = async (flags: Flags = {}, env = {}) => {
    const [network] = (await loadConfig(flags, { env })).config.networks;
    const { name, addresses = [], contracts = [], upstreams } = network ?? {};
    const watched = [...addresses, ...contracts].map((entry) => `${entry.name} ${entry.principal}`);
    return { name, url: upstreams?.[0].url, key: upstreams?.[0].apiKey?.(), watched };
  };
  const PUBLIC = { name: "mainnet", url: "https://api.hiro.so", key: undefined, watched: [] };

  test.each(data.networks)("$name", async ({ flags, env, network }) => {
    expect(await networkOf(flags, env)).toEqual({ ...PUBLIC, ...network });
  });

  test("reports every error at its flag, and nothing of the key", async () => {
    const flags = { url: "ftp://x", address: [`a=${A}`, `a=${A.slice(0, -1)}8`], contract: ["=", A] };
    const error = await loadConfig(flags, { env: { STACKS_API_KEY: "short" } }).catch(({ message }) => message);

    expect(error.split("\n").map((line: string) => line.replace(/, .*/, ""))).toEqual([
      "--address number 2: expected an address of mainnet",
      "--address number 2: expected a name that no other entry of the list has",
      "STACKS_API_KEY: expected a key of 8 to 4096 printable ASCII characters in the environment variable STACKS_API_KEY",
      "--contract number 1: expected a contract of mainnet as address.name",
      "--contract number 1: expected text of 1 to 128 characters",
      "--contract number 2: expected a contract of mainnet as address.name",
      "--url: expected an http or https URL without user",
    ]);
  });

  test("sends a key over http to this machine only", async () => {
    const loaded = networkOf({ url: "http://10.0.0.1" }, { STACKS_API_KEY: KEY });
    await expect(loaded).rejects.toThrow(/^--url: expected an https URL because of the API key/);
  });
});
