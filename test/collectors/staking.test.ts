import { expect, test } from "@jest/globals";
import { staking } from "../../src/collectors/staking.ts";
import { cannedApi, captured } from "../support/canned-api.ts";
import { CollectorRun, targetOf } from "../support/collect.ts";
import { expectGolden } from "../support/golden.ts";

const PRINCIPAL = "SPYBWR5611F6BK794ZM384GNCAPF46CCTAFWPCNV";

// No captured response has a position; this one has the shape of the server's source.
const POSITIONS = {
  stx: { locked: "4000000000000", rewards: { btc: { accrued: "1500", claimed: "1000", claimable: "500" } } },
  bonds: {
    count: 2,
    locked: { btc: "100000000", stx: "250000000" },
    rewards: { btc: { accrued: "70", claimed: "0", claimable: "70" } },
  },
};

// The API rounds down each distribution, and the contract, which pays, their sum.
const CLAIMED = {
  ...POSITIONS,
  stx: { ...POSITIONS.stx, rewards: { btc: { accrued: "20", claimed: "21", claimable: "-1" } } },
};

test.each([
  ["v3-principal-staking.unused", captured("v3-principal-staking.unused").json],
  ["v3-principal-staking.positions", POSITIONS],
  ["v3-principal-staking.claimed", CLAIMED],
])("%s", async (name, json) => {
  const api = cannedApi(() => ({ json }));
  const run = new CollectorRun(staking, api, { target: targetOf(PRINCIPAL) });

  expectGolden(name, (await run.poll()).page);
  expect(api.requests).toEqual([`staking /extended/v3/principals/${PRINCIPAL}/staking`]);
});

test.each([
  ["by default, those with staking", {}, ["on"]],
  ["those of groups", { groups: ["dao"] }, ["on", "dao"]],
  ["all but those without", { addresses: "all" }, ["plain", "on", "dao"]],
])("targets are %s", (_, options, names) => {
  const addresses = [
    { name: "plain" },
    { name: "on", staking: true },
    { name: "off", group: "dao", staking: false },
    { name: "dao", group: "dao" },
    // Only the sums of its group are exposed, and there is none of staking.
    { name: "summed", group: "sums", isSummed: true, staking: true },
  ].map((more, index) => targetOf(`${PRINCIPAL}.c${index}`, 6, more).watched);
  const network = { name: "mainnet", confirmations: 6, addresses, contracts: [], assets: [] };

  const targets = staking.targets(network, staking.options.parse(options));
  expect(targets.map(({ watched }) => watched.name)).toEqual(names);
});
