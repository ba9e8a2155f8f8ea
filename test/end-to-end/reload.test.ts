// Reloads with random valid and invalid configurations, while a simulated chain grows and a client scrapes.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { Random } from "../../simulator/chain/random.ts";
import { startSimulator } from "../../simulator/server.ts";
import { differences } from "../support/expected-totals.ts";
import { folderOfTests } from "../support/folder.ts";
import { Page } from "../support/page.ts";
import { killAll, serve, until } from "../support/program.ts";

const CONFIRMATIONS = 3;
const RELOADS = 30;
const COUNTERS = ["transactions", "sent_microstx", "received_microstx"].map((name) => `stacks_address_${name}_total`);
const folder = folderOfTests();

test("reloaded at random moments, it neither loses nor doubles a count, and no scrape fails", async () => {
  await using ends = new AsyncDisposableStack();
  const random = new Random("reloads");
  const oneOf = <T>(...values: readonly T[]): T => values[Math.floor(random.next() * values.length)] as T;
  let virtual = Date.now();
  const simulator = await startSimulator({ seed: 1, history: 30, now: () => virtual, keepBlocks: 1_000_000 });
  ends.use(simulator);
  const { chain } = simulator;
  const { users, sponsor, contracts } = chain.accounts;
  const principals = [...users.slice(0, 4), sponsor, contracts.vault];
  const write = (isBad: boolean) => {
    const others = users.slice(4).filter(() => oneOf(true, false, false));
    const rows = [...principals, ...others].map((one) => `${one},${oneOf("", "n")}${one.slice(-12)}`);
    writeFileSync(join(folder, "list.csv"), `address,name\n${rows.join("\n")}\n`);
    const good = `state: { path: ${join(folder, "state.db")} }
networks:
  - name: simulated
    url: ${simulator.url}
    confirmations: ${CONFIRMATIONS}
    budget: { per_minute: ${oneOf(90_000, 100_000)}, per_month: unlimited }
    address_files: [list.csv]
    contracts: [{ contract_id: ${contracts.logger}, name: ${oneOf("logger", "another")} }]
collectors:
  fees: { enabled: ${oneOf(true, false)} }
  mempool: { enabled: false }
  blocks: { every: 1s, timeout: 1s, catch_up: 1000 }
  addresses: { every: ${oneOf("1s", "2s")}, timeout: 1s, backfill: all, pages: ${oneOf(10, 20)} }
`;
    const bad = oneOf(good.replace("networks:", "network:"), `${good}\n  - [`, good.replace("list.csv", "missing.csv"));
    writeFileSync(join(folder, "config.yaml"), isBad ? bad : good);
  };
  write(false);
  ends.defer(killAll);
  const program = await serve(["--config", join(folder, "config.yaml")]);
  let page = new Page("", "classic");
  let [scrapes, isOver] = [0, false];
  const fell: string[] = [];
  const scrape = async () => {
    const response = await fetch(`${program.url}/metrics`);
    expect(response.status).toBe(200);
    const now = new Page(await response.text(), "classic");
    // Sums, because a reload can change a name.
    for (const principal of principals)
      for (const name of COUNTERS)
        if (now.sum(name, { address: principal }) < page.sum(name, { address: principal }))
          fell.push(`${name} of ${principal}`);
    page = now;
    scrapes += 1;
  };
  const scraping = (async () => {
    while (!isOver) await scrape();
  })();
  const results = () =>
    [...program.text().err.matchAll(/"(reloaded|cannot reload) the configuration/g)].map(([, result]) => result);
  const expected: string[] = [];
  for (let reload = 0; reload < RELOADS; reload += 1) {
    virtual += random.next() * 20_000;
    simulator.advance(0);
    if (reload % 10 === 5) chain.reorg(CONFIRMATIONS - 1);
    // The last one is valid.
    const isBad = reload < RELOADS - 1 && random.next() < 0.3;
    write(isBad);
    expected.push(isBad ? "cannot reload" : "reloaded");
    program.child.kill("SIGHUP");
    await until(async () => results().length === expected.length || undefined, "the result of a reload");
    // Mostly before the polls have ended.
    await sleep(random.next() * 150);
  }
  isOver = true;
  await scraping;
  expect(results()).toEqual(expected);
  expect(new Set(expected).size).toBe(2);
  expect(scrapes).toBeGreaterThan(10);

  const depth = (chain.ledger.tip?.height ?? 0) - CONFIRMATIONS + 1;
  const wrong = () => differences(page, chain, principals, depth);
  await until(async () => {
    await scrape();
    return wrong().length === 0 || undefined;
  }, "the expected totals");
  expect(fell).toEqual([]);
  expect(page.all.length).toBeGreaterThan(30);
  expect(program.text().err).not.toMatch(/"level":"fatal"|"reason":"bug"|a reload failed/);
  expect(await program.stop()).toMatchObject({ code: 0 });
});
