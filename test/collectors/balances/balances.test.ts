import { describe, expect, test } from "@jest/globals";
import { waitingOf } from "../../../simulator/http/etag.ts";
import type { StacksApi } from "../../../src/api/operation.ts";
import { balances } from "../../../src/collectors/balances/balances.ts";
import { STX, type Watched } from "../../../src/collectors/collector.ts";
import { Fixture } from "../../api/fixture.ts";
import { json, type Scene } from "../../api/scripted-server.ts";
import { stillSimulator } from "../../simulator/support.ts";
import { type Canned, cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun, targetOf } from "../../support/collect.ts";
import { expectGolden } from "../../support/golden.ts";

const PRINCIPAL = "SPYBWR5611F6BK794ZM384GNCAPF46CCTAFWPCNV";
const TOKEN = `${PRINCIPAL}.token::tok`;
const OTHER = `${PRINCIPAL}.other::coin`;

/** Polls of an address for the balances of STX and of some tokens. */
function runOf(
  api: StacksApi,
  assets: readonly string[] = [],
  { principal = PRINCIPAL, ...more }: Partial<Watched> = {},
) {
  const target = targetOf(principal, 1, { name: "hot-wallet", group: "exchange", ...more });
  return new CollectorRun(balances, api, { target: { ...target, assets } as typeof target });
}
/** The balances of a page, by name and label values. */
const shown = (run: CollectorRun) => {
  const keys = run.samples.keys();
  return Object.fromEntries(keys.map((key) => [key.replace("address_", ""), run.samples.text(key)]));
};

const LOCKED_STX = {
  balance: "5000000000000",
  available: "1000000000000",
  // No captured response has a lock.
  locked: {
    amount: "4000000000000",
    pox_version: 4,
    lock_tx_id: `0x${"ab".repeat(32)}`,
    stacks_lock_height: 200_000,
    burn_lock_height: 974_400,
    burn_unlock_height: 976_500,
  },
  mempool: null,
};

test.each([
  ["v3-balances-stx.account", captured("v3-balances-stx.account").json],
  ["v3-balances-stx.contract", captured("v3-balances-stx.contract").json],
  ["v3-balances-stx.pending", captured("v3-balances-stx.pending").json],
  ["v3-balances-stx.unused", captured("v3-balances-stx.unused").json],
  ["balances-stx.locked", LOCKED_STX],
  // Sent in the burn block in which the lock ends, which is over for the node.
  ["balances-stx.unlocking", { ...LOCKED_STX, balance: "1000000", available: "-3999999000000" }],
])("golden %s", async (name, stx) => {
  const tokens = captured(name.endsWith("unused") ? "v3-balances-ft.unused" : "v3-balances-ft.account");
  const api = cannedApi((_, operation) => ({ json: operation === "stx_balance" ? stx : tokens.json }));
  const run = runOf(api, [TOKEN, OTHER]);
  await run.poll();
  expectGolden(name, run.samples.page);
});

describe("targets", () => {
  const all = [
    { name: "plain" },
    { name: "on", balances: true },
    { name: "off", group: "exchange", balances: false },
    { name: "least", minBalance: { [STX]: 1n }, balances: true },
    { name: "exchange", group: "exchange" },
  ].map((more, index) => targetOf(`${PRINCIPAL}.c${index}`, 1, more).watched);
  const assets = [{ id: TOKEN, name: undefined, decimals: 6 }];
  const network = { name: "mainnet", confirmations: 1, addresses: all, contracts: all, assets };

  test.each([
    ["by default, those with balances or min_balance", {}, ["on", "least"]],
    ["those of groups", { groups: ["exchange", "x"] }, ["on", "least", "exchange"]],
    ["all but those without", { addresses: "all" }, ["plain", "on", "least", "exchange"]],
  ])("are %s", (_, options, names) => {
    const targets = balances.targets(network, balances.options.parse(options));

    expect(targets.map(({ watched }) => watched?.name)).toEqual(names);
    expect(targets.map(({ key }) => key)).toEqual(targets.map(({ watched }) => watched?.principal));
    expect(targets).toEqual(targets.map((target) => ({ ...target, assets: [TOKEN] })));
  });
});

test("of a group with sums, the balances of all members are polled, or none", () => {
  const namesOf = (...balancesOf: readonly (boolean | undefined)[]) => {
    const members = balancesOf.map((chosen, index) => {
      const more = { name: `${index}`, group: "g", isSummed: true, balances: chosen };
      return targetOf(`${PRINCIPAL}.c${index}`, 1, more).watched;
    });
    const network = { name: "mainnet", confirmations: 1, addresses: members, contracts: [], assets: [] };
    return balances.targets(network, balances.options.parse({})).map(({ watched }) => watched.name);
  };

  expect(namesOf(true, true)).toEqual(["0", "1"]);
  expect(namesOf(true, undefined)).toEqual([]);
});

