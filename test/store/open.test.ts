// The modes of the state file.
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { renameFile } from "../../src/store/open.ts";
import { keyOf, save, TestStateFile } from "../support/state-file.ts";

let file: TestStateFile;
const umask = process.umask();

beforeEach(() => {
  file = new TestStateFile();
});
afterEach(() => {
  process.umask(umask);
  file.remove();
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modes = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]));

describe.each([0o022, 0o000])("with umask %o", (mask) => {
  beforeEach(() => {
    process.umask(mask);
    file.path = join(file.folder, "of", "ours", "state.db");
  });

  test("a new file, the files of SQLite next to it and new folders are for the owner only", () => {
    const before = modeOf(file.folder);
    save(file.open(), 1);
    expect(modes(dirname(file.path))).toEqual({ "state.db": "600", "state.db-wal": "600" });
    expect(modeOf(join(file.folder, "of"))).toBe("700");
    expect(modeOf(join(file.folder, "of", "ours"))).toBe("700");
    expect(modeOf(file.folder)).toBe(before);
  });

  test("an existing file with a wider mode is narrowed, with the files next to it", () => {
    save(file.open(), 1);
    file.close();
    chmodSync(file.path, 0o664);
    // The files of a killed process.
    for (const suffix of ["-wal", "-shm"]) writeFileSync(file.path + suffix, "", { mode: 0o664 });
    expect(file.open().load(keyOf())?.values).toBe(1);
    for (const mode of Object.values(modes(dirname(file.path)))) expect(mode).toBe("600");
    expect(file.lines).toEqual([]);
  });

  test("a renamed file is for the owner only, even when it is damaged", () => {
    mkdirSync(dirname(file.path), { recursive: true });
    writeFileSync(file.path, "no database", { mode: 0o666 });
    const kept = renameFile(file.path, 0, file.log) as string;
    expect(modeOf(kept)).toBe("600");
  });
});

test("a file of another program keeps its mode", () => {
  file.edit("CREATE TABLE mine (x)");
  chmodSync(file.path, 0o644);
  expect(() => file.open()).toThrow("is a database of another program");
  expect(modeOf(file.path)).toBe("644");
});

test("a file that may only be read is not made writable", () => {
  file.open();
  file.close();
  chmodSync(file.path, 0o444);
  // Root may write it all the same; other users are refused.
  try {
    file.open();
  } catch (error) {
    expect((error as Error).message).toContain("cannot be written");
  }
  expect(modeOf(file.path)).toBe("400");
});
