// The software bill of materials of the bundle, in CycloneDX. `npm sbom` lists every package of the lock file; the
// bundle contains some of them.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Bundled } from "../build.ts";

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly [key: string]: unknown;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

/** The parts of a CycloneDX document that change. */
export interface Sbom {
  readonly metadata: { readonly component: Component; readonly [key: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
  readonly [key: string]: unknown;
}

/** The output of npm for the lock file. Throws if npm fails. */
export function lockedSbom(): Sbom {
  const { status, stdout, stderr } = spawnSync(
    "npm",
    ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"],
    { cwd: fileURLToPath(new URL("../../", import.meta.url)), encoding: "utf8", maxBuffer: 2 ** 26 },
  );
  if (status !== 0) throw new Error(`npm sbom ended with ${status}: ${stderr.trim()}`);
  return JSON.parse(stdout) as Sbom;
}

/** Only the packages of the bundle. Throws when the lock file lacks one of them. */
export function sbomOf(locked: Sbom, bundled: readonly Pick<Bundled, "name" | "version">[], name: string): Sbom {
  const wanted = new Set(bundled.map((one) => `${one.name}@${one.version}`));
  const { component } = locked.metadata;
  const components = locked.components
    .filter((one) => wanted.delete(`${one.name}@${one.version}`))
    // For npm it is a development dependency; in the package it is part of the program.
    .map(({ properties: _, ...one }) => ({ ...one, scope: "required" }));
  if (wanted.size > 0) throw new Error(`not in package-lock.json: ${[...wanted].join(", ")}`);
  const kept = new Set([component["bom-ref"], ...components.map((one) => one["bom-ref"])]);
  return {
    ...locked,
    // npm takes the name from the folder.
    metadata: { ...locked.metadata, lifecycles: [{ phase: "build" }], component: { ...component, name } },
    components,
    dependencies: locked.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  };
}
