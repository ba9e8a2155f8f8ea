// The configuration of docs/event-rules-sbtc.md: `check` accepts it, and `try` makes of events of
// sbtc-registry, which a server returns, the output of the page.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Cl, type ClarityValue } from "@stacks/transactions";
import { parse } from "yaml";
import { check } from "../../src/commands/check.ts";
import { tryRules } from "../../src/commands/try.ts";
import { json, ScriptedServer } from "../api/scripted-server.ts";
import { hexOf } from "../support/event-rules.ts";
import { runCommand } from "../support/io.ts";
import { parsePromql } from "../support/promql.ts";

const page = readFileSync(new URL("../../docs/event-rules-sbtc.md", import.meta.url), "utf8");
const blocksOf = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text = ""]) => text);
const [configuration = ""] = blocksOf("yaml");

const ADDRESS = "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7";
const hash = (byte: number) => Cl.buffer(new Uint8Array(32).fill(byte));
const topic = (name: string, fields: Readonly<Record<string, ClarityValue>>) =>
  Cl.tuple({ topic: Cl.stringAscii(name), ...fields });

// As the contract prints them.
const SBTC: readonly ClarityValue[] = [
  ...[50_000n, 2_000_000n].map((amount) =>
    topic("completed-deposit", {
      "bitcoin-txid": hash(1),
      "output-index": Cl.uint(0),
      amount: Cl.uint(amount),
      "burn-hash": hash(2),
      "burn-height": Cl.uint(900_000),
      "sweep-txid": hash(3),
    }),
  ),
  ...[7, 8].map((id) =>
    topic("withdrawal-create", {
      amount: Cl.uint(id * 1000),
      "request-id": Cl.uint(id),
      sender: Cl.principal(ADDRESS),
      recipient: Cl.tuple({ version: Cl.buffer(Uint8Array.of(4)), hashbytes: hash(4) }),
      "block-height": Cl.uint(900_001),
      "max-fee": Cl.uint(300),
    }),
  ),
  topic("withdrawal-accept", {
    "request-id": Cl.uint(7),
    "bitcoin-txid": hash(5),
    "signer-bitmap": Cl.uint(0),
    "output-index": Cl.uint(2),
    fee: Cl.uint(250),
    "burn-hash": hash(6),
    "burn-height": Cl.uint(900_002),
    "sweep-txid": hash(7),
  }),
  topic("withdrawal-reject", { "request-id": Cl.uint(8), "signer-bitmap": Cl.uint(3) }),
  topic("key-rotation", {
    "new-keys": Cl.list([hash(8)]),
    "new-address": Cl.principal(ADDRESS),
    "new-aggregate-pubkey": hash(9),
    "new-signature-threshold": Cl.uint(2),
  }),
  topic("something-new", { amount: Cl.uint(1) }),
];

const listOf = (contract: string, values: readonly ClarityValue[]) => ({
  cursor: "1:2147483647:0:0",
  results: values.map((value, index) => ({
    event_index: 0,
    event_type: "smart_contract_log",
    tx_id: `0x${String(index).padStart(64, "0")}`,
    contract_log: { contract_id: contract, topic: "print", value: { hex: hexOf(value), repr: "" } },
  })),
});

let server: ScriptedServer;
let folder: string;
let config: string;
beforeAll(async () => {
  server = await ScriptedServer.start();
  folder = mkdtempSync(join(tmpdir(), "stacks-exporter-rules-"));
  config = join(folder, "exporter.yaml");
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test("check accepts the configuration of the page", async () => {
  writeFileSync(config, configuration);

  expect(await runCommand((io) => check({ config }, io))).toMatchObject({ code: 0, err: "" });
});

test("try prints the output of the page for the events", async () => {
  writeFileSync(config, configuration.replace("https://api.hiro.so", server.url));
  const { networks } = parse(configuration) as { networks: { contracts: { contract_id: string }[] }[] };
  const sbtc = networks[0]?.contracts[0]?.contract_id ?? "";
  server.play(json(listOf(sbtc, SBTC)));

  const { code, out, err } = await runCommand((io) => tryRules({ config, last: "50" }, io));

  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(server.seen.map(({ url }) => url.split("/")[4])).toEqual([sbtc]);
  expect(out).not.toContain("error ");
  const rules = out.split(/^rule /m).slice(1);
  const linesOf = (metric: string) => rules.find((rule) => rule.startsWith(`${metric}: `)) ?? "";
  expect(linesOf("sbtc_registry_events_total")).toMatch(/: 8 match\n.*adds 1 at event="completed-deposit"/);
  expect(linesOf("sbtc_deposited_sats_total")).toMatch(/: 2 match\n.*adds 50000\n.*adds 2000000\n/);
  expect(linesOf("sbtc_withdrawal_requested_sats_total")).toMatch(/: 2 match\n.*adds 7000\n.*adds 8000\n/);
  expect(linesOf("sbtc_withdrawal_fees_sats_total")).toMatch(/: 1 match\n.*adds 250\n/);
  expect(linesOf("sbtc_withdrawal_last_request")).toMatch(/: 2 match\n.*sets 7\n/);
});

test("the queries of the page use metrics and labels of its rules", () => {
  const queries = blocksOf("promql");
  expect(queries).toHaveLength(1);
  for (const query of queries) {
    const { errors, selectors } = parsePromql(query);
    expect(errors).toEqual([]);
    for (const { metric, matchers } of selectors) {
      expect(configuration).toContain(`metric: ${metric}\n`);
      for (const { value } of matchers) for (const one of value.split("|")) expect(configuration).toContain(one);
    }
  }
});
