import { describe, expect, test } from "@jest/globals";
import { c32address } from "c32check";
import { configOf, errorsOf } from "./fixture.ts";

const A = "SP000000000000000000002Q6VF78";
const B = c32address(22, "11".repeat(20));
const C = c32address(20, "22".repeat(20));

const withFiles = (files: Readonly<Record<string, string | Uint8Array>>) => ({
  readFile: (path: string) => {
    const content = files[path.replace("/etc/stacks/", "")];
    if (content === undefined) throw Object.assign(new Error("no"), { code: "ENOENT" });
    return content;
  },
});
const text = (lines: string) => `networks:\n  - name: mainnet\n    url: https://api.hiro.so\n${lines}`;
const listed = async (lines: string, files: Readonly<Record<string, string | Uint8Array>> = {}) => {
  const [network] = (await configOf(text(lines), withFiles(files))).networks;
  return { addresses: network?.addresses, contracts: network?.contracts, files: network?.watchFiles };
};
const errors = (lines: string, files: Readonly<Record<string, string | Uint8Array>> = {}) =>
  errorsOf(text(lines), withFiles(files));

test("entries have names, groups and labels", async () => {
  const { addresses, contracts } = await listed(`    addresses:
      - { address: ${A}, name: burn, group: protocol, labels: { owner: none } }
      - { address: ${B}, labels: { desk: one } }
    contracts:
      - { contract_id: ${A}.pox-4 }
`);

  expect(addresses).toEqual([
    { principal: A, name: "burn", group: "protocol", labels: { owner: "none" } },
    { principal: B, name: `${B.slice(0, 5)}..${B.slice(-5)}`, group: "", labels: { desk: "one" } },
  ]);
  expect(contracts).toEqual([{ principal: `${A}.pox-4`, name: "SP000..6VF78.pox-4", group: "", labels: {} }]);
});

describe("balances", () => {
  const COIN = `${A}.token::coin`;
  const assets = `    assets: [{ id: "${COIN}", name: coin, decimals: 3 }]\n`;
  const SBTC = "SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token::sbtc-token";

  test("are enabled for each address, with minimums in the smallest unit", async () => {
    const { addresses } = await listed(`${assets}    addresses:
      - { address: ${A}, balances: true }
      - { address: ${B}, min_balance: { stx: 5000 STX, sbtc: "0.5", coin: "340282366920938463463374607431768211.455" } }
      - { address: ${C}, balances: false }
      - { address: ${C}.pool, min_balance: { stx: 250000 microSTX } }
      - { address: ${A}.pool, min_balance: { stx: 0.000001STX } }
`);

    expect(addresses?.map(({ balances, minBalance }) => [balances, minBalance])).toEqual([
      [true, undefined],
      [true, { stx: 5_000_000_000n, [SBTC]: 50_000_000n, [COIN]: 2n ** 128n - 1n }],
      [false, undefined],
      [true, { stx: 250_000n }],
      [true, { stx: 1n }],
    ]);
  });

  test("are columns of CSV and members of JSON, not labels", async () => {
    const { addresses } = await listed(`${assets}    address_files: [a.csv, b.json]\n`, {
      "a.csv": `address,balances,min_balance.stx,min_balance.coin,desk\n${A},true,,,x\n${B},,1.5 STX,2,\n`,
      "b.json": JSON.stringify([
        { address: C, balances: false },
        { address: `${C}.pool`, min_balance: { sbtc: "1" } },
      ]),
    });

    expect(addresses?.map(({ balances, minBalance, labels }) => [balances, minBalance, labels])).toEqual([
      [true, undefined, { desk: "x" }],
      [true, { stx: 1_500_000n, [COIN]: 2000n }, {}],
      [false, undefined, {}],
      [true, { [SBTC]: 100_000_000n }, {}],
    ]);
  });

  test("are labels in a list of contracts, which have no balances", async () => {
    const { contracts } = await listed("    contract_files: [a.csv]\n", {
      "a.csv": `contract_id,balances\n${A}.pox-4,none\n`,
    });

    expect(contracts?.map(({ labels }) => labels)).toEqual([{ balances: "none" }]);
  });
});

