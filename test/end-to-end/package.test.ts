// The package as npm makes it, installed without a registry and started in an empty folder.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, expect, test } from "@jest/globals";
import { hashSync } from "bcryptjs";
import { folderOfTests } from "../support/folder.ts";
import { killAll, start } from "../support/program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
// npm's own configuration and the scripts of the test run must not reach the npm that is tested.
const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: tmpdir() };

const SOURCES = "alerts dashboards schema simulator src tools package.json README.md CHANGELOG.md LICENSE".split(" ");

const folder = folderOfTests();
let installed: string;
beforeAll(() => {
  // In a copy: another test builds dist/ at the same time.
  const copy = join(folder, "copy");
  mkdirSync(copy);
  for (const name of SOURCES) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  execFileSync("npm", ["pack", "--pack-destination", folder], { cwd: copy, env, stdio: "pipe" });
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  execFileSync("npm", ["install", "--offline", "--prefix", folder, join(folder, tarball)], { env, stdio: "pipe" });
  installed = join(folder, "node_modules/stacks-exporter");
});
afterEach(() => killAll());

const npx = (...args: string[]) =>
  spawnSync("npx", ["--offline", "stacks-exporter", ...args], { cwd: folder, env, encoding: "utf8" });

test("it installs no other package, and contains what it needs", () => {
  expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
    "stacks-exporter",
  ]);
  expect(readdirSync(installed, { recursive: true, encoding: "utf8" }).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist",
    "dist/THIRD-PARTY-LICENSES.txt",
    "dist/exporter.js",
    "dist/main.js",
    "dist/simulator.js",
    "dist/style.css",
    "package.json",
    "schema",
    "schema/stacks-exporter.schema.json",
  ]);
  expect(statSync(join(installed, "dist/main.js")).mode & 0o111).toBe(0o111);
  // Any other character doubles the memory of the code.
  expect(readFileSync(join(installed, "dist/exporter.js"), "utf8")).toMatch(/^\p{ASCII}*$/u);
});

test("demo requires a password, which a thread of the bundle compares", async () => {
  const file = join(folder, "web.yml");
  writeFileSync(file, `basic_auth_users: { alice: "${hashSync("right", 4)}" }\n`);
  const program = start(
    ["demo", "--listen", "127.0.0.1:0", "--web.config.file", file],
    {},
    { main: join(folder, "node_modules/.bin/stacks-exporter") },
  );
  const [, url = ""] = await program.says(/serves +(http:\S+)\/metrics/);
  const status = async (password: string) => {
    const authorization = `Basic ${Buffer.from(`alice:${password}`).toString("base64")}`;
    return (await fetch(`${url}/-/healthy`, { headers: { authorization } })).status;
  };

  expect([await status("right"), await status("wrong")]).toEqual([200, 401]);
  program.child.kill("SIGTERM");
  expect(await program.finished).toMatchObject({ code: 0 });
});

test("check runs through npx, with the exit codes of the configuration", () => {
  const good = join(folder, "good.yaml");
  const bad = join(folder, "bad.yaml");
  writeFileSync(
    good,
    "networks:\n  - { name: own, url: http://127.0.0.1:1, budget: { per_minute: 600 } }\nstate: memory\n",
  );
  writeFileSync(bad, "listne: x\n");

  expect(npx("check", "--config", bad)).toMatchObject({ status: 1, stderr: expect.stringContaining("listne") });
  expect(npx("check", "--config", good)).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringContaining("requests a minute"),
  });
});

test("rules and board are written without another package", () => {
  const config = join(folder, "rules.yaml");
  const rule = "{ metric: swaps_total, type: counter, help: Swaps., match: [{ path: topic, equals: print }] }";
  const contract = `{ contract_id: SP000000000000000000002Q6VF78.amm, events: [${rule}] }`;
  writeFileSync(config, `networks:\n  - { name: own, url: http://127.0.0.1:1, contracts: [${contract}] }\n`);

  expect(npx("rules", "--config", config)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("alert: StacksContractSilent"),
  });
  expect(npx("board", "--config", config)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('"title": "swaps_total"'),
  });
});
