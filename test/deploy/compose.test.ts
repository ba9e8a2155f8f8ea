// The stack of deploy/compose.yaml, as far as it can be checked without running it; tools/stack-check.sh runs it.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { mountOf } from "../../tools/lint/stack-folder.ts";
import { root, textOf, yamlOf } from "./files.ts";

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string };
  readonly command?: string | readonly string[];
  readonly user: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly restart?: string;
  readonly volumes: readonly string[];
  readonly ports: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}
interface Compose {
  readonly services: Readonly<Record<string, Partial<Service>>>;
  readonly volumes: Readonly<Record<string, null>>;
}

const { services, volumes } = yamlOf<Compose>("deploy/compose.yaml") as Compose & {
  readonly services: Readonly<Record<string, Service>>;
};
const list = Object.entries(services);

test("it has the exporter and its monitoring", () => {
  expect(list.map(([name]) => name)).toEqual(["exporter", "prometheus", "alertmanager", "grafana"]);
});

describe.each(list)("%s", (_, service) => {
  test("has an image of an exact version", () => {
    expect(service.image).toMatch(/^(docker\.io\/\w+\/)?[\w-]+:v?\d+\.\d+\.\d+$/);
  });

  test("listens on the loopback address only", () => {
    expect(service.ports.length).toBeGreaterThan(0);
    for (const port of service.ports) expect(port).toMatch(/^127\.0\.0\.1:\$\{[A-Z]+_PORT:-\d+\}:\d+$/);
  });

  test("has no privileges, and does not run as root", () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      restart: "unless-stopped",
    });
    expect(service.user).toMatch(/^[1-9]\d*:\d+$/);
    expect(Object.keys(service)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(privileged|cap_add|network_mode|pid|ipc|devices)$/)]),
    );
  });

  test("has a health check", () => {
    if (service.build === undefined) expect(service.healthcheck?.test[0]).toBe("CMD");
    else expect(textOf("Dockerfile")).toContain("\nHEALTHCHECK ");
  });

  test("mounts existing files read-only, and declared volumes", () => {
    for (const { source, mode } of service.volumes.map(mountOf)) {
      if (source.startsWith(".")) {
        expect(() => statSync(resolve(root, "deploy", source))).not.toThrow();
        expect([source, mode]).toEqual([source, "ro"]);
      } else expect(Object.keys(volumes)).toContain(source);
    }
  });
});

test("the version of the exporter is the version of the package", () => {
  const { version } = JSON.parse(textOf("package.json")) as { version: string };

  expect(services.exporter?.image).toBe(`stacks-exporter:${version}`);
});

test("mainnet changes the exporter only, by a command that every version of compose can replace", () => {
  const { services: changed } = yamlOf<Compose>("deploy/compose.mainnet.yaml");

  expect(Object.keys(changed)).toEqual(["exporter"]);
  for (const service of [services.exporter, changed.exporter]) expect(typeof service?.command).toBe("string");
});

test.each(["mainnet", "grafana-alerts"])("what %s adds is there, and mounted read-only", (name) => {
  const { services: changed } = yamlOf<Compose>(`deploy/compose.${name}.yaml`);
  const mounts = Object.values(changed).flatMap(({ volumes = [] }) => volumes.map(mountOf));

  expect(mounts.length).toBeGreaterThan(0);
  for (const { source, mode } of mounts) {
    expect(() => statSync(resolve(root, "deploy", source))).not.toThrow();
    expect([source, mode]).toEqual([source, "ro"]);
  }
});
