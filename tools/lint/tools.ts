// Finds the linters: packages of Debian on the PATH, and Go modules in this folder, pinned by hash and built once.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const modules = new URL("./", import.meta.url);
const builds = fileURLToPath(new URL("../../node_modules/.cache/lint/", import.meta.url));

/** A tool, or why it is not available. */
export type Tool = { readonly command: string } | { readonly missing: string };

function canStart(command: string, version: string): boolean {
  return spawnSync(command, [version]).error === undefined;
}

function installed(name: string): Tool {
  return canStart(name, "--version") ? { command: name } : { missing: `${name} is not on the PATH` };
}

function built(name: string): Tool {
  if (!canStart("go", "version")) return { missing: "Go is not installed" };
  const module = fileURLToPath(new URL(`${name}/`, modules));
  const go = (...args: string[]) => spawnSync("go", ["-C", module, ...args], { encoding: "utf8" });
  const fetched = go("mod", "download");
  if (fetched.status !== 0) return { missing: `its modules cannot be downloaded: ${fetched.stderr.trim()}` };
  // Without optimization, the build takes a quarter less time.
  const { status, stderr } = go("build", "-gcflags=all=-N -l", "-o", builds, "tool");
  if (status !== 0) throw new Error(`go build of ${name} exited with ${status}:\n${stderr}`);
  return { command: `${builds}${name}` };
}

const inGo = readdirSync(modules, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** Finds a tool by its name, and builds it if it is one of the modules. Throws if the build fails. */
export function toolOf(name: string): Tool {
  return inGo.includes(name) ? built(name) : installed(name);
}
