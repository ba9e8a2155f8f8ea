// The web configuration of a running exporter is reloaded.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { ConfigError } from "../src/config/errors.ts";
import type { LoadedWebConfig, WebConfig } from "../src/config/web-config.ts";
import { WebReloads } from "../src/web-reload.ts";
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
let touched: number;
let needsRestart: string | undefined;
let reloads: WebReloads;

beforeEach(() => {
  [taken, logged, touched, needsRestart] = [[], [], 0, undefined];
  clock = new FakeClock(1_000_000);
  stop = new AbortController();
  loaded = { ok: true, web: web("second"), files: [] };
  reloads = new WebReloads({
    source: { web: web("first"), files: ["/none/web.yml"], load: async () => loaded },
    take: (next) => {
      if (needsRestart === undefined) taken.push(...next.users.keys());
      return needsRestart;
    },
    clock,
    log: {
      info: (_, message) => logged.push(["info", message]),
      error: (_, message) => logged.push(["error", message]),
    },
    onReload: () => {
      touched += 1;
    },
  });
});
afterEach(() => stop.abort());

test("takes what is valid", async () => {
  await clock.advance(5_000);
  await reloads.reload();

  expect(taken).toEqual(["second"]);
  expect(reloads.report).toEqual({});
  expect(logged).toEqual([["info", "reloaded the web configuration"]]);
  expect(touched).toBe(1);
});

test("keeps the previous one when the files are invalid, and reports why and since when", async () => {
  loaded = { ok: false, errors: [error("one"), error("two")], files: [] };
  await clock.advance(5_000);
  await reloads.reload();
  await clock.advance(5_000);
  await reloads.reload();

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
  await reloads.reload();
  expect(reloads.report).toEqual({});
});

test("a change that needs a restart is a failure", async () => {
  needsRestart = "TLS is switched on or off by a restart only";
  await reloads.reload();

  expect(reloads.report.failure).toEqual({ message: needsRestart, errors: 1, since: 1_000_000 });
});
