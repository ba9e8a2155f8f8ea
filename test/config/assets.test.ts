import { expect, test } from "@jest/globals";
import { configOf } from "./fixture.ts";

const SBTC = { id: "SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token::sbtc-token", name: "sbtc", decimals: 8 };
const head = "networks:\n  - name: mainnet\n    url: https://api.hiro.so\n";

test("assets are read in their canonical spelling, in the order of the file, with sBTC at the end", async () => {
  const { networks } = await configOf(`${head}    assets:
      - { id: "SPOOOOOOOOOOOOOOOOOOOO2Q6VF78.token::coin", name: coin, decimals: 0 }
      - id: SP3DX3H4FEYZJZ586MFBS25ZW3HZDMEW92260R2PR.Wrapped-Bitcoin::wrapped-bitcoin
        decimals: 8
      - id: SP000000000000000000002Q6VF78.art::is-rare?
`);

  expect(networks[0]?.assets).toEqual([
    { id: "SP000000000000000000002Q6VF78.token::coin", name: "coin", decimals: 0 },
    { id: "SP3DX3H4FEYZJZ586MFBS25ZW3HZDMEW92260R2PR.Wrapped-Bitcoin::wrapped-bitcoin", decimals: 8 },
    { id: "SP000000000000000000002Q6VF78.art::is-rare?", decimals: undefined },
    SBTC,
  ]);
});

test.each([
  ["", [SBTC]],
  [`    assets: [{ id: "${SBTC.id}" }]\n`, [SBTC]],
  [`    assets: [{ id: "${SBTC.id}", name: bitcoin }]\n`, [{ ...SBTC, name: "bitcoin" }]],
])("sBTC of mainnet needs no entry: %j", async (lines, expected) => {
  const { networks } = await configOf(head + lines);

  expect(networks[0]?.assets).toEqual(expected);
});

test("an asset of a testnet is valid on a testnet", async () => {
  const id = "ST3W8Y9CGDA3APW7H3FV5WGNTGNHR8S01630SZY14.token::coin";
  const { networks } = await configOf(`${head}    chain: testnet\n    assets: [{ id: "${id}" }]\n`);

  expect(networks[0]?.assets).toEqual([{ id, decimals: undefined }]);
});
