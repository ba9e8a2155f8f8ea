import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { folderOfTests } from "./support/folder.ts";

const folder = folderOfTests();
const start = fileURLToPath(new URL("../src/start.ts", import.meta.url));

/** Runs src/start.ts in a process that reports another version of Node.js. */
function startOn(version: string) {
  const pretend = join(folder, "pretend.cjs");
  writeFileSync(
    pretend,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`,
  );
  return spawnSync(process.execPath, ["--require", pretend, start], { encoding: "utf8" });
}

test.each(["20.20.2", "23.99.0", "9.0.0"])("Node.js %s is refused with what it needs", (version) => {
  const { status, stdout, stderr } = startOn(version);

  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toBe(
    `stacks-exporter needs Node.js 24 or later, found ${version} (${process.execPath}).\n` +
      `With npm: npx --package=node@24 node ${start} …\n`,
  );
});

test.each(["24.0.0", "100.1.0"])("Node.js %s loads the exporter", (version) => {
  // The exporter is next to the bundled file only.
  expect(startOn(version).stderr).toMatch(/Cannot find module .*exporter\.js/);
});
