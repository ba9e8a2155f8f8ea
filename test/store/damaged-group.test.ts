// A counter of a summed group in the state file is empty.

import { copyFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "@jest/globals";
import { startApiServer } from "../support/api-server.ts";
import { Exporter } from "../support/exporter.ts";
import { ModelWorld, PRINCIPAL } from "../support/model-world.ts";

test("the page is served although a counter of a group is damaged", async () => {
  const world = new ModelWorld();
  world.mine(new Array(60).fill(1));
  await using api = await startApiServer((url, operation) => world.respond(url, operation));
  await using exporter = await Exporter.start({
    api,
    now: () => world.now,
    network: { confirmations: 1, summed_groups: ["g"], addresses: [{ address: PRINCIPAL, group: "g" }] },
    collectors: { blocks: {}, addresses: {} },
    settings: { state: { path: "state.db" } },
  });
  for (let polls = 0; polls < 3; polls += 1) {
    for (const name of ["blocks", "addresses"]) await exporter.poll(name);
    world.mine([3, 0, 0]);
  }
  const before = await exporter.page();
  expect(before.sum("stacks_group_transactions_total")).toBeGreaterThan(0n);
  const copy = `${exporter.path}.copy`;
  for (const suffix of ["", "-wal"]) copyFileSync(exporter.path + suffix, copy + suffix);
  const database = new DatabaseSync(copy);
  database.exec("UPDATE counters SET value = '' WHERE target LIKE 'group %'");
  database.close();
  await exporter.restart({ state: copy });
  const served = [];
  for (let polls = 0; polls < 3; polls += 1) {
    const page = await exporter.page().catch((error: Error) => error.message.slice(0, 20));
    served.push(typeof page === "string" ? page : page.value("stacks_exporter_state_damaged"));
    world.mine([3, 0, 0]);
    for (const name of ["blocks", "addresses"]) await exporter.poll(name);
  }
  expect(served).toEqual([1, 1, 1]);
});
