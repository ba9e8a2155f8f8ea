// Folders for the files of tests.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "@jest/globals";

/** Makes a folder for the tests of a file, or of the `describe` that calls it, which is removed after them. */
export function folderOfTests(): string {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-test-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The same, and empty at the start of each test. */
export function folderOfEachTest(): string {
  const folder = folderOfTests();
  beforeEach(() => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  });
  return folder;
}
