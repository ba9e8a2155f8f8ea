// Bundles the exporter and the simulator into dist/, with the licences of the bundled packages. Loading one file
// instead of five hundred halves the start time, and images and packages need no node_modules. The simulator is a
// separate program, which only `demo` starts.

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build, type Plugin } from "esbuild";

const root = new URL("../", import.meta.url);
const path = (name: string) => new URL(name, root).pathname;

/** The commit, of the environment (an image has no repository) or of the checkout. */
function revision(): string {
  if (process.env.REVISION) return process.env.REVISION;
  try {
    const args = ["describe", "--always", "--dirty", "--exclude=*", "--abbrev=40"];
    return execFileSync("git", args, { cwd: path("."), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // A source archive.
    return "unknown";
  }
}

// An import of node:http reads each of its exports, also those for which Node.js loads a client: an eighth of a start.
const requiredHttp: Plugin = {
  name: "required-http",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ path: name, kind }) =>
      kind === "import-statement" ? { path: name, namespace: "required" } : undefined,
    );
    onLoad({ filter: /./, namespace: "required" }, ({ path: name }) => ({
      contents: `module.exports = require("${name}")`,
    }));
  },
};

/** Writes dist/. */
export async function bundle(): Promise<void> {
  rmSync(path("dist"), { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: [
      { in: path("src/start.ts"), out: "main" },
      { in: path("src/main.ts"), out: "exporter" },
      { in: path("simulator/main.ts"), out: "simulator" },
    ],
    outdir: path("dist"),
    bundle: true,
    format: "esm",
    define: { BUNDLED_REVISION: JSON.stringify(revision()) },
    // Template literals become strings, in which esbuild escapes non-ASCII characters.
    supported: { "template-literal": false },
    platform: "node",
    target: "node24",
    // V8 keeps the code, and the ends of its lines, in memory: 3 MB less. A trace quotes the line that failed.
    minifyWhitespace: true,
    lineLimit: 200,
    legalComments: "none",
    sourcemap: "linked",
    sourcesContent: false,
    plugins: [requiredHttp],
    metafile: true,
    logLevel: "warning",
    absWorkingDir: path("."),
    // Bundled CommonJS packages load modules of Node.js with require(), which an ES module does not have.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
  // V8 would keep the code in two bytes per character: 5 MB more. esbuild escapes all but regular expressions.
  for (const output of Object.keys(metafile.outputs).filter((name) => name.endsWith(".js"))) {
    const [found] = /[^\p{ASCII}]/u.exec(readFileSync(path(output), "utf8")) ?? [];
    if (found !== undefined) throw new Error(`expected code in ASCII, found ${found} in a regular expression`);
  }
  copyFileSync(path("src/http/style.css"), path("dist/style.css"));
  // npm makes the file of `bin` executable when it installs a package; a copy of dist/ needs it as well.
  chmodSync(path("dist/main.js"), 0o755);

  // A package can be bundled in two versions, one of them in the node_modules of another package.
  const folders = new Set(
    Object.keys(metafile.inputs).flatMap((input) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+\//.exec(input)?.[0] ?? []),
  );
  if (folders.size === 0) throw new Error("expected packages in the bundle, found none");
  const notices = [...folders].map((name) => {
    const folder = path(name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? "" : readFileSync(`${folder}${file}`, "utf8").trim();
    const of = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as Readonly<Record<string, string>>;
    return `${of.name} ${of.version} (${of.license})\n\n${text}\n`;
  });
  writeFileSync(path("dist/THIRD-PARTY-LICENSES.txt"), notices.sort().join(`\n${"-".repeat(80)}\n\n`));
}

if (import.meta.main) await bundle();
