// One reload of what files configure.
import { beforeEach, expect, test } from "@jest/globals";
import PQueue from "p-queue";
import { Reload } from "../src/reload.ts";
import { FakeClock } from "./support/fake-clock.ts";

let clock: FakeClock;
let errors: readonly string[];
let logged: [string, string][];
let reload: Reload;

beforeEach(() => {
  [logged, errors] = [[], []];
  clock = new FakeClock(1_000_000);
  reload = new Reload({
    what: "the web configuration",
    files: () => [],
    apply: async () => errors,
    turns: new PQueue(),
    clock,
    log: {
      info: (_, message) => logged.push(["info", message]),
      error: (_, message) => logged.push(["error", message]),
    },
  });
});

test("what is refused is reported with its first error, and since when", async () => {
  errors = ["web.yml:1:2: a: one", "web.yml:1:2: a: two"];
  await clock.advance(5_000);
  await reload.run();
  await clock.advance(5_000);
  await reload.run();

  expect(reload.report).toEqual({ failure: { message: "web.yml:1:2: a: one", errors: 2, since: 1_005_000 } });
  expect(logged.slice(0, 3)).toEqual([
    ["error", "web.yml:1:2: a: one"],
    ["error", "web.yml:1:2: a: two"],
    ["error", "cannot reload the web configuration: the previous one stays in use"],
  ]);
  errors = [];
  await reload.run();
  expect(reload.report).toEqual({});
  expect(logged.at(-1)).toEqual(["info", "reloaded the web configuration"]);
});
