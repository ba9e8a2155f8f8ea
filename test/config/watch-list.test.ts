import { describe, expect, test } from "@jest/globals";
import { c32address } from "c32check";
import { dataOf } from "../support/data.ts";
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

  test("that are null in JSON are not set, as in YAML", async () => {
    const entry = { address: A, name: null, group: null, labels: null, balances: null };
    const { addresses } = await listed(`    address_files: [a.json]\n`, { "a.json": JSON.stringify([entry]) });

    expect(addresses).toMatchObject([{ principal: A, name: "SP000..6VF78", group: "", labels: {} }]);
  });

  test("are not what every object has: such a column is a label", async () => {
    const { addresses } = await listed("    address_files: [a.csv]\n", { "a.csv": `address,constructor\n${A},acme\n` });

    expect(addresses?.map(({ labels }) => labels)).toEqual([{ constructor: "acme" }]);
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
});

test("files with lines, CSV and JSON are read", async () => {
  const { addresses, files } = await listed("    address_files: [a.txt, b.csv, c.json]\n", {
    "a.txt": `# cold\r\n${A} # burn\r\n\r\n`,
    "b.csv": `name,address,team,group\r\n"desk, one",${B},"a ""b""",x\r\n`,
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

interface BadList {
  readonly name: string;
  readonly settings: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly errors: string;
}
const bad = dataOf<readonly BadList[]>("bad-lists.yaml", import.meta.url);

test.each(bad)("reports $name", async ({ settings, files = {}, errors: expected }) => {
  const reported = await errors(settings.replace(/^(?=.)/gm, "    "), files);
  expect(`${reported.replaceAll("stacks-exporter.yaml:", "")}\n`).toBe(expected);
});

test("a character that lies between two pieces of a long file stays whole", async () => {
  const [header, row] = ["address,name\n", `${A},😀\n`];
  const padding = "\n".repeat(16_383 - header.length - row.indexOf("😀"));
  const { addresses } = await listed("    address_files: [a.csv]\n", { "a.csv": `${header}${padding}${row}` });

  expect(addresses?.map(({ name }) => name)).toEqual(["😀"]);
});

test("reports a file that is not text", async () => {
  const reported = await errors(`    addresses: [{ address: ${A} }]\n    address_files: [a.txt]\n`, {
    "a.txt": Uint8Array.of(0xff),
  });
  expect(reported).toMatch(/address_files\[0\]: expected a file with UTF-8 text, found other bytes: "a\.txt"$/m);
});

const PASTED = "s3cr3t-0123456789-pasted";

describe("text that is not a principal may be a secret, so it is described, not quoted:", () => {
  test.each([
    ["a line", "a.txt", `${A}\n  ${PASTED} # key\n`, "a.txt:2: address:"],
    ["a field", "a.csv", `name,address\nx, "${PASTED}"\n`, "a.csv:2: address:"],
    ["an item", "a.json", `["${A}",\n  "${PASTED}"]`, "a.json:2:3: address:"],
    ["an entry", "a.json", `[{ "address": "${PASTED}" }]`, "a.json:1:15: address:"],
    ["a contract name", "a.txt", `${A}.${PASTED.replace("-", "/")}\n`, "a.txt:1: address:"],
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
