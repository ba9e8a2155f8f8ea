// The flags that say where a process listens and what it logs.
import { expect, test } from "@jest/globals";
import { type ConfigFlags, loadConfig } from "../../src/commands/load-config.ts";

const optionsOf = async (flags: ConfigFlags, env = {}) => (await loadConfig(flags, { env })).options;
const DEFAULTS = {
  listen: [{ port: 10_789 }],
  probes: [],
  log: { level: "info", format: "json" },
  webConfigFile: undefined,
};

test.each<[string, ConfigFlags, object]>([
  ["none", {}, {}],
  ["an address", { listen: ["[::1]:0"] }, { listen: [{ host: "::1", port: 0 }] }],
  [
    "addresses of both flags",
    { listen: ["127.0.0.1:1, unix:/run/metrics.sock"], "web.listenAddress": [":4"] },
    { listen: [{ host: "127.0.0.1", port: 1 }, { path: "/run/metrics.sock" }, { port: 4 }] },
  ],
  ["the log", { logLevel: "debug", logFormat: "pretty" }, { log: { level: "debug", format: "pretty" } }],
  ["a web configuration", { "web.config.file": "/a.yml" }, { webConfigFile: "/a.yml" }],
  ["a probe address", { "web.probeAddress": ":5" }, { probes: [{ port: 5 }] }],
])("%s", async (_, flags, expected) => {
  expect(await optionsOf(flags)).toEqual({ ...DEFAULTS, ...expected });
});

test("the environment adds a probe address", async () => {
  const { probes } = await optionsOf(
    { "web.probeAddress": ":3" },
    { STACKS_EXPORTER_PROBE_ADDRESS: "127.0.0.1:10791" },
  );

  expect(probes).toEqual([{ port: 3 }, { host: "127.0.0.1", port: 10_791 }]);
});

test.each<[ConfigFlags, object, RegExp]>([
  [{ listen: [":1,x"] }, {}, /^--listen: expected "host:port", .*, found "x"$/],
  [{ "web.probeAddress": "x" }, {}, /^--web\.probe-address: expected .*, found "x"$/],
  [{}, { STACKS_EXPORTER_PROBE_ADDRESS: "x" }, /^STACKS_EXPORTER_PROBE_ADDRESS: expected .*, found "x"$/],
])("%j with %j is refused", async (flags, env, message) => {
  await expect(optionsOf(flags, env)).rejects.toThrow(message);
});
