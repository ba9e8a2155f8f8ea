// The used budgets of several upstreams in the state file.
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { Store } from "../../src/store/store.ts";
import { stillSimulator } from "../simulator/support.ts";
import { createApp } from "../support/app.ts";
import { folderOfTests } from "../support/folder.ts";

const folder = folderOfTests();

test("each upstream has its own saved budget", async () => {
  await using simulator = await stillSimulator({ history: 30 });
  const open = () => new Store(join(folder, "state.db"));
  const of = `url: "${simulator.url}", budget: { per_minute: 100, per_month: unlimited }`;
  const text = `networks: [{ name: simulated, ${of}, fallbacks: [{ name: b, ${of} }] }]`;
  const app = await createApp(text, undefined, { store: open() });
  await app.pollOnce();
  await app.stop();

  const store = open();
  const used = ["default", "b"].map((upstream) => store.budgets().get(`simulated/${upstream}`)?.minute.length);
  store.close();
  expect(used).toEqual([simulator.requests.length, 0]);
});
