// The clock of a machine that was ahead is set back by hours.
import { expect, test } from "@jest/globals";
import { startApiServer } from "../support/api-server.ts";
import { Exporter } from "../support/exporter.ts";
import { ModelWorld } from "../support/model-world.ts";

test("gauges expire at their maximum age, although the clock was set back since the last poll", async () => {
  const world = new ModelWorld();
  await using api = await startApiServer((url, operation) => world.respond(url, operation));
  await using exporter = await Exporter.start({ api, collectors: { blocks: { every: "1m" } } });
  world.mine([1, 1, 1]);
  exporter.clock.set(world.now + 12 * 3_600_000);
  await exporter.poll("blocks");
  expect((await exporter.page()).value("stacks_chain_block_height")).toBe(3);
  exporter.clock.set(world.now);
  world.status.set("*", 500);
  for (let minutes = 0; minutes < 60; minutes += 1) {
    await exporter.pass(60);
    await exporter.poll("blocks");
    await exporter.page();
  }
  expect((await exporter.page()).value("stacks_chain_block_height")).toBeUndefined();
});
