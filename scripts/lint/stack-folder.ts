// The files of the stack in the places where deploy/compose.yaml mounts them, so that tools see what the containers see.
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));

/** Copies what the services mount from the project into a new folder, whose path is the result; to be removed by the caller. */
export function layOutStack(...names: readonly string[]): string {
  const { services } = parse(readFileSync(join(deploy, "compose.yaml"), "utf8"), { merge: true }) as {
    services: Readonly<Record<string, { volumes: readonly string[] }>>;
  };
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-stack-"));
  for (const volume of names.flatMap((name) => services[name]?.volumes ?? [])) {
    const [source = "", target = ""] = volume.split(":");
    if (!source.startsWith(".")) continue;
    mkdirSync(join(folder, dirname(target)), { recursive: true });
    cpSync(resolve(deploy, source), join(folder, target), { recursive: true });
  }
  return folder;
}
