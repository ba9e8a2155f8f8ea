// npm run publish-release -- https://github.com/OWNER/NAME: commits the release of the version in package.json, and
// pushes it with its tag, which starts the release workflow. Run it once the steps of docs/release.md are done.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { notesOf } from "./changelog.ts";

const [, , repository = ""] = process.argv;
const git = (...args: readonly string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
const fail = (problem: string) => {
  console.error(problem);
  process.exit(1);
};

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, unknown> & { version: string };
const changelog = readFileSync("CHANGELOG.md", "utf8");
const { version } = manifest;
const tag = `v${version}`;
const problems = [
  ...(/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/.test(repository)
    ? []
    : [`repository: expected https://github.com/OWNER/NAME, found ${repository || "nothing"}`]),
  ...(git("status", "--porcelain") === "" ? [] : ["working tree: expected no changes"]),
  ...(git("tag", "--list", tag) === "" ? [] : [`tag ${tag}: expected none, found one`]),
  ...(notesOf(changelog, "Unreleased") === undefined ? ['CHANGELOG.md: expected changes under "Unreleased"'] : []),
];
if (problems.length > 0) fail(problems.join("\n"));

const date = new Date().toISOString().slice(0, "2026-01-01".length);
writeFileSync("CHANGELOG.md", changelog.replace("## [Unreleased]", `## [Unreleased]\n\n## [${version}] - ${date}`));
const url = `git+${repository}.git`;
writeFileSync("package.json", `${JSON.stringify({ ...manifest, repository: { type: "git", url } }, undefined, 2)}\n`);
git("commit", "--quiet", "--all", "--message", `release: ${version}`);
git("tag", "--annotate", tag, "--message", version);
git("push", "--quiet", "--atomic", "origin", "HEAD", tag);
console.log(`Pushed ${tag}. A reviewer approves it at ${repository}/actions`);
