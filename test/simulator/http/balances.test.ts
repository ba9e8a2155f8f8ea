// Balances of the v3 API: shapes, validators, and the same balances as an independent sum over the chain.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Chain } from "../../../simulator/chain/chain.ts";
import { canonicalTransactions } from "../../../simulator/chain/expected-totals.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { captured, deviations, extras, shapeOf } from "../captured.ts";
import { json, send, stillSimulator } from "../support.ts";

interface Stx {
  readonly balance: string;
  readonly available: string;
  readonly locked: { readonly amount: string; readonly burn_unlock_height: number } | null;
  readonly mempool: Readonly<Record<"estimated_balance" | "inbound" | "outbound", string>> | null;
}

let simulator: Simulator;
const others: Simulator[] = [];
beforeAll(async () => {
  simulator = await stillSimulator({ seed: "balances", history: 80 });
});
afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.close()));
});
afterAll(() => simulator.close());

async function another(options: Parameters<typeof stillSimulator>[0]): Promise<Simulator> {
  const other = await stillSimulator({ seed: "balances", history: 60, ...options });
  others.push(other);
  return other;
}

const pathOf = (principal: string, kind: "stx" | "ft") => `/extended/v3/principals/${principal}/balances/${kind}`;
const ask = (of: Simulator, principal: string, kind: "stx" | "ft" = "stx", headers = {}) =>
  send(of.url + pathOf(principal, kind), { headers });
const stxOf = async (of: Simulator, principal: string) => json<Stx>(await ask(of, principal));
const unused = () => simulator.chain.accounts.unused(1_000_000);
const waitsFor = ({ mempool }: Chain, principal: string) =>
  [...mempool.values()].filter(
    ({ sender, sponsor, payload }) =>
      [sender, sponsor].includes(principal) || ("recipient" in payload && payload.recipient === principal),
  );
const user = (matches: (waiting: number) => boolean) => {
  const { chain } = simulator;
  const found = chain.accounts.users.find(
    (one) => one !== chain.accounts.stacker && matches(waitsFor(chain, one).length),
  );
  if (found === undefined) throw new Error("no user is like that");
  return found;
};
const idle = () => user((waiting) => waiting === 0);
const busy = () => user((waiting) => waiting > 0);

// Without the genesis balance.
function changeOf(chain: Chain, principal: string, asset: string): bigint {
  let change = 0n;
  for (const { tx } of canonicalTransactions(chain)) {
    if (asset === "stx" && (tx.sponsor ?? tx.sender) === principal) change -= BigInt(tx.fee);
    for (const event of tx.events) {
      if (event.kind === "print" || event.kind === "nft" || (event.kind === "ft" ? event.asset : "stx") !== asset)
        continue;
      if (event.sender === principal) change -= event.amount;
      if (event.recipient === principal) change += event.amount;
    }
  }
  return change;
}

describe("the same keys, types and headers as the real server", () => {
  const cases: [string, () => string][] = [
    ["v3-balances-stx.account", () => pathOf(idle(), "stx")],
    ["v3-balances-stx.contract", () => pathOf(simulator.chain.accounts.contracts.vault, "stx")],
    ["v3-balances-stx.pending", () => pathOf(busy(), "stx")],
    ["v3-balances-ft.account", () => pathOf(idle(), "ft")],
  ];
  test.each(cases)("%s", async (name, path) => {
    const real = captured(name);
    const response = await send(simulator.url + path());

    expect(response.status).toBe(real.status);
    expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
    expect(response.headers.etag).toMatch(/^"[0-9a-f]{64}"$/);
    const [expected, actual] = [shapeOf(JSON.parse(real.body)), shapeOf(JSON.parse(response.body))];
    expect(deviations(expected, actual)).toEqual([]);
    expect(extras(expected, actual)).toEqual([]);
  });

  const same: [string, () => string][] = [
    ["v3-balances-stx.unused", () => pathOf(unused(), "stx")],
    ["v3-balances-ft.unused", () => pathOf(unused(), "ft")],
    ["v3-balances-stx.bad-400", () => pathOf("nonsense", "stx")],
    ["v3-balances-stx.bad-400", () => pathOf(`${unused()}.`, "ft")],
  ];
  test.each(same)("%s, byte for byte", async (name, path) => {
    const real = captured(name);
    const response = await send(simulator.url + path());

    expect([response.status, response.body]).toEqual([real.status, real.body]);
    expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
    expect(response.headers.etag).toBeUndefined();
  });
});

test("STX and tokens are what the chain moved, also after a reorganisation and when blocks are dropped", async () => {
  const other = await another({ keepBlocks: 500 });
  const dropping = await another({ keepBlocks: 20 });
  const { chain } = other;
  const { users, contracts, sponsor, assets, stacker } = chain.accounts;
  const principals = [...users.filter((one) => one !== stacker).slice(0, 5), contracts.vault, sponsor];
  const unused = chain.ledger.balances.of(chain.accounts.unused(1), "stx");
  const unusedToken = chain.ledger.balances.of(chain.accounts.unused(1), assets.token);
  const check = async (of: Simulator) => {
    for (const principal of principals) {
      const isContract = principal.includes(".");
      const expected = (isContract ? 0n : unused) + changeOf(chain, principal, "stx");
      const { balance, available } = await stxOf(of, principal);
      expect([balance, available]).toEqual([String(expected), String(expected)]);
      const units = (isContract ? 0n : unusedToken) + changeOf(chain, principal, assets.token);
      const { results } = json<{ results: object[] }>(await ask(of, principal, "ft"));
      expect(results).toEqual(units === 0n ? [] : [{ asset_identifier: assets.token, balance: String(units) }]);
    }
  };
  await check(other);
  await check(dropping);
  other.chain.reorg(12);
  await check(other);
  const before = await stxOf(other, users[0] ?? "");
  other.replicas.use({ kind: "lag", blocks: 0 });
  expect((await stxOf(other, users[0] ?? "")).balance).toBe(before.balance);
});

