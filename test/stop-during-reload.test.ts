// SIGTERM right after SIGHUP.
import { expect, test } from "@jest/globals";
import { startApiServer } from "./support/api-server.ts";
import { createApp, onlyCollectors } from "./support/app.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { ModelWorld } from "./support/model-world.ts";

test("a stop waits for a reload, after which nothing is requested", async () => {
  const world = new ModelWorld();
  world.mine(new Array(8).fill(1));
  await using api = await startApiServer((url, operation) => world.respond(url, operation));
  let every = "1s";
  const text = () => `networks:
  - { name: m, url: "${api.url}", budget: { per_minute: 1000, per_month: unlimited } }
collectors: ${onlyCollectors({ blocks: { every }, transactions: { every } })}
`;
  const clock = new FakeClock(world.now);
  const lines: string[] = [];
  const app = await createApp(text, (line) => lines.push(line), { readFile: () => "", clock });
  await app.start();
  every = "2s";
  const reloads = [1, 2, 3].map(() => app.reloads.configuration?.run());
  await app.stop();
  await Promise.all(reloads);
  await clock.advance(10_000);

  expect(lines.filter((line) => line.includes('"err"'))).toEqual([]);
  // No schedule runs.
  expect(clock.sleepers).toBe(0);
});
