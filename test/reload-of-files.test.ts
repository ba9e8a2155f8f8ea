// One reload of what files configure.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { ConfigError } from "../src/config/errors.ts";
import type { LoadedWebConfig, WebConfig } from "../src/config/web-config.ts";
import { Reload } from "../src/reload.ts";
import { FakeClock } from "./support/fake-clock.ts";

const web = (name: string): WebConfig => ({
  tls: undefined,
  users: new Map([[name, ""]]),
  headers: [],
  rateLimit: undefined,
});
const error = (message: string): ConfigError => ({ file: "web.yml", line: 1, column: 2, path: "a", message });

let clock: FakeClock;
let stop: AbortController;
let loaded: LoadedWebConfig;
let taken: string[];
let logged: [string, string][];
let needsRestart: string | undefined;
let reloads: Reload<{ readonly web: WebConfig }>;

beforeEach(() => {
  [taken, logged, needsRestart] = [[], [], undefined];
  clock = new FakeClock(1_000_000);
  stop = new AbortController();
  loaded = { ok: true, web: web("second"), files: [] };
  reloads = new Reload<{ readonly web: WebConfig }>({
    what: "the web configuration",
    files: () => [],
    load: async () => loaded,
    take: async ({ web: next }) => {
      if (needsRestart === undefined) taken.push(...next.users.keys());
      return needsRestart;
    },
    turns: { last: Promise.resolve() },
    clock,
    log: {
      info: (_, message) => logged.push(["info", message]),
      error: (_, message) => logged.push(["error", message]),
    },
  });
});
afterEach(() => stop.abort());

test("takes what is valid", async () => {
  await clock.advance(5_000);
  await reloads.run();

  expect(taken).toEqual(["second"]);
  expect(reloads.report).toEqual({});
  expect(logged).toEqual([["info", "reloaded the web configuration"]]);
});

test("keeps the previous one when the files are invalid, and reports why and since when", async () => {
  loaded = { ok: false, errors: [error("one"), error("two")], files: [] };
  await clock.advance(5_000);
  await reloads.run();
  await clock.advance(5_000);
  await reloads.run();

  expect(taken).toEqual([]);
  expect(reloads.report).toEqual({
    failure: { message: "web.yml:1:2: a: one", errors: 2, since: 1_005_000 },
  });
  expect(logged.slice(0, 3)).toEqual([
    ["error", "web.yml:1:2: a: one"],
    ["error", "web.yml:1:2: a: two"],
    ["error", "cannot reload the web configuration: the previous one stays in use"],
  ]);
  loaded = { ok: true, web: web("third"), files: [] };
  await reloads.run();
  expect(reloads.report).toEqual({});
});

test("a change that needs a restart is a failure", async () => {
  needsRestart = "switching TLS on or off, or client_auth_type to or from NoClientCert, needs a restart";
  await reloads.run();

  expect(reloads.report.failure).toEqual({ message: needsRestart, errors: 1, since: 1_000_000 });
});
