// The state file and the real program: stopped, killed, started twice, damaged, forbidden, full.
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { startSimulator } from "../../simulator/server.ts";
import { folderOfEachTest } from "../support/folder.ts";
import { BETWEEN_KILLS, killLoop } from "../support/kill-loop.ts";
import { killAll, type Serving, serve, start, until } from "../support/program.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

const folder = folderOfEachTest();
const state = join(folder, "kept", "state.db");
let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeEach(async () => {
  simulator = await startSimulator({ seed: 1, timeScale: 20 });
});
afterEach(async () => {
  killAll();
  await simulator.close();
});

function configFile(): string {
  const file = join(folder, "config.yaml");
  writeFileSync(
    file,
    `state: { path: ${state} }
networks:
  - name: simulated
    url: ${simulator.url}
    budget: { per_minute: 1000 }
    addresses: [{ address: ${simulator.chain.accounts.users[0]} }]
collectors: { fees: { every: 1s }, blocks: { every: 2s }, addresses: { every: 2s, backfill: all } }
`,
  );
  return file;
}

const serving = (...flags: string[]) => serve(["--config", configFile(), ...flags]);
const stop = async ({ stop }: Serving) => (await stop()).code;
const value = (page: string, series: string) =>
  Number(
    page
      .split("\n")
      .find((line) => line.startsWith(series))
      ?.slice(series.length) ?? Number.NaN,
  );

const BLOCKS = 'stacks_chain_blocks_total{network="simulated"} ';

test("a damaged file stops counting, leaves gauges alone, and --reset-state starts from zero", async () => {
  const before = await serving();
  const counted = /^stacks_address_transactions_total\{.*\} [1-9]/m;
  await until(async () => (counted.test(await before.page()) ? true : undefined), "transactions");
  await stop(before);
  const damaged = Buffer.from("damage ".repeat(5000));
  writeFileSync(state, damaged);

  const after = await serving();
  const page = await until(async () => {
    const text = await after.page();
    const isBoth = /^stacks_mempool_fee_priority_microstx\{/m.test(text) && /reason="state"\} [1-9]/.test(text);
    return isBoth ? text : undefined;
  }, "gauges, and polls that fail for the state file");
  expect(value(page, "stacks_exporter_state_damaged ")).toBe(1);
  expect(page).toMatch(/failures_total\{.*collector="addresses",reason="state"\} [1-9]/);
  expect(page).not.toMatch(counted);
  const wayOut = "start once with --reset-state, which keeps the file";
  expect(after.text().err).toContain(wayOut);
  expect(await (await fetch(`${after.url}/`)).text()).toContain(wayOut);
  expect(await stop(after)).toBe(0);
  expect(readFileSync(state)).toEqual(damaged);

  const reset = await serving("--reset-state");
  expect(reset.text().err).toMatch(/the state file was renamed to \S+state\.db\.\d{4}-\d\d-\d\dT/);
  await until(async () => (value(await reset.page(), BLOCKS) > 0 ? true : undefined), "counting from zero");
  expect(value(await reset.page(), "stacks_exporter_state_damaged ")).toBe(0);
  expect(await stop(reset)).toBe(0);
});

test("SIGHUP reloads the configuration, and SIGUSR1 does not open the debugger", async () => {
  const running = await serving();
  running.child.kill("SIGUSR1");
  running.child.kill("SIGHUP");
  await running.says(/reloaded the configuration/);
  expect((await fetch(`${running.url}/-/healthy`)).status).toBe(200);
  expect(await stop(running)).toBe(0);
  expect(running.text().err).not.toContain("Debugger");
});

test("SIGHUP during the start is not lost", async () => {
  await stop(await serving());
  const web = join(folder, "web.yaml");
  writeFileSync(web, "basic_auth_users: {}\n");
  const flags = ["--listen", "127.0.0.1:0", "--reset-state", "--web.config.file", web];
  const starting = start(["--config", configFile(), ...flags]);
  // It has read the configuration, and not yet the other file.
  await starting.says(/renamed to/);
  starting.child.kill("SIGHUP");
  await starting.says(/reloaded the configuration/);
  starting.child.kill("SIGTERM");
  expect((await starting.finished).code).toBe(0);
});

test.each([
  ["may not", 0o555],
  ["may", 0o777],
])("a file that may not be written is refused, in a folder that %s be written", async (_, mode) => {
  await stop(await serving());
  chmodSync(state, 0o444);
  chmodSync(join(folder, "kept"), mode);
  chmodSync(folder, 0o755);
  const program = start(["--config", configFile(), "--listen", "127.0.0.1:0"], {}, { uid: UNPRIVILEGED });
  const { code, err } = await program.finished;
  chmodSync(join(folder, "kept"), 0o755);
  expect(code).toBe(1);
  expect(err).toMatch(/state file .*: (?:EACCES|attempt to write a readonly database|unable to open database file)/);
  expect(err).toMatch(/give the\s+folder space and its permissions/);
});
// Root may write everywhere.
const UNPRIVILEGED = process.getuid?.() === 0 ? 65_534 : undefined;

test("on a full disk polls fail with the reason state, nothing unsaved is exposed, and the exporter recovers", async () => {
  const before = await serving();
  await until(async () => (value(await before.page(), BLOCKS) > 0 ? true : undefined), "a block");
  await stop(before);
  expect(readdirSync(join(folder, "kept"))).toEqual(["state.db"]);
  const limit = Math.ceil(statSync(state).size / 1024) + 24;
  const program = await serve(["--config", configFile()], {}, { largestFile: limit });
  const { page } = program;
  await until(async () => {
    const text = await page();
    return /failures_total\{.*collector="blocks".*reason="state"\} [1-9]/.test(text) ? true : undefined;
  }, "a write that failed");
  const shown = value(await page(), BLOCKS);
  expect(shown).toBeGreaterThan(0);
  program.child.kill("SIGKILL");
  await program.finished;
  simulator.faults.set({ kind: "503", path: "*" });
  const after = await serving();
  expect(value(await after.page(), BLOCKS)).toBe(shown);
  simulator.faults.clear();
  await until(async () => (value(await after.page(), BLOCKS) > shown ? true : undefined), "counting to continue");
  await stop(after);
});

test("it starts on a full disk with what is saved, and continues when there is space again", async () => {
  const before = await serving();
  await until(async () => (value(await before.page(), BLOCKS) > 0 ? true : undefined), "a block");
  await stop(before);
  const program = await serve(["--config", configFile()], {}, { largestFile: 1 });
  const { page } = program;
  await until(async () => {
    const text = await page();
    return /failures_total\{.*reason="state"\} [1-9]/.test(text) ? true : undefined;
  }, "a write that failed");
  const shown = value(await page(), BLOCKS);
  expect(shown).toBeGreaterThan(0);
  expect(await stop(program)).toBe(0);
  const after = await serving();
  await until(async () => (value(await after.page(), BLOCKS) > shown ? true : undefined), "counting to continue");
  await stop(after);
});

test("killed at random moments, it neither loses nor doubles a count", async () => {
  const { kills, faults, transactions } = await killLoop(main, 8, 1);
  expect(faults).toEqual([]);
  expect(kills).toBe(8);
  expect(transactions).toBeGreaterThanOrEqual(kills * BETWEEN_KILLS);
});
