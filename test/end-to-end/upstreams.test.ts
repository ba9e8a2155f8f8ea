// Upstreams in the whole exporter: readiness, status, metrics, budgets and what is saved.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { pino } from "pino";
import { startSimulator } from "../../simulator/server.ts";
import type { App } from "../../src/app.ts";
import { collectors } from "../../src/collectors/index.ts";
import { Store } from "../../src/store/store.ts";
import { createApp, readPage } from "../support/app.ts";

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let folder: string;
let app: App | undefined;

beforeEach(async () => {
  simulator = await startSimulator({ seed: 1 });
  folder = mkdtempSync(join(tmpdir(), "stacks-exporter-upstreams-"));
});

afterEach(async () => {
  await app?.stop();
  app = undefined;
  await simulator.close();
  rmSync(folder, { recursive: true });
});

const lines: { level: number; reason?: string }[] = [];
const log = pino({ level: "info" }, { write: (line) => void lines.push(JSON.parse(line)) });
const WARN = 40;
const openStateFile = () => new Store(join(folder, "state.db"));

async function start(network: string): Promise<App> {
  await app?.stop();
  const text = `networks: [{ name: simulated, ${network} }]`;
  app = await createApp(text, undefined, { log, store: openStateFile() });
  return app;
}

const budget = "budget: { per_minute: 100, per_month: unlimited }";
const only = (url: string, more = "") => `url: "${url}", ${budget}${more}`;
const everything = { page: 1, limit: 100 };

test("on another chain than that of the state file the exporter is down, and logs how to continue", async () => {
  const before = await start(only(simulator.url));
  await before.pollOnce();
  const other = await startSimulator({ seed: 2 });
  const after = await start(only(other.url));
  lines.length = 0;
  const failed = await after.pollOnce();

  expect(lines.filter(({ level }) => level >= WARN)).toMatchObject([{ reason: "wrong_chain" }]);
  const polled = collectors.filter(({ targets, isOptIn }) => targets === undefined && !isOptIn);
  const wholeChain = polled.map(({ name }) => `simulated/${name}`);
  expect(failed.map((one) => one.split(":")[0]).sort()).toEqual(wholeChain.sort());
  for (const one of failed)
    expect(one).toMatch(/^[^:]+: wrong_chain: .*block 1 of the API is 0x[0-9a-f]{64}.*--reset-state/);
  expect(other.requests).toHaveLength(1);
  expect(after.missing()[0]).toMatch(/^simulated: wrong_chain: block 1 /);
  expect(after.status(everything)).toMatchObject({ status: "down", problems: [{ subject: "simulated" }] });
  const page = await readPage(after);
  expect(page.value("stacks_up")).toBe(0);
  expect(page.value("stacks_exporter_upstream_up", { upstream: "default" })).toBe(0);
  await other.close();
});

test("each upstream has its own saved budget", async () => {
  const used = (key: string) => {
    const stateFile = openStateFile();
    const record = stateFile.loadBudget(key);
    stateFile.close();
    return record?.minute.length;
  };
  const upstreams = `url: ${simulator.url}, ${budget}, fallbacks: [{ name: b, url: "${simulator.url}", ${budget} }]`;
  await (await start(upstreams)).pollOnce();
  await app?.stop();
  app = undefined;

  expect(used("simulated/default")).toBe(simulator.requests.length);
  expect(used("simulated/b")).toBe(0);
});
