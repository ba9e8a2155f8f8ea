import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Simulator } from "../../simulator/server.ts";
import { events } from "../../src/commands/events.ts";
import { stillSimulator } from "../simulator/support.ts";
import { folderOfTests } from "../support/folder.ts";
import { runCommand } from "../support/io.ts";

let simulator: Simulator;
const folder = folderOfTests();
const config = join(folder, "exporter.yaml");
beforeAll(async () => {
  simulator = await stillSimulator({ seed: 1 });
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.faults.clear();
  writeConfig("unlimited");
});

const writeConfig = (perMonth: number | "unlimited") =>
  writeFileSync(
    config,
    `state: { path: ${join(mkdtempSync(join(folder, "of-")), "state.db")} }
networks: [{ name: simulated, url: "${simulator.url}", budget: { per_minute: 100, per_month: ${perMonth} } }]`,
  );
const run = (contract: string, last = "50", network?: string) =>
  runCommand((io) =>
    events(contract, { "config.file": config, last, ...(network === undefined ? {} : { network }) }, io),
  );

describe("events", () => {
  test("prints the shapes of a contract that is not configured, and the match of a rule for each", async () => {
    const { logger } = simulator.chain.accounts.contracts;

    const { code, out, err } = await run(logger);

    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`the newest 50 events of ${logger}\n`);
    expect(out).toMatch(/^shape \d, value\.event is "swap": \d+ events, the newest 0x[0-9a-f]{64}:\d$/m);
    expect(out).toMatch(/^ {2}value\.amount +uint +\d+ +"\d+", "\d+"/m);
    expect(out).toMatch(/^ {2}value\.who +principal +\d+ +"SP/m);
    expect(out).toContain('  match: [{"path":"topic","equals":"print"},{"path":"value.event","equals":"swap"}]\n');
  });

  test("sends a request for each 50 events, and repeats none", async () => {
    const before = simulator.requests.length;

    const { out } = await run(simulator.chain.accounts.contracts.logger, "120");

    expect(out).toContain("the newest 120 events");
    expect(simulator.requests.length - before).toBe(3);
  });

  const accounts = () => simulator.chain.accounts;
  const MISTYPED = () => "SP1.x";
  test.each<[string, () => string, RegExp, ...options: string[]]>([
    ["of a contract without events", () => accounts().contracts.nft, /^SP\w+\.\S+ has no events on simulated$/],
    ["of an address", () => accounts().deployer, /^expected a contract as address\.name, found an address without/],
    ["of a mistyped contract", MISTYPED, /^expected a contract as address\.name, found a wrong checksum/],
    ["of no number", MISTYPED, /^--last: expected a whole number from 1 to 500, found "ten"$/, "ten"],
    ["of too many", MISTYPED, /^--last: expected/, "501"],
    ["of another network", MISTYPED, /^--network: expected one of simulated, found "testnet"$/, "50", "testnet"],
  ])("%s are refused", async (_, contract, message, ...options) => {
    const { code, out, err } = await run(contract(), ...options);

    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(message);
  });
});
