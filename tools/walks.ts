// npm run walks: how many source files process one value. Counts the files of src/ in which a function is called while
// one fee is polled and served, and while one setting is read; then those whose calls depend on the setting. Functions
// that run only when a module loads do not count.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startSimulator } from "../simulator/server.ts";
import { collectors } from "../src/collectors/index.ts";
import { configLoader } from "../src/config/load.ts";

const source = new URL("../src/", import.meta.url).href;
const main = new URL("../src/main.ts", import.meta.url).pathname;

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/** Files of src/ in which a function was called. */
const called = (scripts: readonly Script[]): string[] =>
  scripts
    .filter(
      ({ url, functions }) => url.startsWith(source) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url }) => url.slice(source.length))
    .sort();

/** A connection to the inspector of another process. */
async function inspect(url: string) {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (result: { result: Script[] }) => void>();
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
  };
  const send = (method: string, params: object = {}): Promise<{ result: Script[] }> =>
    new Promise((resolve) => {
      const id = waiting.size + 1;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return { send, close: () => socket.close() };
}

/** The first match of each pattern in what a child process writes to standard error. */
async function said(child: ChildProcess, patterns: readonly RegExp[]): Promise<string[]> {
  const found = patterns.map(() => "");
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    for (const [index, pattern] of patterns.entries()) found[index] ||= pattern.exec(line)?.[1] ?? "";
    if (!found.includes("")) return found;
  }
  throw new Error(`the exporter ended without ${patterns.join(", ")}`);
}

/** One poll of the collector `fees`, and one scrape of its samples. */
async function feeWalk(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "stacks-exporter-walk-"));
  const simulator = await startSimulator({ seed: 1 });
  const config = join(folder, "exporter.yaml");
  writeFileSync(
    config,
    JSON.stringify({
      networks: [{ name: "simulated", url: simulator.url, budget: { per_minute: 600, per_month: "unlimited" } }],
      state: { path: join(folder, "state.db") },
      collectors: {
        fees: { every: "2s" },
        ...Object.fromEntries(collectors.flatMap(({ name }) => (name === "fees" ? [] : [[name, { enabled: false }]]))),
      },
    }),
  );
  const child = spawn(
    process.execPath,
    ["--inspect=127.0.0.1:0", main, "--config", config, "--listen", "127.0.0.1:0", "--log-format", "json"],
    { stdio: ["ignore", "ignore", "pipe"], cwd: folder },
  );
  try {
    const [inspector = "", address = ""] = await said(child, [/(ws:\S+)/, /"address":"([^"]+)"/]);
    const { send, close } = await inspect(inspector);
    const polled = async () => {
      const before = simulator.requests.length;
      while (simulator.requests.length === before) await new Promise((resolve) => setTimeout(resolve, 50));
      await new Promise((resolve) => setTimeout(resolve, 200));
    };
    await polled();
    await send("Profiler.enable");
    await send("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await send("Profiler.takePreciseCoverage");
    await polled();
    await (await fetch(`http://${address}/metrics`)).text();
    const files = called((await send("Profiler.takePreciseCoverage")).result);
    // The process does not end while an inspector is attached.
    close();
    return files;
  } finally {
    child.kill("SIGTERM");
    await simulator.close();
    rmSync(folder, { recursive: true });
  }
}

/** Calls in a configuration that is loaded once more. */
async function coverageOfLoad(text: string): Promise<readonly Script[]> {
  const session = new Session();
  session.connect();
  const load = () => configLoader({ text, file: "exporter.yaml", env: {}, readFile: () => "", collectors })();
  await load();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await load();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result;
}

const callsIn = ({ functions }: Script) =>
  JSON.stringify(functions.flatMap(({ ranges: [first] }) => (first?.count ? [[first.startOffset, first.count]] : [])));

/** One setting: the files that run in each load, and those of them that do more or less because of it. */
async function settingWalk(): Promise<{ readonly all: string[]; readonly changed: string[] }> {
  const without = await coverageOfLoad("collectors: { fees: {} }");
  const scripts = await coverageOfLoad("collectors: { fees: { every: 45s } }");
  const before = new Map(without.map((script) => [script.url, callsIn(script)]));
  return { all: called(scripts), changed: called(scripts.filter((one) => before.get(one.url) !== callsIn(one))) };
}

function print(name: string, files: readonly string[]): void {
  console.log(`${name}: ${files.length} files`);
  for (const file of files) console.log(`  ${file}`);
}

print("one fee, from the request to the page", await feeWalk());
const { all, changed } = await settingWalk();
print("one setting, from the file to the configuration", all);
print("files whose calls depend on that setting", changed);