/** Polls principals of a simulated chain. */
async function simulated() {
  const ends = new AsyncDisposableStack();
  const simulator = ends.use(await stillSimulator({ seed: 7, history: 60 }));
  const budget = { perMinute: 100_000 };
  const api = ends.use(await Fixture.start([], { baseUrl: simulator.url, budget })).api();
  const { token } = simulator.chain.accounts.assets;
  const runs = new Map<string, CollectorRun>();
  return {
    simulator,
    isWaiting: (principal: string) => waitingOf(simulator.chain, principal).length > 0,
    /** Returns what the principal exposes, and the status of each request. */
    async poll(principal: string) {
      const before = simulator.requests.length;
      const run = runs.get(principal) ?? runOf(api, [token], { principal });
      runs.set(principal, run);
      await run.poll();
      const requests = simulator.requests.slice(before);
      return {
        values: shown(run),
        requests: requests.map(({ path, status }) => `${path.split("/").at(-1)} ${status}`),
      };
    },
    [Symbol.asyncDispose]: () => ends.disposeAsync(),
  };
}

test("values are those of the chain while it grows and is reorganised", async () => {
  await using world = await simulated();
  const { chain } = world.simulator;
  const { accounts, ledger, mempool } = chain;
  const principals = [...accounts.users.slice(0, 6), accounts.contracts.vault, accounts.sponsor];
  const seen = new Set<string>();
  let waiting = 0;
  for (let round = 0; round < 24; round += 1) {
    if (round % 7 === 6) chain.reorg(3);
    world.simulator.advance(round % 3 === 0 ? 90 : 7);
    for (const principal of principals) {
      const { values } = await world.poll(principal);
      const balance = ledger.balances.of(principal, "stx");
      const locked = principal === accounts.stacker ? 4_000_000_000_000n : 0n;
      const units = ledger.balances.of(principal, accounts.assets.token);
      let [inbound, outbound] = [0n, 0n];
      for (const { sender, sponsor, payload, fee } of mempool.values()) {
        const amount = payload.type === "token_transfer" ? payload.amount : 0n;
        if (sender === principal) outbound += amount + BigInt(fee);
        if (sponsor === principal) outbound += BigInt(fee);
        if (payload.type === "token_transfer" && payload.recipient === principal) inbound += amount;
      }
      expect(values).toEqual({
        balance_microstx: String(balance),
        available_balance_microstx: String(balance - locked),
        ...(locked > 0n && { unlock_burn_block_height: "974750" }),
        "mempool_microstx in": String(inbound),
        "mempool_microstx out": String(outbound),
        [`ft_balance_units ${accounts.assets.token}`]: String(units),
      });
      seen.add(`${balance}`);
      if (inbound + outbound > 0n) waiting += 1;
    }
  }
  expect(seen.size).toBeGreaterThan(50);
  expect(waiting).toBeGreaterThan(20);
});

test("an idle address costs one request, an active one the tokens too", async () => {
  await using world = await simulated();
  const { chain } = world.simulator;
  const principal = chain.accounts.users.find((user) => !world.isWaiting(user)) ?? "";
  const requests = async () => (await world.poll(principal)).requests;

  expect(await requests()).toEqual(["stx 200", "ft 200"]);
  // Once more: the first two responses can be of different servers.
  expect(await requests()).toEqual(["stx 200", "ft 200"]);
  for (let polls = 3; polls < 14; polls += 1) expect(await requests()).toEqual(["stx 200"]);
  // Every twelfth poll, for what the state misses.
  expect(await requests()).toEqual(["stx 200", "ft 200"]);
  expect(await requests()).toEqual(["stx 200"]);

  const { total } = chain.ledger.principals.of(principal);
  while (chain.ledger.principals.of(principal).total === total || world.isWaiting(principal))
    world.simulator.advance(5);
  expect(await requests()).toEqual(["stx 200", "ft 200"]);
  expect(await requests()).toEqual(["stx 200", "ft 200"]);
  expect(await requests()).toEqual(["stx 200"]);
});

