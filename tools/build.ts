// Bundles the exporter and the simulator into dist/: one file to load instead of five hundred halves the start, and an
// image then needs no node_modules. The licences of everything bundled are written beside it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const root = new URL("../", import.meta.url);
const path = (name: string) => new URL(name, root).pathname;

rmSync(path("dist"), { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [
    { in: path("src/main.ts"), out: "main" },
    { in: path("simulator/main.ts"), out: "simulator" },
  ],
  outdir: path("dist"),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node24",
  sourcemap: "linked",
  sourcesContent: false,
  metafile: true,
  logLevel: "warning",
  absWorkingDir: path("."),
  // Bundled CommonJS packages call require() for what Node.js brings along, which an ES module does not have.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});

const packages = new Set(
  Object.keys(metafile.inputs).flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []),
);
const notices = [...packages].sort().map((name) => {
  const folder = path(`node_modules/${name}/`);
  const { version, license } = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as Record<string, string>;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text =
    file !== undefined && existsSync(`${folder}${file}`) ? readFileSync(`${folder}${file}`, "utf8").trim() : "";
  return `${name} ${version} (${license})\n\n${text}\n`;
});
mkdirSync(path("dist"), { recursive: true });
writeFileSync(path("dist/THIRD-PARTY-LICENSES.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));
