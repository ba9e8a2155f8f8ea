// A reload of a watch list cancels the polls of contracts with event rules, which have not changed.
import { expect, test } from "@jest/globals";
import { startApiServer } from "./support/api-server.ts";
import { createApp, onlyCollectors } from "./support/app.ts";
import { CONTRACT, ModelWorld } from "./support/model-world.ts";
import { printRules } from "./support/prints.ts";

test.each([
  ["without rules", []],
  ["with rules", printRules],
])("a contract %s goes on when a list of addresses has changed", async (_, events) => {
  const world = new ModelWorld();
  world.mine([1, 1, 1]);
  await using api = await startApiServer((url, operation) => world.respond(url, operation));
  const network = {
    ...{ name: "m", url: api.url, budget: { per_minute: 1000, per_month: "unlimited" } },
    contracts: [{ contract_id: CONTRACT, name: "p", ...(events.length > 0 && { events }) }],
    address_files: ["list.csv"],
  };
  let file = "address,name\nSP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE,a\n";
  const text = JSON.stringify({
    networks: [network],
    collectors: JSON.parse(onlyCollectors({ blocks: {}, contracts: {}, addresses: {} })),
  });
  await using app = await createApp(text, undefined, { readFile: () => file });
  const taskOf = () => app.tasks.find(({ collector }) => collector.name === "contracts");
  const before = taskOf();
  file = "address,name\nSP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE,b\n";
  await app.reloads.files?.run();
  const after = taskOf();
  // The poll of any other task is cancelled.
  expect(after === before).toBe(true);
});
