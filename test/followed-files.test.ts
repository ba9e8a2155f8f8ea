// Real files, replaced as programs do it, with a fake clock.
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import PQueue from "p-queue";
import { Reload } from "../src/reload.ts";
import { FakeClock, settle } from "./support/fake-clock.ts";
import { folderOfEachTest } from "./support/folder.ts";

const folder = folderOfEachTest();
let clock: FakeClock;
let stop: AbortController;
let changes: number;
let logged: [level: string, message: string][];
let following: Promise<void>;

beforeEach(() => {
  clock = new FakeClock();
  stop = new AbortController();
  [changes, logged] = [0, []];
});
afterEach(async () => {
  stop.abort();
  await following;
});

function reloadOf(apply: () => Promise<readonly string[]>, files: readonly string[] = []): Reload {
  const say = (level: string) => (_: object, message: string) => logged.push([level, message]);
  const log = { info: say("info"), error: say("error") };
  return new Reload({ what: "the files", apply, files: () => files, turns: new PQueue(), clock, log });
}

async function follow(...files: readonly string[]): Promise<void> {
  const apply = async () => {
    changes += 1;
    return [];
  };
  following = reloadOf(apply, files).follow(stop.signal);
  await untilAsleep();
  await polls(2);
  expect(changes).toBe(files.length > 0 ? 1 : 0);
  changes = 0;
}

// Looking at a file takes real time, however little.
async function untilAsleep(): Promise<void> {
  while (clock.sleepers === 0) await settle();
}

async function polls(count: number): Promise<void> {
  for (let poll = 0; poll < count; poll += 1) {
    await clock.advance(5_000);
    await untilAsleep();
  }
}

const path = (name: string) => join(folder, name);

test("a change is reported once, when the file stays the same", async () => {
  writeFileSync(path("list"), "one\n");
  await follow(path("list"));
  await polls(3);
  expect(changes).toBe(0);

  for (const text of ["half", "half writ", "half written\n"]) {
    writeFileSync(path("list"), text);
    await polls(1);
  }
  expect(changes).toBe(0);
  await polls(1);
  expect(changes).toBe(1);
  await polls(3);
  expect(changes).toBe(1);
});

test("a replaced file is a change, even of the same size and time", async () => {
  writeFileSync(path("list"), "one\n");
  writeFileSync(path("other"), "two\n");
  for (const name of ["list", "other"]) utimesSync(path(name), 1_700_000_000, 1_700_000_000);
  await follow(path("list"));
  renameSync(path("other"), path("list"));
  await polls(2);

  expect(changes).toBe(1);
});

test("a link that points to another folder is a change, as with a ConfigMap", async () => {
  for (const version of ["v1", "v2"]) {
    mkdirSync(path(version));
    writeFileSync(join(path(version), "list"), `${version}\n`);
  }
  symlinkSync("v1", path("data"));
  symlinkSync(join("data", "list"), path("list"));
  await follow(path("list"));
  symlinkSync("v2", path("new"));
  renameSync(path("new"), path("data"));
  await polls(2);

  expect(changes).toBe(1);
});

test("a file that is missing in one poll is not a change; one that stays missing, or appears, is", async () => {
  writeFileSync(path("list"), "one\n");
  await follow(path("list"), path("absent"));
  renameSync(path("list"), path("away"));
  await polls(1);
  expect(changes).toBe(0);
  await polls(1);
  expect(changes).toBe(1);
  renameSync(path("away"), path("list"));
  await polls(2);
  expect(changes).toBe(2);
  writeFileSync(path("absent"), "");
  await polls(2);
  expect(changes).toBe(3);
});

test("what is refused is reported with its first error, and since when", async () => {
  let errors = ["web.yml:1:2: a: one", "web.yml:1:2: a: two"];
  const reload = reloadOf(async () => errors);
  const since = clock.now();
  await reload.run();
  await clock.advance(5_000);
  await reload.run();

  expect(reload.report).toEqual({ failure: { message: "web.yml:1:2: a: one", errors: 2, since } });
  expect(logged.slice(0, 3)).toEqual([
    ["error", "web.yml:1:2: a: one"],
    ["error", "web.yml:1:2: a: two"],
    ["error", "cannot reload the files: the previous one stays in use"],
  ]);
  errors = [];
  await reload.run();
  expect(reload.report).toEqual({});
  expect(logged.at(-1)).toEqual(["info", "reloaded the files"]);
});
