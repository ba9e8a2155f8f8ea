// Responses of version 3 compared with captured ones of the real server.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Tx } from "../../../simulator/chain/transaction.ts";
import { waitingOf } from "../../../simulator/http/etag.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { captured, deviations, extras, shapeOf } from "../captured.ts";
import { send, stillSimulator } from "../support.ts";

let simulator: Simulator;
/** An address that has sent two transactions, and one that waits behind a missing nonce. */
let [sender, stuck]: [string, string] = ["", ""];
beforeAll(async () => {
  simulator = await stillSimulator({ seed: "v3", history: 80 });
  const { chain } = simulator;
  sender = chain.accounts.unused(2_000_000);
  stuck = chain.accounts.unused(3_000_000);
  chain.send(sender);
  chain.send(sender);
  for (let left = 600; left > 0 && chain.ledger.nonceOf(sender) < 2; left -= 1) simulator.advance(1);
  chain.send(stuck, { skip: 1 });
});
afterAll(() => simulator.close());

const ALL = "/extended/v3/transactions";
const MEMPOOL = "/extended/v3/mempool/transactions";
const of = (principal: string, what: string) => `/extended/v3/principals/${principal}/${what}`;
const accounts = () => simulator.chain.accounts;
const unused = () => accounts().unused(1_000_000);
const waiting = () => [...simulator.chain.mempool.values()][0]?.id ?? "";
function mined(matches: (tx: Tx) => boolean): string {
  const found = simulator.chain.ledger.blocks.flatMap(({ txs }) => txs).findLast(matches);
  if (found === undefined) throw new Error("the chain has no such transaction");
  return found.id;
}
/** A user whose transactions wait, or do not. */
function user(isWaiting: boolean): string {
  const { chain } = simulator;
  const { users, stacker } = chain.accounts;
  const found = users.find((one) => one !== stacker && waitingOf(chain, one).length > 0 === isWaiting);
  if (found === undefined) throw new Error("no user is like that");
  return found;
}
// The captured lists do not contain every payload, and an address can have no confirmed nonce.
const BY_TRANSACTION =
  /\b(token_transfer|contract_call|smart_contract|coinbase|tenure_change|last_nonce|last_confirmed_nonce)\b|sponsor\.|_asset/;

test.each<[name: string, path: () => string]>([
  ["v3-transactions.first-page", () => ALL],
  ["v3-transactions.limit50", () => `${ALL}?limit=50`],
  ["v3-transactions.cursor-unknown-height", () => `${ALL}?limit=3&cursor=999:2147483647:0`],
  ["v3-transaction.mined", () => `${ALL}/${mined(({ type }) => type === "contract_call")}`],
  ["v3-transaction.waiting", () => `${ALL}/${waiting()}`],
  [
    "v3-transaction-events.mined",
    () => `${ALL}/${mined(({ events }) => events.length > 1 && events.some(({ kind }) => kind === "print"))}/events`,
  ],
  ["v2-block.first", () => "/extended/v2/blocks/1"],
  ["v2-logs.cursors", () => `/extended/v2/smart-contracts/${accounts().contracts.logger}/logs?limit=3`],
  ["v3-mempool-transactions.first-page", () => MEMPOOL],
  ["v3-balances-stx.account", () => of(user(false), "balances/stx")],
  ["v3-balances-stx.contract", () => of(accounts().contracts.logger, "balances/stx")],
  ["v3-balances-stx.pending", () => of(user(true), "balances/stx")],
  ["v3-balances-ft.account", () => of(user(false), "balances/ft")],
  ["v3-principal-mempool.account", () => of(sender, "mempool/transactions")],
  ["v3-nonces.account", () => of(sender, "nonces")],
  ["v3-nonces.pending", () => of(sender, "nonces")],
])("%s: the same keys, types and headers", async (name, path) => {
  const real = captured(name);
  const response = await send(simulator.url + path());

  expect(response.status).toBe(real.status);
  expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
  expect(response.headers.etag === undefined).toBe(real.headers.get("etag") === undefined);
  const [expected, actual] = [shapeOf(JSON.parse(real.body)), shapeOf(JSON.parse(response.body))];
  const differences = [...deviations(expected, actual), ...extras(expected, actual)];
  expect(differences.filter((line) => !BY_TRANSACTION.test(line))).toEqual([]);
});

test.each<[name: string, path: () => string, types: readonly string[]]>([
  [
    "v3-transactions.limit50",
    () => ALL,
    ["coinbase", "contract_call", "smart_contract", "tenure_change", "token_transfer"],
  ],
  ["v3-mempool-transactions.first-page", () => MEMPOOL, ["contract_call", "smart_contract", "token_transfer"]],
  ["v3-principal-mempool.pending", () => of(stuck, "mempool/transactions"), ["token_transfer"]],
])("%s: rows of each type have the captured payload", async (name, path, types) => {
  interface Page {
    readonly cursor: { readonly next: string | null };
    readonly results: readonly { readonly type: string }[];
  }
  const rows: Page["results"][number][] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page: Page = JSON.parse((await send(`${simulator.url}${path()}?limit=50${next}`)).body);
    rows.push(...page.results);
    next = page.cursor.next && `&cursor=${page.cursor.next}`;
  }
  const real = JSON.parse(captured(name).body) as Page;
  for (const type of types) {
    const shape = (all: Page["results"]) => shapeOf(all.filter((row) => row.type === type));
    const [expected, actual] = [shape(real.results), shape(rows)];
    const differences = [...deviations(expected, actual), ...extras(expected, actual)];
    expect(actual.size).toBeGreaterThan(1);
    expect([type, differences.filter((line) => !line.includes("sponsor"))]).toEqual([type, []]);
  }
});

type Case = [name: string, path: () => string];
test.each<Case>([
  ["v3-transaction.unknown-404", () => `${ALL}/0x${"ab".repeat(32)}`],
  ...[() => ALL, () => of(accounts().users[0] ?? "", "transactions")].flatMap((list): Case[] => [
    ["v3-transactions.bad-cursor-400", () => `${list()}?cursor=nonsense`],
    ["v3-transactions.limit0-400", () => `${list()}?limit=0`],
    ["v3-transactions.limit51-400", () => `${list()}?limit=51`],
    ["v3-transactions.past-end", () => `${list()}?cursor=0:2147483647:0`],
  ]),
  ["v3-balances-stx.unused", () => of(unused(), "balances/stx")],
  ["v3-balances-ft.unused", () => of(unused(), "balances/ft")],
  ["v3-balances-stx.bad-400", () => of("nonsense", "balances/stx")],
  ["v3-principal-mempool.unused", () => of(unused(), "mempool/transactions")],
  ["v3-principal-staking.unused", () => of(unused(), "staking")],
  ["v3-nonces.unused", () => of(unused(), "nonces")],
  ["v3-nonces.contract-400", () => of(`${unused()}.contract`, "nonces")],
])("%s: the same response, byte for byte", async (name, path) => {
  const real = captured(name);
  const response = await send(simulator.url + path());

  expect([response.status, response.body]).toEqual([real.status, real.body]);
  expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
});
