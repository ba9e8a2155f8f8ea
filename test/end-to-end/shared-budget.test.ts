// A running exporter and commands with the same configuration share one budget.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { startSimulator } from "../../simulator/server.ts";
import { killAll, start, until } from "../support/program.ts";

const PER_MINUTE = 30;

let folder: string;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "stacks-exporter-shared-"));
  simulator = await startSimulator({ seed: 1 });
});
afterEach(async () => {
  killAll();
  await simulator.close();
  rmSync(folder, { recursive: true });
});

function configFile(more = "", watched = 20): string {
  const { users, contracts } = simulator.chain.accounts;
  const rule = "{ metric: swaps_total, type: counter, help: Swaps., match: [{ path: topic, equals: print }] }";
  const addresses = users.slice(0, watched).map((address) => `{ address: ${address} }`);
  const file = join(folder, "config.yaml");
  writeFileSync(
    file,
    `state: { path: ${join(folder, "state.db")} }
networks:
  - name: simulated
    url: ${simulator.url}
    budget: { per_minute: ${PER_MINUTE}, per_month: unlimited }
    addresses: [${addresses}]
    contracts: [{ contract_id: ${contracts.logger}, events: [${rule}] }]
${more}`,
  );
  return file;
}

const serving = async (file: string) => {
  const program = start(["--config", file, "--listen", "127.0.0.1:0"]);
  const [, address] = await program.says(/"address":"([^"]+)"/);
  return { ...program, url: `http://${address}` };
};

const commandsOf = (file: string) => [
  start(["events", simulator.chain.accounts.contracts.logger, "--last", "500", "--config", file]),
  start(["try", "--last", "500", "--config", file]),
  start(["once", "--config", file]),
];

/**
 * The maximum number of requests that the server received in a minute. A request that opens a connection can arrive up
 * to five seconds after its admission, so this uses windows of 55 seconds.
 */
function busiestMinute(): number {
  const times = simulator.requests.map(({ at }) => at);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 55_000).length));
}
const sent = () => simulator.requests.length;
const reaches = (count: number) => until(async () => (sent() >= count ? true : undefined), `${count} requests`);

test("a daemon and three concurrent commands stay within the budget per minute when some of them are killed", async () => {
  const file = configFile("collectors: { addresses: { every: 5s } }\n");
  const killed = await serving(file);
  const commands = commandsOf(file);
  await reaches(PER_MINUTE / 2);
  killed.child.kill("SIGKILL");
  commands[0]?.child.kill("SIGKILL");
  await Promise.all([killed.finished, commands[0]?.finished]);
  const next = await serving(file);
  commands.push(...commandsOf(file));

  // Waits for the first requests of the next minute.
  await reaches(PER_MINUTE + 10);

  expect(busiestMinute()).toBeLessThanOrEqual(PER_MINUTE);
  for (const { child } of [next, ...commands]) child.kill("SIGTERM");
  await Promise.all([next, ...commands].map(({ finished }) => finished));
  expect(busiestMinute()).toBeLessThanOrEqual(PER_MINUTE);
});

test("a daemon that starts after a command counts the requests of the command, and its page shows the rest", async () => {
  const file = configFile("", 1);
  const { code } = await start(["once", "--config", file]).finished;
  expect(code).toBe(0);
  const used = sent();
  expect(used).toBeGreaterThan(5);

  const { url } = await serving(file);
  const page = await (await fetch(`${url}/metrics`)).text();

  const remaining = Number(/^stacks_exporter_budget_remaining_requests\{[^}]*\} (\d+)$/m.exec(page)?.[1]);
  expect(remaining).toBeLessThanOrEqual(PER_MINUTE - used);
});

test("a 429 to the daemon pauses a command", async () => {
  const file = configFile("collectors: { fees: { every: 1s } }\n");
  simulator.faults.set({ kind: "429", retryAfter: 300 });
  const { says } = await serving(file);
  await says(/429/);
  simulator.faults.clear();
  const before = sent();

  const { code, err } = await start(["events", simulator.chain.accounts.contracts.logger, "--config", file]).finished;

  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/cannot be read: rate_limited: .* 429/) });
  expect(sent()).toBe(before);
});

test("a shard and its commands share the part of the budget of the shard", async () => {
  const file = configFile("shard: { index: 1, count: 3 }\ncollectors: { addresses: { every: 5s } }\n");
  const { child, finished } = await serving(file);
  const commands = commandsOf(file);
  await reaches(PER_MINUTE / 3);
  // The command ends when its last polls have reached their deadlines while waiting for the budget.
  await commands[2]?.finished;
  expect(busiestMinute()).toBeLessThanOrEqual(PER_MINUTE / 3);
  for (const { child: command } of commands) command.kill("SIGTERM");
  child.kill("SIGTERM");
  await finished;
});
