// Polls of `contracts` before the first successful one of `blocks`.
import { expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "../../support/api-server.ts";
import { Exporter } from "../../support/exporter.ts";
import { CONTRACT, ModelWorld } from "../../support/model-world.ts";

/** An exporter of one contract. */
const start = (api: ApiServer, world: ModelWorld) =>
  Exporter.start({
    api,
    now: () => world.now,
    network: { confirmations: 3, contracts: [{ contract_id: CONTRACT, name: "p" }] },
    collectors: { blocks: {}, contracts: {} },
  });

test("values of a contract expire although no poll has read the chain since the restart", async () => {
  const world = new ModelWorld();
  let isDown = false;
  await using api = await startApiServer((url, operation) =>
    isDown && !url.endsWith("/blocks/1") ? { status: 500 } : world.respond(url, operation),
  );
  await using exporter = await start(api, world);
  world.mine([1, 3, 1, 2, 0, 0, 0]);
  const poll = async () => {
    for (const name of ["blocks", "contracts"]) await exporter.poll(name);
  };
  for (let polls = 0; polls < 4; polls += 1) {
    world.now += 60_000;
    await poll();
    world.mine([1, 0, 0, 0]);
  }
  expect((await exporter.page()).value("stacks_contract_backlog_events")).toBe(0);
  isDown = true;
  await exporter.restart();
  for (let minutes = 0; minutes < 600; minutes += 5) {
    world.now += 300_000;
    await poll();
  }
  const page = await exporter.page();
  expect([
    page.value("stacks_contract_backlog_events"),
    page.value("stacks_exporter_collector_success", { collector: "contracts" }),
    page.value("stacks_exporter_collector_success", { collector: "blocks" }),
  ]).toEqual([undefined, 0, 0]);
});

test("a contract whose first poll is before that of the chain counts from the depth", async () => {
  const world = new ModelWorld();
  await using api = await startApiServer((url, operation) => world.respond(url, operation));
  await using exporter = await start(api, world);
  world.mine([1, 3, 1, 2, 1, 1, 1]);
  await exporter.poll("contracts");
  const shown = async () => {
    const page = await exporter.page();
    const success = page.value("stacks_exporter_collector_success", { collector: "contracts" });
    return [success, page.value("stacks_contract_events_total", { topic: "print" })];
  };
  expect(await shown()).toEqual([1, undefined]);
  for (let polls = 0; polls < 2; polls += 1) {
    world.now += 60_000;
    for (const name of ["blocks", "contracts"]) await exporter.poll(name);
    expect((await shown())[0]).toBe(1);
    world.mine([0, 0, 0]);
  }
  const [, before] = await shown();
  world.mine([2, 0, 0, 0]);
  world.now += 60_000;
  for (const name of ["blocks", "contracts"]) await exporter.poll(name);
  expect((await shown())[1]).toBeGreaterThan(Number(before));
});
