// The state file is damaged while the exporter runs, which then reloads its configuration.
import { fstatSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { Store } from "../src/store/store.ts";
import { START, stillSimulator } from "./simulator/support.ts";
import { createApp, onlyCollectors, readPage } from "./support/app.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { folderOfEachTest } from "./support/folder.ts";

const folder = folderOfEachTest();

function overwrite(path: string): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(fstatSync(file).size - 4096, "Z"), 0, undefined, 4096);
}

test("with a state file that was damaged at run time, reloads are taken, and gauges go on", async () => {
  await using simulator = await stillSimulator({ history: 30 });
  let setting = "longest_pause: 9m";
  const text = () => `networks:
  - name: m
    url: ${simulator.url}
    ${setting}
    addresses: [{ address: ${simulator.chain.accounts.users[0]} }]
collectors: ${onlyCollectors({ fees: {}, blocks: {}, addresses: {} })}
`;
  const path = join(folder, "state.db");
  const store = new Store(path);
  const options = { readFile: () => "", clock: new FakeClock(START * 1000), store };
  await using app = await createApp(text, () => undefined, options);
  await app.pollOnce();
  // More than SQLite keeps in memory: it reads the file again.
  for (let index = 0; index < 50_000; index += 1) store.keepLast(["m", "fake", String(index)], 1);
  store.saveNetwork("other", "0x1");
  for (const suffix of ["", "-wal"]) overwrite(path + suffix);

  for (setting of ["longest_pause: 10m", "longest_pause: 9m"]) {
    await app.reloads.configuration?.run();
    const runs = async () =>
      (await readPage(app)).value("stacks_exporter_collector_runs_total", { network: "m", collector: "fees" }) ?? 0;
    const before = await runs();
    await app.pollOnce();
    expect(await runs()).toBe(before + 1);
    expect((await readPage(app)).value("stacks_exporter_state_damaged")).toBe(1);
  }
});
