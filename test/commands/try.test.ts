import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Cl, type ClarityValue } from "@stacks/transactions";
import type { Simulator } from "../../simulator/server.ts";
import { formatTrial, tryRules } from "../../src/commands/try.ts";
import { stillSimulator } from "../simulator/support.ts";
import { dataOf } from "../support/data.ts";
import { hexOf, rulesOf } from "../support/event-rules.ts";
import { folderOfTests } from "../support/folder.ts";
import { runCommand } from "../support/io.ts";

test("the trial of rules prints the samples of each rule, and why an event does not match", async () => {
  const { events: rulesText, trial } = dataOf<Record<"events" | "trial", string>>("try.yaml", import.meta.url);
  const rules = await rulesOf(rulesText);
  const pool = Cl.stringAscii("a");
  const values: ClarityValue[] = [
    Cl.tuple({ event: Cl.stringAscii("swap"), amount: Cl.uint(2n ** 64n), pool }),
    Cl.tuple({ event: Cl.stringAscii("swap"), amount: Cl.stringAscii("5"), pool }),
    Cl.tuple({ event: Cl.stringAscii("burn\u0007"), price: Cl.uint(7) }),
    Cl.tuple({ event: Cl.stringAscii("swap"), amount: Cl.uint(1), pool }),
    Cl.tuple({ price: Cl.int(-5) }),
    Cl.list([]),
  ];
  const events = values.map((value, index) => ({ id: `0x${index}:0`, topic: "print", hex: hexOf(value) }));
  const watched = { principal: "SP1.amm", name: "amm", group: "", labels: {}, rules };

  const text = formatTrial("mainnet", watched, [...events, { id: "0x6:0", topic: "print", hex: "0x0c" }]);

  expect(`${text}\n`).toBe(trial);
});

describe("try", () => {
  let simulator: Simulator;
  const folder = folderOfTests();
  beforeAll(async () => {
    simulator = await stillSimulator({ seed: 1 });
  });
  afterAll(() => simulator.close());

  const run = (contracts: readonly object[], last = "50") => {
    const config = join(folder, "exporter.yaml");
    const budget = { per_minute: 100, per_month: "unlimited" };
    writeFileSync(
      config,
      JSON.stringify({
        state: { path: join(folder, "state.db") },
        networks: [{ name: "simulated", url: simulator.url, budget, contracts }],
      }),
    );
    return runCommand((io) => tryRules({ "config.file": config, last }, io));
  };

  test("reads the newest events of each contract with rules, and no other", async () => {
    const { logger, vault, nft } = simulator.chain.accounts.contracts;
    const rule = (metric: string) => ({
      metric,
      type: "counter",
      help: "H.",
      match: [{ path: "topic", equals: "print" }],
    });
    const before = simulator.requests.length;

    const { code, out } = await run(
      [
        { contract_id: logger, name: "amm", events: [rule("amm_total")] },
        { contract_id: vault, name: "vault", events: [rule("vault_total")] },
        { contract_id: nft },
      ],
      "20",
    );

    expect(code).toBe(0);
    expect(simulator.requests.length - before).toBe(2);
    expect(out).toContain(
      `network simulated, contract amm (${logger}): the newest 20 events\nrule amm_total: 20 match\n`,
    );
    expect(out).toContain("rule vault_total: 20 match\n");
  });

  test("without a rule is refused", async () => {
    const { code, err } = await run([{ contract_id: simulator.chain.accounts.contracts.logger }]);

    expect({ code, err }).toEqual({
      code: 1,
      err: "there is no event rule: no contract of the configuration has events",
    });
  });
});
