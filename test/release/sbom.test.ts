import { expect, test } from "@jest/globals";
import { lockedSbom, sbomOf } from "../../tools/release/sbom.ts";

const locked = lockedSbom();

test("it lists the packages of the bundle and no others, as parts of the program", () => {
  const { metadata, components, dependencies } = sbomOf(
    locked,
    [
      { name: "pino-std-serializers", version: versionOf("pino-std-serializers") },
      { name: "pino", version: versionOf("pino") },
    ],
    "stacks-exporter",
  );

  expect(metadata.component).toMatchObject({ name: "stacks-exporter", type: "application" });
  expect(components.map(({ name, scope }) => [name, scope]).sort()).toEqual([
    ["pino", "required"],
    ["pino-std-serializers", "required"],
  ]);
  for (const component of components) {
    expect(component).toMatchObject({ purl: expect.stringMatching(/^pkg:npm\/pino/), hashes: [{ alg: "SHA-512" }] });
  }
  const pino = dependencies.find(({ ref }) => ref.startsWith("pino@"));
  expect(pino?.dependsOn).toEqual([`pino-std-serializers@${versionOf("pino-std-serializers")}`]);
});

test("a package that the lock file lacks is an error", () => {
  expect(() => sbomOf(locked, [{ name: "pino", version: "0.0.1" }], "x")).toThrow(
    "not in package-lock.json: pino@0.0.1",
  );
});

function versionOf(name: string): string {
  const found = locked.components.find((component) => component.name === name)?.version;
  if (found === undefined) throw new Error(`expected ${name} in the lock file, found none`);
  return found;
}
