// Real files of every kind, and a limit of the size.
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readDocument, readRegularFile, unusable } from "../../src/config/files.ts";
import { folderOfTests } from "../support/folder.ts";
import { load } from "./fixture.ts";

const folder = folderOfTests();
const path = (name: string) => join(folder, name);
const server = createServer();

beforeAll(async () => {
  writeFileSync(path("regular"), "twelve bytes");
  symlinkSync("regular", path("link"));
  symlinkSync("loop", path("loop"));
  mkdirSync(path("folder"));
  writeFileSync(path("huge"), "");
  truncateSync(path("huge"), 2 ** 40);
  expect(spawnSync("mkfifo", [path("fifo")]).status).toBe(0);
  await new Promise<void>((resolve) => server.listen(path("socket"), resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});

test.each(["regular", "link"])("reads a %s file", async (name) => {
  expect(Buffer.from(await readRegularFile(path(name), 12)).toString()).toBe("twelve bytes");
});

test("reads files whose size the system does not know", async () => {
  expect(Buffer.from(await readRegularFile("/proc/self/cmdline", 100_000)).toString()).toContain("node");
});

// Opening the FIFO would never end if it waited for a writer, and reading a device would not either.
const refusalOf = (name: string) =>
  readRegularFile(name.startsWith("/") ? name : path(name), 1024).then(() => "nothing", unusable);

test.each([
  ...["fifo", "socket", "/dev/zero", "folder"].map((name) => [
    name,
    "a folder, FIFO, socket or device; only regular files are read",
  ]),
  ["huge", "a file of more than 1 KiB"],
  ["loop", "ELOOP"],
  ["none", "no such file"],
])("refuses %s", async (name, found) => {
  expect(await refusalOf(name)).toBe(`expected a file that can be read, found ${found}`);
});

test.each(["!!omap", "!!set", "!!binary", "!!timestamp"])("refuses values of the type %s", (tag) => {
  const { errors } = readDocument("a.yaml", `collectors: ${tag}\n  - fees: 1\n`);

  expect(errors.map(({ line }) => line)).toEqual([1]);
});

test("every file that a configuration names is read this way, and each error has its place", async () => {
  const text = `networks:
  - name: m
    url: https://api.hiro.so
    api_key_file: fifo
    address_files: [fifo, huge]
    contract_files: [socket]
`;
  const loaded = await load(text, {
    document: readDocument(path("config.yaml"), text),
    readFile: readRegularFile,
  });

  expect(loaded.ok ? [] : loaded.errors.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    expect.stringMatching(/^networks\[0\]\.api_key_file: .* found a folder, FIFO, socket or device/),
    expect.stringMatching(/^networks\[0\]\.address_files\[0\]: .* found a folder, FIFO, socket or device/),
    expect.stringMatching(/^networks\[0\]\.address_files\[1\]: .* found a file of more than 8192 KiB/),
    expect.stringMatching(/^networks\[0\]\.contract_files\[0\]: .* found a folder, FIFO, socket or device/),
  ]);
});