describe("limits", () => {
  const COIN = `${A}.token::coin`;
  const assets = `    assets: [{ id: "${COIN}", name: coin, decimals: 3 }]\n`;
  const limitsOf = async (...of: Parameters<typeof listed>) =>
    (await listed(...of)).addresses?.map(({ maxOutflow, silentAfterMs, labels }) => ({
      ...(maxOutflow && { maxOutflow }),
      ...(silentAfterMs && { silentAfterMs }),
      labels,
    }));

  test("apply to one address, and do not enable balances", async () => {
    const lines = `${assets}    addresses:
      - { address: ${A}, max_outflow: { stx: 20000 STX, coin: "1.5" }, silent_after: 1h30m }
      - { address: ${B} }
`;

    expect(await limitsOf(lines)).toEqual([
      {
        maxOutflow: { stx: 20_000_000_000n, [COIN]: 1500n },
        silentAfterMs: 5_400_000,
        labels: {},
      },
      { labels: {} },
    ]);
    const { addresses } = await listed(lines);
    expect(addresses?.map(({ balances, minBalance }) => [balances, minBalance])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  test("are columns of CSV, not labels", async () => {
    const header = "address,max_outflow.stx,max_outflow.coin,silent_after,desk";
    expect(
      await limitsOf(`${assets}    address_files: [a.csv]\n`, {
        "a.csv": `${header}\n${A},5 STX,,2h,x\n${B},,2,,\n`,
      }),
    ).toEqual([
      { maxOutflow: { stx: 5_000_000n }, silentAfterMs: 7_200_000, labels: { desk: "x" } },
      { maxOutflow: { [COIN]: 2000n }, labels: {} },
    ]);
  });

  test("with invalid values are reported all at once, each with its position", async () => {
    const reported = await errors(
      '    address_files: [a.csv]\n    addresses: [{ address: SP000000000000000000002Q6VF78, max_outflow: { stx: 5, sbtc: "0" } }]\n',
      {
        "a.csv": `address,max_outflow.stx,max_outflow.btc,silent_after\n${B},5000,1,2\n${C},5000,1,\n`,
      },
    );

    expect(reported.split("\n").map((line) => line.replace(/^.*stacks-exporter.yaml:/, ""))).toEqual([
      expect.stringMatching(/addresses\[0\]\.max_outflow\.stx: expected an amount .*, such as "5 STX", found 5$/),
      expect.stringMatching(/addresses\[0\]\.max_outflow\.sbtc: expected an amount above 0 .*, found "0"$/),
      expect.stringMatching(/a\.csv:1: max_outflow\.btc: expected the name of an asset, .*, found "1"$/),
      expect.stringMatching(/a\.csv:2: max_outflow\.stx: expected .*, found "5000"; the same in line 3$/),
      expect.stringMatching(/a\.csv:2: silent_after: expected a duration with its unit from 1m to 8760h, .*, found/),
    ]);
  });
});

test("silent_after of contracts is read from the configuration and from files", async () => {
  const { contracts } = await listed(
    `    contracts: [{ contract_id: ${A}.a, silent_after: 1h30m }, { contract_id: ${A}.b }]\n    contract_files: [c.csv]\n`,
    { "c.csv": `contract_id,silent_after\n${A}.c,45m\n` },
  );

  expect(contracts?.map(({ silentAfterMs, labels }) => [silentAfterMs, labels])).toEqual([
    [5_400_000, {}],
    [undefined, {}],
    [2_700_000, {}],
  ]);
});

describe("files", () => {
  test("with lines, CSV and JSON are read", async () => {
    const { addresses, files } = await listed("    address_files: [a.txt, b.csv, c.json]\n", {
      "a.txt": `# cold\r\n${A} # burn\r\n\r\n`,
      "b.csv": `name,address,team,group\n"desk, one",${B},"a ""b""",x\n`,
      "c.json": JSON.stringify([C, { address: `${C}.pool`, name: "pool" }]),
    });

    expect(files).toEqual(["/etc/stacks/a.txt", "/etc/stacks/b.csv", "/etc/stacks/c.json"]);
    expect(addresses?.map(({ principal, name, group, labels }) => [principal, name, group, labels.team])).toEqual([
      [A, "SP000..6VF78", "", undefined],
      [B, "desk, one", "x", 'a "b"'],
      [C, `${C.slice(0, 5)}..${C.slice(-5)}`, "", undefined],
      [`${C}.pool`, "pool", "", undefined],
    ]);
  });
});

test.each([
  [
    "a principal twice",
    `    addresses: [{ address: ${A}, name: a }, { address: ${A}, name: b }]\n`,
    {},
    /networks\[0\]\.addresses\[1\]\.address: expected each principal once, found "SP000000000000000000002Q6VF78": another entry has it/,
  ],
  [
    "a name twice, once in a file",
    `    addresses: [{ address: ${A}, name: a }]\n    address_files: [b.csv]\n`,
    { "b.csv": `address,name\n${B},a\n` },
    /b\.csv:2: name: expected a name that no other entry of the list has, found "a"/,
  ],
  [
    "a typo in a file",
    "    address_files: [a.txt]\n",
    { "a.txt": `${A}\n${A.slice(0, -1)}9\n` },
    /a\.txt:2:1: address: expected an address of mainnet, .*, found "SP.*": a wrong checksum/,
  ],
  [
    "an address as a contract",
    `    contracts: [{ contract_id: ${A} }]\n`,
    {},
    /contract_id: expected a contract of mainnet as address\.name, found ".*": an address without a contract name/,
  ],
  [
    "an address of the other chain",
    `    chain: testnet\n    addresses: [{ address: ${A} }]\n`,
    {},
    /expected an address of testnet, .*: an address of mainnet/,
  ],
  [
    "a reserved label",
    `    addresses: [{ address: ${A}, labels: { network: x } }]\n`,
    {},
    /labels\.network: expected a label name of a-z, 0-9 and _ that is not taken/,
  ],
  ["a missing file", "    address_files: [no.csv]\n", {}, /address_files\[0\]: .*no such file: "no\.csv"$/],
  ["a file that is not text", "    address_files: [a.txt]\n", { "a.txt": Uint8Array.of(0xff) }, /UTF-8/],
  [
    "a CSV without header",
    "    address_files: [a.csv]\n",
    { "a.csv": `${A}\n` },
    /a\.csv:1: .*commas and the column address/,
  ],
  [
    "a wrong row after empty lines and CRLF",
    "    address_files: [a.csv]\n",
    { "a.csv": `address,name\r\n\r\n${A},x\r\n  \r\n${B},y,z\r\n` },
    /a\.csv:5: expected as many fields as in the header line$/,
  ],
  [
    "an unclosed quote far above the end of the file",
    "    address_files: [a.csv]\n",
    { "a.csv": `address\n${A}\n"${B}\n${C}\n` },
    /a\.csv:3: .*quote/,
  ],
  [
    "JSON without a comma",
    "    address_files: [a.json]\n",
    { "a.json": `["${A}"\n"${B}"]` },
    /a\.json:2:1: not valid JSON: /,
  ],
  [
    "JSON that ends too early",
    "    address_files: [a.json]\n",
    { "a.json": `["${A}",\n` },
    /a\.json:2:1: not valid JSON: /,
  ],
  [
    "JSON entries of wrong types",
    "    address_files: [a.json]\n",
    { "a.json": `[\n{"address": "${A}", "labels": {"a": {}}},\nnull]` },
    /a\.json:2:62: labels\.a: expected text, found a mapping\n.*a\.json:3:1: expected a mapping such as .*, found nothing/,
  ],
  [
    "two columns with the same name",
    "    address_files: [a.csv]\n",
    { "a.csv": "\n\naddress,x,x\n" },
    /a\.csv:3: expected different columns, found a name twice/,
  ],
  [
    "JSON that is not a list",
    "    address_files: [a.json]\n",
    { "a.json": '\n{"a": []}' },
    /a\.json:2:1: expected a list/,
  ],
  [
    "too many entries",
    `    addresses: [{ address: ${A} }]\n    address_files: [a.txt]\n`,
    { "a.txt": "x\n".repeat(100_000) },
    /address_files\[0\]: expected at most 100000 addresses in the configuration and its files, found more: "a\.txt"$/,
  ],
  [
    "a minimum without its unit",
    `    addresses: [{ address: ${A}, min_balance: { stx: "5000" } }]\n`,
    {},
    /addresses\[0\]\.min_balance\.stx: expected an amount above 0 with its unit, such as 5000 STX .*, found "5000"$/,
  ],
  [
    "a minimum of 0",
    `    addresses: [{ address: ${A}, min_balance: { sbtc: "0.0" } }]\n`,
    {},
    /min_balance\.sbtc: expected an amount above 0 with up to 8 decimals, found "0\.0"$/,
  ],
  [
    "a minimum that is a number",
    `    addresses: [{ address: ${A}, min_balance: { sbtc: 0.5 } }]\n`,
    {},
    /min_balance\.sbtc: expected an amount in quotes, such as "0\.5", found 0\.5$/,
  ],
  [
    "a minimum in STX that is a number",
    `    addresses: [{ address: ${A}, min_balance: { stx: 5000 } }]\n`,
    {},
    /min_balance\.stx: expected an amount with its unit, such as "5000 STX", found 5000$/,
  ],
  [
    "principals without a mapping",
    `    addresses: [${A}]\n    contracts: [${A}.a]\n`,
    {},
    /addresses\[0\]: expected a mapping such as { address: SP… }, found "SP.*"\n.*contracts\[0\]: expected a mapping such as { contract_id: SP….name }, found "SP.*\.a"$/,
  ],
  [
    "the same error in many lines once",
    "    address_files: [a.csv]\n",
    { "a.csv": `address,silent_after\n${[A, B, C].map((address) => `${address},5\n`).join("")}` },
    /^[^\n]*a\.csv:2: silent_after: expected a duration .*, found "5"; the same in line 3, 4$/,
  ],
  [
    "silent_after without its unit",
    `    contracts: [{ contract_id: ${A}.a, silent_after: "7200" }]\n`,
    {},
    /contracts\[0\]\.silent_after: expected a duration with its unit from 1m to 8760h, such as .*, found "7200"$/,
  ],
  [
    "a minimum without its asset, in CSV",
    "    address_files: [a.csv]\n",
    { "a.csv": `address,min_balance\n${A},5000 STX\n` },
    /a\.csv:2: min_balance: expected an amount for each asset, such as { stx: 5000 STX }; in CSV, a column for each, such as min_balance\.stx, found/,
  ],
  [
    "a minimum of an unknown asset",
    `    addresses: [{ address: ${A}, min_balance: { btc: "0.5" } }]\n`,
    {},
    /min_balance\.btc: expected the name of an asset, which has to be in assets with its decimals, found "0\.5"$/,
  ],
  [
    "a minimum of an asset with unknown decimals",
    `    assets: [{ id: "${A}.token::coin", name: coin }]\n    addresses: [{ address: ${A}, min_balance: { coin: 10 } }]\n`,
    {},
    /min_balance\.coin: expected decimals of coin in assets, and an amount in quotes, such as "10"; found no decimals$/,
  ],
  [
    "balances that are neither true nor false, in CSV",
    "    address_files: [a.csv]\n",
    { "a.csv": `address,balances\n${A},yes\n` },
    /a\.csv:2: balances: expected true or false, found "yes"$/,
  ],
  [
    "an unknown setting of a JSON entry",
    "    address_files: [a.json]\n",
    { "a.json": `[\n  { "address": "${A}", "min_balances": {} }\n]` },
    /a\.json:2:\d+: min_balances: unknown setting; did you mean "min_balance"\?$/,
  ],
  [
    "a JSON entry of another shape",
    "    address_files: [a.json]\n",
    { "a.json": `[\n  "${A}",\n  { "adress": 1 }\n]` },
    /a\.json:3:3: address: missing, expected a Stacks address, or a contract as address\.name/,
  ],
] as const)("reports %s", async (_, lines, files, message) => {
  expect(await errors(lines, files as Readonly<Record<string, string | Uint8Array>>)).toMatch(message);
});

const PASTED = "s3cr3t-0123456789-pasted";

describe("text that is not a principal may be a secret, so it is described, not quoted:", () => {
  test.each([
    ["a line", "a.txt", `${A}\n  ${PASTED} # key\n`, "a.txt:2:3: address:"],
    ["a field", "a.csv", `name,address\nx, "${PASTED}"\n`, "a.csv:2: address:"],
    ["an item", "a.json", `["${A}",\n  "${PASTED}"]`, "a.json:2:3: address:"],
    ["an entry", "a.json", `[{ "address": "${PASTED}" }]`, "a.json:1:15: address:"],
    ["a contract name", "a.txt", `${A}.${PASTED.replace("-", "/")}\n`, "a.txt:1:1: address:"],
  ])("%s", async (_, name, content, place) => {
    const reported = await errors(`    address_files: [${name}]\n`, { [name]: content });

    expect(reported).toContain(place);
    expect(reported).toMatch(/found text of \d+ characters: /);
    expect(reported).not.toMatch(/s3cr3t|pasted/);
  });

  test.each([
    ["an entry of the configuration", `    addresses: [{ address: ${PASTED} }]\n`],
    ["JSON of another kind", "    address_files: [b.json]\n"],
    ["a header", "    address_files: [b.csv]\n"],
  ])("%s", async (_, lines) => {
    const reported = await errors(lines, {
      "b.json": `[{ "address": "${A}", "name": ["${PASTED}"] }, ${PASTED}]`,
      "b.csv": `${PASTED},${PASTED},address\n`,
    });

    expect(reported).toContain("expected");
    expect(reported).not.toMatch(/s3cr3t|pasted/);
  });

  test.each([[A.toLowerCase()], [`${A.slice(0, -1)}9`], [`${A}0`], [`${A.toLowerCase()}.pool`]])(
    "%s looks like a principal, and is quoted",
    async (near) => {
      expect(await errors("    address_files: [a.txt]\n", { "a.txt": near })).toContain(`found "${near}"`);
    },
  );
});
