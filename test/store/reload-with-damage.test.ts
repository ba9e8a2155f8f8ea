// The state file is damaged while the exporter runs, which then reloads its configuration.
import { fstatSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { Store } from "../../src/store/store.ts";
import { START, stillSimulator } from "../simulator/support.ts";
import { createApp, onlyCollectors, readPage } from "../support/app.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { folderOfEachTest } from "../support/folder.ts";

const folder = folderOfEachTest();

/** Overwrites all but the first page of the file. */
function damage(store: Store): void {
  // More than SQLite keeps in memory: it reads the file again.
  for (let index = 0; index < 50_000; index += 1) store.keepLast(["m", "fake", String(index)], 1);
  store.saveBudget("other", { minute: [] });
  for (const path of [store.path, `${store.path}-wal`]) {
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(fstatSync(file).size - 4096, "Z"), 0, undefined, 4096);
  }
}

test("with a state file that was damaged at run time, reloads are taken, and gauges go on", async () => {
  await using simulator = await stillSimulator({ history: 30 });
  const members = simulator.chain.accounts.users.slice(0, 2).map((address) => `{ address: ${address}, group: g }`);
  let [setting, more] = ["longest_pause: 9m", ""];
  const text = () => `networks:
  - { name: m, url: "${simulator.url}", ${setting}, summed_groups: [g], addresses: [${members}] }
${more}
collectors: ${onlyCollectors({ fees: {}, blocks: {}, addresses: {}, balances: { groups: ["g"] } })}
`;
  const store = new Store(join(folder, "state.db"));
  const options = { readFile: () => "", clock: new FakeClock(START * 1000), store };
  await using app = await createApp(text, () => undefined, options);
  const balance = async () => (await readPage(app)).value("stacks_group_balance_microstx", { group: "g" });
  await app.pollOnce();
  const before = await balance();
  damage(store);

  for (setting of ["longest_pause: 10m", "longest_pause: 9m"]) {
    more = `  - { name: n, url: "${simulator.url}" }`;
    await app.reloads.configuration?.run();
    const failed = await app.pollOnce();
    expect(failed.filter((one) => !/^[mn]\/(addresses\/\w+|blocks): /.test(one))).toEqual([]);
    const page = await readPage(app);
    expect(page.value("stacks_exporter_state_damaged")).toBe(1);
    expect(page.sum("stacks_exporter_collector_runs_total", { network: "n", collector: "fees" })).toBeGreaterThan(0n);
    expect(await balance()).toBe(before);
  }
});
