import { expect, test } from "@jest/globals";
import { pox } from "../../src/collectors/pox.ts";
import { stillSimulator } from "../simulator/support.ts";
import { cannedApi } from "../support/canned-api.ts";
import { CollectorRun } from "../support/collect.ts";
import { Exporter } from "../support/exporter.ts";
import { expectGolden } from "../support/golden.ts";
import { POX } from "../support/pox.ts";

const [DEBUG, INFO] = [20, 30];

const polled = async (json: unknown) => {
  const run = new CollectorRun(
    pox,
    cannedApi(() => ({ json })),
  );
  const { page } = await run.poll();
  return { page, failures: run.failures };
};

test("samples of a response in the shape of the node's source", async () => {
  expectGolden("v2-pox.prepare-phase", (await polled(POX)).page);
});

test.each([
  ["more than the supply", { ...POX.current_cycle, stacked_ustx: 2 ** 57 }],
  ["no number", { ...POX.current_cycle, stacked_ustx: null }],
])("%s as staked STX fails the poll", async (_, current_cycle) => {
  expect((await polled({ ...POX, current_cycle })).failures).toMatchObject([{ reason: "bad_body" }]);
});

test("offers the limits of the current epoch; none if they are unknown, or 0", () => {
  const [first, current] = POX.epochs;
  const none = { epoch_id: "Epoch40", block_limit: { ...POX.epochs[1]?.block_limit, runtime: 0 } };
  const limitsOf = (epochs: unknown) => pox.views({ ...POX, epochs } as typeof POX).tenureLimits;

  expect(limitsOf([first, current])).toEqual(current?.block_limit);
  expect(limitsOf([first])).toBeUndefined();
  expect(limitsOf([none])).toBeUndefined();
});

test("a gateway without the node is no failure: it is said once, and tried again after an hour", async () => {
  await using simulator = await stillSimulator({ history: 5 });
  simulator.faults.add({ kind: "404", path: "/v2/pox" });
  await using exporter = await Exporter.start({ api: simulator, collectors: { blocks: {}, pox: { enabled: true } } });
  for (let polls = 0; polls < 4; polls += 1) {
    await exporter.poll("pox");
    await exporter.pass(600);
  }

  expect(exporter.failures).toEqual([]);
  const said = exporter.log.filter(({ msg }) => /lacks the operation/.test(String(msg)));
  expect(said.map(({ level }) => level)).toEqual([INFO, DEBUG, DEBUG, DEBUG]);
  expect(simulator.requests.filter(({ path }) => path === "/v2/pox")).toHaveLength(2);
});