test("a replica that is behind has the earlier balances", async () => {
  const other = await another({});
  const [principal = ""] = other.chain.accounts.users;
  const earlier: [number, string][] = [];
  for (let block = 0; block < 8; block += 1) {
    const { height } = other.chain;
    earlier.push([height, (await stxOf(other, principal)).balance]);
    while (other.chain.height === height) other.advance(1);
  }
  expect(new Set(earlier.map(([, balance]) => balance)).size).toBeGreaterThan(1);

  for (const [height, balance] of earlier.toReversed()) {
    other.replicas.use({ kind: "lag", blocks: other.chain.height - height });
    expect((await stxOf(other, principal)).balance).toBe(balance);
  }
});

test("waiting transactions are added up: amounts and fees out, amounts in", async () => {
  const principal = busy();
  let [inbound, outbound] = [0n, 0n];
  for (const { sender, sponsor, payload, fee } of waitsFor(simulator.chain, principal)) {
    const amount = payload.type === "token_transfer" ? payload.amount : 0n;
    if (sender === principal) outbound += amount + BigInt(fee);
    if (sponsor === principal) outbound += BigInt(fee);
    if (payload.type === "token_transfer" && payload.recipient === principal) inbound += amount;
  }
  const { available, mempool } = await stxOf(simulator, principal);

  expect(mempool).toEqual({
    estimated_balance: String(BigInt(available) + inbound - outbound),
    inbound: String(inbound),
    outbound: String(outbound),
  });
});

test("the account that stacks has a lock, which ends with the cycle", async () => {
  const { accounts, ledger } = simulator.chain;
  const { balance, available, locked } = await stxOf(simulator, accounts.stacker);

  expect(BigInt(balance) - BigInt(available)).toBe(BigInt(locked?.amount ?? 0));
  expect(Object.keys(locked ?? {}).sort()).toEqual([
    "amount",
    "burn_lock_height",
    "burn_unlock_height",
    "lock_tx_id",
    "pox_version",
    "stacks_lock_height",
  ]);
  expect(locked?.burn_unlock_height).toBeGreaterThan(ledger.tip?.burn.height ?? 0);
  expect((locked?.burn_unlock_height ?? 0) % 2100).toBe(0);
});

describe("the validator", () => {
  const etags = async (of: Simulator, principal: string) =>
    Promise.all((["stx", "ft"] as const).map(async (kind) => (await ask(of, principal, kind)).headers.etag));

  test("is the same for both lists of an idle account, and responds with 304", async () => {
    const [stx = "", ft] = await etags(simulator, idle());
    expect(ft).toBe(stx);
    for (const kind of ["stx", "ft"] as const) {
      const response = await ask(simulator, idle(), kind, { "if-none-match": stx });
      expect([response.status, response.body]).toEqual([304, ""]);
    }
  });

  test("of STX changes with the newest waiting transaction, and not with older ones", async () => {
    const other = await another({});
    const { chain } = other;
    const principal = chain.accounts.users.find(
      (one) => waitsFor(chain, one).length > 1 && waitsFor(chain, one)[0]?.sender !== one,
    );
    if (principal === undefined) throw new Error("no user waits for two transactions");
    const [oldest, ...newer] = waitsFor(chain, principal);
    const before = await etags(other, principal);
    chain.mempool.drop(({ id }) => id === oldest?.id, chain.now);
    expect(waitsFor(chain, principal).at(-1)?.id).toBe(newer.at(-1)?.id);
    expect(await etags(other, principal)).toEqual(before);
    chain.mempool.clear(chain.now);
    const [stx, ft] = await etags(other, principal);
    expect([stx, ft]).toEqual([before[1], before[1]]);
    expect(stx).not.toBe(before[0]);
  });
});

describe("the list of tokens", () => {
  test.each([
    ["?limit=0", "querystring/limit must be >= 1"],
    ["?limit=201", "querystring/limit must be <= 200"],
    ["?cursor=nonsense", 'querystring/cursor must match pattern "^\\d+:.+$"'],
  ])("refuses %s", async (query, message) => {
    const response = await send(`${simulator.url}${pathOf(idle(), "ft")}${query}`);
    expect([response.status, json(response)]).toMatchObject([400, { message }]);
  });

  test("is empty below the smallest balance", async () => {
    const page = async (query: string) =>
      json<{ total: number; cursor: { current: string } }>(
        await send(`${simulator.url}${pathOf(idle(), "ft")}${query}`),
      );
    const first = await page("");
    expect(await page(`?cursor=${encodeURIComponent(first.cursor.current)}`)).toEqual(first);
    expect(await page("?cursor=5:x")).toMatchObject({ total: 0, results: [], cursor: { current: null } });
  });
});

test("no balance falls below zero in 3,000 blocks", async () => {
  const other = await another({ seed: "long", history: 3000 });
  const { users, occasional, deployer, sponsor, contracts, assets } = other.chain.accounts;
  const principals = [...users, deployer, sponsor, ...Object.values(contracts)];
  for (let index = 0; index < 4000; index += 1) principals.push(occasional(index));
  const lowest = (asset: string) =>
    principals
      .map((principal) => other.chain.ledger.balances.of(principal, asset))
      .reduce((min, balance) => (balance < min ? balance : min));

  expect(lowest("stx")).toBeGreaterThanOrEqual(0n);
  expect(lowest(assets.token)).toBeGreaterThanOrEqual(0n);
}, 60_000);
