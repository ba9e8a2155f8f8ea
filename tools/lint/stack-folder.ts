// The files of the stack at the paths where deploy/compose.yaml mounts them, so that linters see what containers see.
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));

/** A mount of a service: what of the host, or which volume, and where in the container. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly mode: string | undefined;
}

/** Takes a short mount apart; `${NAME:-default}` is its default. */
export function mountOf(volume: string): Mount {
  const [source = "", target = "", mode] = volume.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1").split(":");
  return { source, target, mode };
}

/** Copies the project files that the services mount into a new folder and returns its path; the caller removes it. */
export function layOutStack(...names: readonly string[]): string {
  const { services } = parse(readFileSync(join(deploy, "compose.yaml"), "utf8"), { merge: true }) as {
    services: Readonly<Record<string, { volumes: readonly string[] }>>;
  };
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-stack-"));
  for (const { source, target } of names.flatMap((name) => services[name]?.volumes ?? []).map(mountOf)) {
    if (!source.startsWith(".")) continue;
    mkdirSync(join(folder, dirname(target)), { recursive: true });
    cpSync(resolve(deploy, source), join(folder, target), { recursive: true });
  }
  return folder;
}
