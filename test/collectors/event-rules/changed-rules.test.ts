// A rule that is corrected counts anew, but the label values of before keep their places for thirty days.
import { expect, test } from "@jest/globals";
import { startApiServer } from "../../support/api-server.ts";
import { Exporter } from "../../support/exporter.ts";
import { CONTRACT, ModelWorld } from "../../support/model-world.ts";

const contracts = (path: string) => [
  {
    contract_id: CONTRACT,
    name: "p",
    events: [
      {
        metric: "swaps_total",
        type: "counter",
        help: "Swaps.",
        match: [{ path: "topic", equals: "print" }],
        labels: { of: { path, max: 5 } },
      },
    ],
  },
];

test("the label values of a rule with another path have their own series", async () => {
  const world = new ModelWorld();
  await using api = await startApiServer((url, operation) => world.respond(url, operation));
  const network = (path: string) => ({ confirmations: 3, contracts: contracts(path) });
  await using exporter = await Exporter.start({
    api,
    now: () => world.now,
    // A mistake: every amount is another one.
    network: network("value.amount"),
    collectors: { blocks: {}, contracts: {} },
  });
  const count = async () => {
    for (let polls = 0; polls < 4; polls += 1) {
      world.mine([20, 20, 0, 0]);
      for (const name of ["blocks", "contracts"]) await exporter.poll(name);
    }
    return Object.keys((await exporter.page()).by("swaps_total", "of")).sort();
  };
  await count();
  await exporter.restart({ network: network("value.pool-id") });
  expect(await count()).toEqual(["", "pool-0", "pool-1", "pool-3"]);
});
