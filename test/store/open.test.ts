// The modes of the state file, and a path that it cannot have.
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { save, TestStateFile } from "../support/state-file.ts";

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
});

test("a path that cannot be a file is no damage, which a reset would end", () => {
  file.path = file.folder;

  expect(() => file.open()).toThrow(expect.objectContaining({ isDamage: false, isInUse: false }));
});
