// Checks manifests against the types of Kubernetes and of the Prometheus Operator: TypeScript rejects a wrong value
// and, unlike most validators, an unknown key.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { root } from "./files.ts";

const MODULES: Readonly<Record<string, string>> = {
  "apps/v1": "kubernetes-models/apps/v1",
  "networking.k8s.io/v1": "kubernetes-models/networking.k8s.io/v1",
  "policy/v1": "kubernetes-models/policy/v1",
  v1: "kubernetes-models/v1",
  "monitoring.coreos.com/v1": "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1",
};

/** The fields of every object. */
export interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The errors of the compiler for the manifests as literals of their types. */
export function complaints(list: readonly Typed[]): string[] {
  // Within node_modules, where the compiler finds the types.
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const here = mkdtempSync(join(cache, "manifests-"));
  try {
    const source = list.map(
      (one, index) =>
        `import type { I${one.kind} as T${index} } from "${MODULES[one.apiVersion]}";\nexport const m${index}: T${index} = ${JSON.stringify(one)};\n`,
    );
    writeFileSync(join(here, "manifests.ts"), source.join(""));
    const { stdout, error } = spawnSync(
      resolve(root, "node_modules/.bin/tsc"),
      [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--ignoreConfig",
        "--module",
        "nodenext",
        "--target",
        "es2022",
        "manifests.ts",
      ],
      { cwd: here, encoding: "utf8" },
    );
    if (error !== undefined) throw error;
    return stdout.split("\n").filter((line) => line.includes("error"));
  } finally {
    rmSync(here, { recursive: true });
  }
}