describe("a bad response", () => {
  const good = { balance: "10", available: "10", locked: null, mempool: null };
  const polled = async (...scenes: Scene[]) => {
    await using f = await Fixture.start(scenes);
    const run = runOf(f.api(), [TOKEN]);
    await run.poll();
    return { failed: run.failures[0], drifts: f.recorder.drifts };
  };

  test.each([
    ["text", { ...good, balance: "ten" }, "balance type"],
    ["a JSON number, which can be rounded", { ...good, balance: 10 }, "balance type"],
    ["missing", { balance: "10", locked: null, mempool: null }, "available missing"],
    ["above the supply", { ...good, balance: "4000000000000001" }, "balance type"],
    ["a lock without end", { ...good, locked: { amount: "1" } }, "locked.burn_unlock_height missing"],
    ["waiting amounts below zero", { ...good, mempool: { inbound: "-1", outbound: "1" } }, "mempool.inbound type"],
  ])("with a balance that is %s fails, and the field is counted", async (_, body, drift) => {
    const { failed, drifts } = await polled(json(body));

    expect(failed).toMatchObject({ reason: "bad_body", operation: "stx_balance" });
    expect(drifts).toEqual([`stx_balance ${drift}`]);
  });

  test("with a token amount that is not a number fails, and gives no STX either", async () => {
    const page = { cursor: { next: null }, results: [{ asset_identifier: TOKEN, balance: "many" }] };
    const { failed, drifts } = await polled(json(good), json(page));

    expect(failed).toMatchObject({ reason: "bad_body", operation: "token_balances" });
    expect(drifts).toEqual(["token_balances results[].balance type"]);
  });
});

describe("tokens", () => {
  const STX_BALANCE = { balance: "10", available: "10", locked: null, mempool: null };
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      asset_identifier: `${PRINCIPAL}.spam::s${from + n}`,
      balance: `${10 ** 9 - n}`,
    }));
  const page = (results: object[], next: string | null = null) => ({ total: 1, cursor: { next }, results });
  /** One poll, with pages by their cursor. @param before the run of earlier polls */
  async function poll(pages: Readonly<Record<string, Canned>>, assets = [TOKEN, OTHER], before?: CollectorRun) {
    const api = cannedApi((url, operation) => {
      if (operation === "stx_balance") return { json: STX_BALANCE, etag: '"stx"' };
      return pages[new URL(url, "http://x").searchParams.get("cursor") ?? ""] ?? { status: 500 };
    });
    const run = before ?? runOf(api, assets);
    await run.poll({ api });
    const of = (token: string) => run.samples.text(`address_ft_balance_units ${token}`);
    return { run, api, notes: run.notes, coin: of(TOKEN), other: of(OTHER) };
  }
  const mine = { asset_identifier: TOKEN, balance: "510423550381407695195061911152493508326" };

  test("are exact beyond 2^53, and 0 if they are not held", async () => {
    const { coin, other, notes } = await poll({ "": { json: page([mine]), etag: '"a"' } });

    expect([coin, other, notes]).toEqual(["510423550381407695195061911152493508326", "0", []]);
  });

  test("are found on later pages, behind unknown tokens", async () => {
    const { coin, other, api } = await poll({
      "": { json: page(rows(0, 100), "5:x"), etag: '"a"' },
      "5:x": { json: page([...rows(100, 99), mine], "4:y"), etag: '"a"' },
      "4:y": { json: page(rows(200, 3)), etag: '"a"' },
    });

    expect([coin, other]).toEqual([mine.balance, "0"]);
    expect(api.requests).toHaveLength(4);
  });

  test("behind too many others are absent, and not 0", async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        n === 0 ? "" : `${n}`,
        { json: page(n === 2 ? [mine] : rows(100 * n, 100), `${n + 1}`), etag: '"a"' },
      ]),
    );
    const { coin, other, notes, api } = await poll(pages);

    expect([coin, other]).toEqual([mine.balance, undefined]);
    expect(notes).toEqual([`the address holds too many tokens to find all of assets: no balance of ${OTHER}`]);
    expect(api.requests).toHaveLength(11);
  });

  test("that the configuration no longer names have no series, although the balance has not changed", async () => {
    const pages = { "": { json: page([mine]), etag: '"a"' } };
    const { run, coin } = await poll(pages);
    expect(coin).toBe(mine.balance);
    await run.poll({ target: { ...targetOf(PRINCIPAL), assets: [OTHER] } as ReturnType<typeof targetOf> });

    expect(Object.keys(shown(run)).filter((key) => key.startsWith("ft_"))).toEqual([`ft_balance_units ${OTHER}`]);
  });

  test("of a list that changes between two pages are absent, and requested again by the next poll", async () => {
    const first = await poll({
      "": { json: page(rows(0, 100), "5:x"), etag: '"a"' },
      "5:x": { json: page([]), etag: '"b"' },
    });
    expect([first.coin, first.notes]).toEqual([undefined, []]);

    const pages = { "": { json: page([mine]), etag: '"a"' } };
    const second = await poll(pages, [TOKEN], first.run);
    expect(second.coin).toBe(mine.balance);
    // Because of the change: the first poll counts as one.
    expect((await poll(pages, [TOKEN], second.run)).api.requests).toHaveLength(1);
  });
});
