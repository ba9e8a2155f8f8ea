// A running exporter and commands with the same configuration stay within one budget.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { startSimulator } from "../../simulator/server.ts";
import { folderOfEachTest } from "../support/folder.ts";
import { killAll, serve, start, until } from "../support/program.ts";

const PER_MINUTE = 30;

const folder = folderOfEachTest();
let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeEach(async () => {
  simulator = await startSimulator({ seed: 1 });
});
afterEach(async () => {
  killAll();
  await simulator.close();
});

function configFile(more = "", watched = 20, perMinute = PER_MINUTE): string {
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
    budget: { per_minute: ${perMinute}, per_month: unlimited }
    addresses: [${addresses}]
    contracts: [{ contract_id: ${contracts.logger}, events: [${rule}] }]
${more}`,
  );
  return file;
}

const serving = (file: string) => serve(["--config", file]);

const eventsOf = (file: string) =>
  start(["events", simulator.chain.accounts.contracts.logger, "--last", "500", "--config", file]);

/** The maximum number of requests that the server received in a minute. */
function busiestMinute(): number {
  const times = simulator.requests.map(({ at }) => at);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length));
}
const sent = () => simulator.requests.length;
const reaches = (count: number) => until(async () => (sent() >= count ? true : undefined), `${count} requests`);
/** Resolves when no request is sent for as long as every target would be polled in, if the budget allowed it. */
const pauses = async () => {
  for (let before = -1; before < sent(); ) {
    before = sent();
    await new Promise((resolve) => setTimeout(resolve, 7_000));
  }
};

test("an exporter and commands beside it stay within the budget of a minute, over kills", async () => {
  const file = configFile("collectors: { addresses: { every: 5s } }\n");
  const killed = await serving(file);
  const command = eventsOf(file);
  await reaches(PER_MINUTE / 2);
  killed.child.kill("SIGKILL");
  command.child.kill("SIGKILL");
  await Promise.all([killed.finished, command.finished]);
  const next = await serving(file);
  const commands = [start(["try", "--last", "500", "--config", file])];
  commands[0]?.child.kill("SIGKILL");
  await commands[0]?.finished;
  commands.push(start(["once", "--config", file]));

  await pauses();

  expect(sent()).toBeGreaterThan(PER_MINUTE / 2);
  expect(busiestMinute()).toBeLessThanOrEqual(PER_MINUTE);
  for (const { child } of [next, ...commands]) child.kill("SIGTERM");
  await Promise.all([next, ...commands].map(({ finished }) => finished));
  expect(busiestMinute()).toBeLessThanOrEqual(PER_MINUTE);
});

test("an exporter that starts after a command counts the requests of the command, and its page shows the rest", async () => {
  const file = configFile("", 1);
  const { code } = await start(["once", "--config", file]).finished;
  expect(code).toBe(0);
  const used = sent();
  expect(used).toBeGreaterThan(5);

  const page = await (await serving(file)).page();

  const remaining = Number(/^stacks_exporter_budget_remaining_requests\{[^}]*\} (\d+)$/m.exec(page)?.[1]);
  expect(remaining).toBeLessThanOrEqual(PER_MINUTE - used);
});

test("one command at a time runs beside an exporter, and reads while the exporter runs", async () => {
  const file = configFile("", 1, 1000);
  await serving(file);
  simulator.faults.set({ kind: "slow-headers", seconds: 600 });
  const first = start(["once", "--config", file]);
  const isOpen = () => existsSync(join(folder, "state.db.commands-wal"));
  await until(async () => (isOpen() ? true : undefined), "the first command to hold its budget");

  const second = await eventsOf(file).finished;
  expect(second).toMatchObject({ code: 1, err: expect.stringMatching(/another command uses the budget/) });
  first.child.kill("SIGTERM");
  await first.finished;
  simulator.faults.clear();

  expect(await eventsOf(file).finished).toMatchObject({ code: 0 });
});
