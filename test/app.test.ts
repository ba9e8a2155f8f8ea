import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { startSimulator } from "../simulator/server.ts";
import { encodeAddress } from "../src/config/principal.ts";
import { createApp } from "./support/app.ts";

let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeEach(async () => {
  simulator = await startSimulator({ seed: 1 });
});
afterEach(() => simulator.close());

test("polling everything once asks for the targets of a watch list in turn, so that none waits for the budget in vain", async () => {
  const addresses = Array.from({ length: 12 }, (_, index) => encodeAddress(22, String(index).padStart(40, "0")));
  const app = await createApp(`
networks:
  - name: simulated
    url: ${simulator.url}
    budget: { per_minute: 100, per_month: unlimited }
    addresses: [${addresses.map((address) => `{ address: ${address} }`).join(", ")}]
`);
  const poll = app.poll.bind(app);
  let underWay = 0;
  let most = 0;
  app.poll = async (task) => {
    if (task.collector.name !== "addresses") return poll(task);
    underWay += 1;
    most = Math.max(most, underWay);
    await poll(task);
    underWay -= 1;
  };

  expect(await app.pollOnce()).toEqual([]);
  expect(simulator.requests.filter(({ path }) => path.includes("/addresses/"))).toHaveLength(12);
  expect(most).toBe(1);
  await app.stop();
});
