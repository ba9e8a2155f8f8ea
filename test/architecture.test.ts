// The layers of the project, checked on the imports.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { dataOf } from "./support/data.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

interface File {
  readonly path: string;
  readonly text: string;
  /** Files of the project, from the root. */
  readonly local: readonly string[];
  /** Packages, and modules of Node.js with their prefix. */
  readonly packages: readonly string[];
}

// `import … from "x"`, `} from "x"`, `import("x")` and `import "x"`, but not the end of a text.
const IMPORTED = /^(?:import|export|\})[^"\n]*\bfrom "([^"\n]+)"|\bimport\(?\s*"([^"\n]+)"/gm;

function read(folder: string): File[] {
  return readdirSync(resolve(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => {
      const path = `${folder}/${name}`;
      const text = readFileSync(resolve(root, path), "utf8");
      const specifiers = [...text.matchAll(IMPORTED)].map(([, of, only]) => of ?? only ?? "");
      return {
        path,
        text,
        local: specifiers
          .filter((specifier) => specifier.startsWith("."))
          .map((specifier) => relative(root, resolve(root, dirname(path), specifier))),
        packages: specifiers
          .filter((specifier) => !specifier.startsWith("."))
          .map((specifier) =>
            specifier.startsWith("@") ? specifier.split("/").slice(0, 2).join("/") : (specifier.split("/")[0] ?? ""),
          ),
      };
    });
}

const src = read("src");
const simulator = read("simulator");
const alerts = read("alerts");
const evaluation = read("tools/evaluation");

const { layers: LAYERS, packages } = dataOf<{
  readonly layers: readonly (readonly string[])[];
  readonly packages: Readonly<Record<string, string>>;
}>("architecture.yaml", import.meta.url);

const folderOf = (path: string) => LAYERS.flat().find((folder) => path === folder || path.startsWith(`${folder}/`));
const layerOf = (path: string) =>
  LAYERS.findIndex((folders) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`)));

test("there are files to check, every file has its layer, and the page has the folders in this order", () => {
  expect(src.length).toBeGreaterThan(30);
  expect(simulator.length).toBeGreaterThan(3);
  expect(src.filter(({ path }) => layerOf(path) < 0).map(({ path }) => path)).toEqual([]);
  const page = readFileSync(resolve(root, "docs/architecture.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(src\/[a-z]+)` \|/gm)].map(([, folder]) => folder);
  expect(rows).toEqual(LAYERS.flat().filter((path) => !path.endsWith(".ts")));
});

test("imports point to lower layers, and never into another folder of the same layer", () => {
  const upward = src.flatMap(({ path, local }) =>
    local
      .filter((target) => folderOf(target) !== folderOf(path) && layerOf(target) >= layerOf(path))
      .map((target) => `${path} imports ${target}`),
  );

  expect(upward).toEqual([]);
});

test("there is no import cycle", () => {
  const edges = new Map([...src, ...simulator, ...alerts, ...evaluation].map(({ path, local }) => [path, local]));
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [[...trail.slice(trail.indexOf(path)), path].join(" → ")];
    if (done.has(path)) return [];
    const cycles = (edges.get(path) ?? []).flatMap((target) => walk(target, [...trail, path]));
    done.add(path);
    return cycles;
  };

  expect([...edges.keys()].flatMap((path) => walk(path, []))).toEqual([]);
});

describe("a package is imported in one place:", () => {
  test.each(Object.entries(packages))("%s", (name, owner) => {
    const users = [...src, ...simulator].filter(({ packages }) => packages.includes(name)).map(({ path }) => path);

    expect(users.filter((path) => !new RegExp(owner).test(path))).toEqual([]);
  });

  // undici reads the proxies from the environment of the process, so what belongs to them is read there, too.
  test("only main.ts and start.ts use the process, besides its proxies", () => {
    const users = src
      .filter(({ text }) => /\bprocess\.(env|argv|exit|exitCode|once|on)\b/.test(text))
      .map(({ path }) => path);

    expect(users).toEqual(["src/main.ts", "src/start.ts", "src/api/transport.ts", "src/config/secret.ts"]);
  });

  test("every package that the exporter imports is declared, and the package installs none of them", () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
      dependencies?: object;
      devDependencies: object;
    };
    const used = new Set(
      [...src, ...simulator].flatMap(({ packages }) => packages).filter((name) => !name.startsWith("node:")),
    );

    expect(used.size).toBeGreaterThan(10);
    expect([...used].filter((name) => !(name in devDependencies))).toEqual([]);
    // They are in the bundle.
    expect(dependencies).toBeUndefined();
  });
});

test("a collector imports the contract, families, operations and its own files, and no other collector", () => {
  const { text } = src.find(({ path }) => path === "src/collectors/index.ts") ?? { text: "" };
  const subjects = [...text.matchAll(/from "\.\/([\w/-]+\.ts)"/g)]
    .map(([, name]) => `src/collectors/${name}`)
    .filter((path) => path !== "src/collectors/collector.ts");
  expect(subjects.length).toBeGreaterThanOrEqual(3);
  const allowed = /^src\/(collectors\/|chain\/|ledger\/|exposition\/family\.ts$|api\/(budget|operation|errors)\.ts$)/;
  const wrong = src
    .filter(({ path }) => path.startsWith("src/collectors/") && path !== "src/collectors/index.ts")
    .flatMap(({ path, local }) =>
      local
        .filter((target) => !allowed.test(target) || subjects.includes(target))
        .map((target) => `${path} imports ${target}`),
    );

  expect(wrong).toEqual([]);
});

describe("the rules", () => {
  test("are imported only by the command that writes them, and by the runbooks", () => {
    const users = [...src, ...simulator].filter(({ local }) => local.some((target) => target.startsWith("alerts/")));

    expect(users.map(({ path }) => path).sort()).toEqual([
      "src/commands/rule-values.ts",
      "src/commands/rules.ts",
      "src/commands/runbooks.ts",
    ]);
  });

  test("are loaded when a command runs that writes them, or a runbook is requested", () => {
    expect(src.filter(({ text }) => /^import .*\/(runbooks|rules)\.ts"/m.test(text))).toEqual([]);
  });
});

test("the simulator and the exporter share no code: a shared parser would hide its mistakes", () => {
  const crossing = [
    ...src.map((file) => [file, "simulator/"] as const),
    ...simulator.map((file) => [file, "src/"] as const),
  ].flatMap(([{ path, local }, other]) =>
    local.filter((target) => target.startsWith(other)).map((target) => `${path} imports ${target}`),
  );

  expect(crossing).toEqual([]);
});
