// The files of a release, one function each.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { arch } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dashboardOf } from "../../dashboards/board.ts";
import { boards } from "../../dashboards/index.ts";
import { bundle } from "../build.ts";
import { toolOf } from "../lint/tools.ts";
import { notesOf } from "./changelog.ts";
import { type Dashboard, importable } from "./grafana.ts";
import { repositoryUrl, version } from "./versions.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The created files, or the reason why there are none. */
export type Part = { readonly files: readonly string[] } | { readonly missing: string };

const failure = ({ status, signal, stdout, stderr, error }: SpawnSyncReturns<string>) =>
  error?.message ?? `ended with ${status ?? signal}: ${`${stderr}${stdout}`.trim().split("\n").at(-1)}`;

/** Output of a program. Throws when the program fails. */
export function outputOf(program: string, ...args: readonly string[]): string {
  const done = spawnSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  if (done.status !== 0) throw new Error(`${program} ${args[0]} ${failure(done)}`);
  return done.stdout.trim();
}

/** The release notes: the section of the version, or the unreleased changes. */
export function notes(folder: string): Part {
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const text = notesOf(changelog, version) ?? notesOf(changelog, "Unreleased");
  if (text === undefined) return { missing: `CHANGELOG.md has no changes for ${version}, and no unreleased changes` };
  writeFileSync(join(folder, "NOTES.md"), text);
  return { files: ["NOTES.md"] };
}

/** The npm package. */
export async function npmPackage(folder: string): Promise<Part> {
  await bundle();
  // dist/ exists already: packing must not build it again.
  const packed = outputOf("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  return { files: [filename] };
}

/** The Helm chart. */
export function chart(folder: string): Part {
  const helm = toolOf("helm");
  if ("missing" in helm) return helm;
  const packed = mkdtempSync(join(folder, "chart-"));
  outputOf(helm.command, "package", "deploy/helm/stacks-exporter", "--destination", packed);
  // helm and npm use the same file name, so the chart is renamed.
  const name = `stacks-exporter-chart-${version}.tgz`;
  renameSync(join(packed, `stacks-exporter-${version}.tgz`), join(folder, name));
  rmSync(packed, { recursive: true });
  return { files: [name] };
}

/** The dashboards as grafana.com takes them. */
export function dashboards(folder: string): Part {
  const files = boards.map(({ uid }) => `${uid}.grafana.json`);
  for (const board of boards) {
    // Without the methods of the builders.
    const dashboard = JSON.parse(JSON.stringify(dashboardOf(board))) as Dashboard;
    writeFileSync(
      join(folder, `${board.uid}.grafana.json`),
      `${JSON.stringify(importable(dashboard), undefined, 2)}\n`,
    );
  }
  return { files };
}

/** The lines for Prometheus' lists of exporters and of ports, which a person proposes there. */
export function listings(folder: string): Part {
  const url = repositoryUrl();
  if (url === undefined) return { missing: "package.json has no repository.url" };
  writeFileSync(join(folder, "EXPORTER-LIST.txt"), `* [Stacks blockchain exporter](${url})\n`);
  writeFileSync(join(folder, "PORT-LIST.txt"), `* 10789 - [Stacks blockchain exporter](${url})\n`);
  return { files: ["EXPORTER-LIST.txt", "PORT-LIST.txt"] };
}

/** The image for this machine, as an archive. */
export function image(folder: string, commit: string): Part {
  const engine = ["podman", "docker"].find((name) => spawnSync(name, ["--version"]).status === 0);
  if (engine === undefined) return { missing: "neither podman nor docker is on the PATH" };
  const tag = `stacks-exporter:${version}`;
  const built = spawnSync(engine, ["build", "--tag", tag, "--build-arg", `REVISION=${commit}`, "."], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  // The usual reason is that the base image cannot be downloaded.
  if (built.status !== 0) return { missing: `${engine} build ${failure(built)}` };
  // Images use the architecture names of Go.
  const architecture = arch() === "x64" ? "amd64" : arch();
  const name = `stacks-exporter-image-${version}-${architecture}.tar`;
  outputOf(engine, "save", "--output", join(folder, name), tag);
  return { files: [name] };
}
