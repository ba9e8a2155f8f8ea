import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "@jest/globals";
import { folderOfTests } from "../support/folder.ts";

const script = fileURLToPath(new URL("../../tools/release/release.ts", import.meta.url));
const folder = folderOfTests();

const out = join(folder, "out");
const LARGE = { encoding: "utf8", maxBuffer: 2 ** 26 } as const;
const release = (...args: string[]) =>
  spawnSync(process.execPath, [script, "--skip-image", ...args], { encoding: "utf8" });
const sumsOf = (file: string) => readFileSync(join(out, file), "utf8").trim().split("\n");

let made: ReturnType<typeof release>;
beforeAll(() => {
  made = release("--dry-run", "--out", out);
});

test("a dry run creates the files, and reports those that it did not create and why", () => {
  expect(made).toMatchObject({ status: 0, stderr: "" });
  expect(made.stdout).toMatch(/^made +npm package: /m);
  for (const what of ["Helm chart", "image"]) {
    expect(made.stdout).toMatch(new RegExp(`^(made|not made) +${what}: \\S`, "m"));
  }
  expect(made.stdout).toMatch(/^not run +tests: /m);
  expect(made.stdout).toContain(sumsOf("SUMMARY.txt").join("\n"));
});

test("the checksums are of the files that are there", () => {
  const sums = sumsOf("SHA256SUMS").map((line) => line.split("  ") as [string, string]);
  const names = sums.map(([, name]) => name);

  expect([...names, "SHA256SUMS", "SUMMARY.txt"].sort()).toEqual(readdirSync(out).sort());
  const hashOf = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(out, name)))
      .digest("hex");
  expect(sums).toEqual(names.map((name) => [hashOf(name), name]));
});

test("the package has its commit, which stacks_exporter_build_info shows", () => {
  const [name = ""] = readdirSync(out).filter((one) => /-\d+\.\d+\.\d+\.tgz$/.test(one) && !one.includes("chart"));
  const { stdout: code } = spawnSync("tar", ["-xOzf", join(out, name), "package/dist/exporter.js"], LARGE);
  const { stdout: commit } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });

  // Long lines are broken, also within a string.
  expect(code.replaceAll("\\\n", "")).toContain(commit.trim());
});

test("a second run makes the same package", () => {
  const first = sumsOf("SHA256SUMS").find((line) => /-\d+\.\d+\.\d+\.tgz$/.test(line));
  expect(release("--dry-run", "--out", out).status).toBe(0);

  expect(first).toBeDefined();
  expect(sumsOf("SHA256SUMS")).toContain(first);
});

test("a folder with other files is left alone", () => {
  const other = join(folder, "other");
  const file = join(other, "keep.txt");
  mkdirSync(other);
  writeFileSync(file, "mine");
  const { status, stderr } = release("--dry-run", "--out", other);

  expect(status).toBe(1);
  expect(stderr).toContain("has files that do not belong to a release");
  expect(readFileSync(file, "utf8")).toBe("mine");
});

test("without --dry-run, a version that the changelog does not describe is not made", () => {
  const empty = join(folder, "none");
  const { status, stdout } = release("--out", empty);
  const problems = stdout.split("\n").filter((line) => line.startsWith("STOPS"));

  // The tree and the changelog of a release have no problem; every other state has one.
  expect(status).toBe(problems.length > 0 ? 1 : 0);
  expect(readdirSync(folder).includes("none")).toBe(problems.length === 0);
});
