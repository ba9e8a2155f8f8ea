// Finds the linters: Debian's on the PATH; those in Go are built once from the modules in this folder, pinned by hash.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const modules = new URL("./", import.meta.url);
const builds = fileURLToPath(new URL("../../node_modules/.cache/lint/", import.meta.url));

/** A tool that can be started, or why there is none. */
export type Tool = { readonly command: string } | { readonly missing: string };

function isThere(command: string, version: string): boolean {
  return spawnSync(command, [version]).error === undefined;
}

function installed(name: string): Tool {
  return isThere(name, "--version") ? { command: name } : { missing: `${name} is not on the PATH` };
}

function built(name: string): Tool {
  if (!isThere("go", "version")) return { missing: "Go is not installed" };
  const module = fileURLToPath(new URL(`${name}/`, modules));
  const go = (...args: string[]) => spawnSync("go", ["-C", module, ...args], { encoding: "utf8" });
  const fetched = go("mod", "download");
  if (fetched.status !== 0) return { missing: `its modules cannot be downloaded: ${fetched.stderr.trim()}` };
  const { status, stderr } = go("build", "-o", builds, "tool");
  if (status !== 0) throw new Error(`go build of ${name} ended with ${status}:\n${stderr}`);
  return { command: `${builds}${name}` };
}

const inGo = readdirSync(modules, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** Finds a tool by its name, and builds it when it is one of the modules. Throws when the build fails. */
export function toolOf(name: string): Tool {
  return inGo.includes(name) ? built(name) : installed(name);
}
