// The collector `blocks` is switched off and on again by a reload. It is polled all the time, for `addresses`.
import { expect, test } from "@jest/globals";
import { startApiServer } from "../support/api-server.ts";
import { createApp, onlyCollectors, readPage } from "../support/app.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { ModelWorld, PRINCIPAL } from "../support/model-world.ts";

test("the series of a collector that is switched off disappear, and are back when it is on", async () => {
  const world = new ModelWorld();
  world.mine(new Array(60).fill(1));
  await using api = await startApiServer((url, operation) => world.respond(url, operation));
  let blocks = {};
  const text = () => `networks: [{ name: m, url: "${api.url}", addresses: [{ address: ${PRINCIPAL} }] }]
collectors: ${onlyCollectors({ blocks, addresses: {} })}
`;
  const clock = new FakeClock(world.now);
  await using app = await createApp(text, undefined, { readFile: () => "", clock });
  await clock.until(app.pollOnce(), 10_000, 50, () => api.requests.length);
  const shown = async () => (await readPage(app)).names.filter((name) => name.startsWith("stacks_chain_block")).length;
  const found = [(await shown()) > 0];
  blocks = { enabled: false };
  await app.reloads.configuration?.run();
  found.push((await shown()) > 0);
  // The API is down for a day.
  world.status.set("*", 500);
  await clock.advance(86_400_000);
  await clock.until(app.pollOnce(), 10_000, 50, () => api.requests.length);
  found.push((await shown()) > 0);
  expect(found).toEqual([true, false, false]);
});
