// The command that publishes, in a clone whose remote is a folder.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "@jest/globals";
import { folderOfTests } from "../support/folder.ts";

const script = fileURLToPath(new URL("../../tools/release/publish.ts", import.meta.url));
const folder = folderOfTests();
const [remote, clone] = [join(folder, "remote"), join(folder, "clone")];

const git = (cwd: string, ...args: readonly string[]) => execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
const publish = (...args: readonly string[]) =>
  spawnSync(process.execPath, [script, ...args], { cwd: clone, encoding: "utf8" });
const write = (name: string, text: string) => writeFileSync(join(clone, name), text);

const CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n- First.\n";
beforeAll(() => {
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", remote]);
  execFileSync("git", ["clone", "--quiet", remote, clone], { stdio: "ignore" });
  for (const [name, value] of [
    ["user.name", "test"],
    ["user.email", "test@example.org"],
  ])
    git(clone, "config", name ?? "", value ?? "");
  write("package.json", '{\n  "name": "stacks-exporter",\n  "version": "0.1.0"\n}\n');
  write("CHANGELOG.md", CHANGELOG);
  git(clone, "add", ".");
  git(clone, "commit", "--quiet", "--message", "start");
});

test("reports every reason why it does not publish, and changes nothing", () => {
  write("new.txt", "");
  const { status, stderr } = publish("git@github.com:owner/name");
  rmSync(join(clone, "new.txt"));

  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toEqual([
    "repository: expected https://github.com/OWNER/NAME, found git@github.com:owner/name",
    "working tree: expected no changes",
  ]);
  expect(readFileSync(join(clone, "CHANGELOG.md"), "utf8")).toBe(CHANGELOG);
});

test("commits the version and its repository, and pushes it with its tag; once", () => {
  expect(publish("https://github.com/owner/name")).toMatchObject({ status: 0, stderr: "" });

  const at = (name: string) => git(remote, "show", `v0.1.0:${name}`);
  expect(git(remote, "rev-parse", "main")).toBe(git(remote, "rev-parse", "v0.1.0^{commit}"));
  expect(JSON.parse(at("package.json")).repository).toEqual({
    type: "git",
    url: "git+https://github.com/owner/name.git",
  });
  expect(at("CHANGELOG.md")).toMatch(/^## \[Unreleased\]\n\n## \[0\.1\.0\] - \d{4}-\d\d-\d\d\n\n- First\.$/m);
  expect(publish("https://github.com/owner/name").stderr).toBe(
    'tag v0.1.0: expected none, found one\nCHANGELOG.md: expected changes under "Unreleased"\n',
  );
});
