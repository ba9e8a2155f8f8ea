// Makes the files of a release in a folder, without a registry and without publishing anything.
//   npm run release -- --dry-run [--tests] [--skip-image] [--out FOLDER]
// With --dry-run it prints what would stop a release and continues; without, it stops there.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chart, dashboards, image, listings, notes, npmPackage, outputOf, type Part } from "./parts.ts";
import { repositoryProblems, version, versionProblems } from "./versions.ts";

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean" },
    tests: { type: "boolean" },
    "skip-image": { type: "boolean" },
    out: { type: "string", default: "release" },
  },
});
const folder = resolve(values.out);
const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
const lines: string[] = [];
const tell = (mark: string, text: string) => {
  lines.push(`${mark.padEnd(9)}${text}`);
  console.log(lines.at(-1));
};

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
const repository = GITHUB_REPOSITORY === undefined ? undefined : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
const commit = outputOf("git", "rev-parse", "HEAD");
const changed = outputOf("git", "status", "--porcelain").split("\n").filter(Boolean);
const problems = [
  ...(changed.length === 0 ? [] : [`working tree: expected no changes, found ${changed.length} changed files`]),
  ...versionProblems(),
  ...repositoryProblems(repository),
];
for (const problem of problems) tell("STOPS", problem);
if (problems.length > 0 && values["dry-run"] !== true) {
  console.log("No files were created. --dry-run creates them despite problems.");
  process.exit(1);
}

if (values.tests === true) tell("ok", `tests: ${outputOf(".ci/run").split("\n").at(-1)}`);
else tell("not run", "tests: .ci/run runs them all, and so does --tests");

// Only files of an earlier release may be there: another folder must not be emptied by mistake.
mkdirSync(folder, { recursive: true });
const present = readdirSync(folder);
if (present.length > 0 && !present.includes("SHA256SUMS"))
  throw new Error(`${folder} has files that do not belong to a release`);
for (const name of present) rmSync(join(folder, name), { recursive: true });

const parts: readonly (readonly [string, () => Part | Promise<Part>])[] = [
  ["release notes", () => notes(folder)],
  ["npm package", () => npmPackage(folder)],
  ["Helm chart", () => chart(folder)],
  ["dashboards for grafana.com", () => dashboards(folder)],
  ["lines for the lists of exporters and ports", () => listings(folder)],
  ["image", () => (values["skip-image"] === true ? { missing: "--skip-image" } : image(folder, commit))],
];
const files: string[] = [];
for (const [what, make] of parts) {
  const part = await make();
  if ("missing" in part) tell("not made", `${what}: ${part.missing}`);
  else tell("made", `${what}: ${part.files.join(", ")}`);
  files.push(...("files" in part ? part.files : []));
}

const sums = files.sort().map((name) => `${sha256(join(folder, name))}  ${name}\n`);
writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
tell("made", `checksums of ${sums.length} files: SHA256SUMS`);
tell("not done", "tag, provenance, signatures, publication: the release workflow does these");
writeFileSync(join(folder, "SUMMARY.txt"), `${lines.join("\n")}\n`);
console.log(`Version ${version}, commit ${commit.slice(0, 12)}, in ${relative(process.cwd(), folder) || "."}`);
