// Several exporters share a watch list, are killed, and change in number. A real Prometheus sums their metrics.
import { fileURLToPath } from "node:url";
import { afterAll, expect, test as one } from "@jest/globals";
import { areInstalled } from "../support/installed.ts";
import { killAll } from "../support/program.ts";
import { shardLoop } from "../support/shard-loop.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const test = areInstalled(["prometheus"]) ? one : one.skip;
afterAll(killAll);

test("shards count each transaction once, after kills and a change of their number (with prometheus)", async () => {
  const { faults, found, expected, seconds } = await shardLoop(main, { addresses: 60, history: 60 });
  expect(faults).toEqual([]);
  expect(found).toEqual(expected);
  expect(found.stacks_address_transactions_total).toBeGreaterThan(500);
  expect(seconds).toHaveLength(3);
});
