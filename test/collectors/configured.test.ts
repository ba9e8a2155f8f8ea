import { expect, test } from "@jest/globals";
import { configuredFamilies, configuredSamples } from "../../src/collectors/configured.ts";
import { Exposition } from "../../src/exposition/exposition.ts";
import { configOf } from "../commands/fixture.ts";
import { createApp, onlyCollectors } from "../support/app.ts";
import { expectGolden } from "../support/golden.ts";

const A = "SP000000000000000000002Q6VF78";
const TOKEN = `${A}.token::tok`;

async function pageOf(network: object): Promise<string> {
  const config = await configOf(JSON.stringify({ networks: [{ name: "m", url: "http://m", ...network }] }));
  const exposition = new Exposition(configuredFamilies);
  for (const one of config.networks) exposition.set(one.name, configuredSamples(one));
  return exposition.page("classic").toString();
}

test("what is configured of principals and assets is shown", async () => {
  const limits = { stx: "5000 STX", tok: "0.5" };
  const page = await pageOf({
    addresses: [
      { address: A, name: "plain" },
      { address: `${A}.vault`, group: "dao", labels: { team: "t" }, min_balance: limits, max_outflow: limits },
      { address: `${A}.silent`, silent_after: "24h" },
      { address: `${A}.summed`, group: "deposits", min_balance: limits },
    ],
    contracts: [
      { contract_id: `${A}.amm`, group: "app", labels: { team: "t" }, silent_after: "6h" },
      { contract_id: `${A}.other` },
    ],
    assets: [{ id: TOKEN, name: "tok", decimals: 6 }, { id: `${A}.other::coin` }],
    summed_groups: ["deposits"],
  });

  expect(page).not.toContain(".summed");
  expectGolden("configured", page);
});

test("it is shown whichever collectors are enabled", async () => {
  await using app =
    await createApp(`networks: [{ name: m, url: "http://127.0.0.1:1", contracts: [{ contract_id: ${A}.amm }] }]
collectors: ${onlyCollectors({ blocks: {} })}
`);

  expect(`${await app.page.body("classic", false)}`).toContain(`stacks_contract_info{network="m"`);
});

test("a network without a watch list shows nothing of its assets", async () => {
  expect(await pageOf({ assets: [{ id: TOKEN, decimals: 6 }] })).toBe("");
});
