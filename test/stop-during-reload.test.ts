// SIGTERM right after SIGHUP.
import { expect, test } from "@jest/globals";
import { startApiServer } from "./support/api-server.ts";
import { createApp, onlyCollectors } from "./support/app.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { ModelWorld } from "./support/model-world.ts";

test("nothing is requested after a stop during a reload", async () => {
  const world = new ModelWorld();
  world.mine(new Array(8).fill(1));
  await using api = await startApiServer((url, operation) => world.respond(url, operation));
  let every = "1s";
  const text = () => `networks:
  - { name: m, url: "${api.url}", budget: { per_minute: 1000, per_month: unlimited } }
collectors: ${onlyCollectors({ blocks: { every }, transactions: { every } })}
`;
  const clock = new FakeClock(world.now);
  const app = await createApp(text, undefined, { readFile: () => "", clock });
  await app.start();
  every = "2s";
  const reloaded = app.reloads.configuration?.run();
  await app.stop();
  await reloaded;
  await clock.advance(10_000);

  // No schedule runs.
  expect(clock.sleepers).toBe(0);
});
