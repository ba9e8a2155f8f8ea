// Responses of version 3 compared with captured ones of the real server.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Tx } from "../../../simulator/chain/transaction.ts";
import { waitingOf } from "../../../simulator/http/etag.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { dataOf } from "../../support/data.ts";
import { captured, deviations, extras, filled, shapeOf } from "../captured.ts";
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

type Kind = "shapes" | "bytes" | "lists";
interface Paths extends Readonly<Record<Kind, Readonly<Record<string, string>>>> {
  readonly types: Readonly<Record<string, { readonly path: string; readonly types: readonly string[] }>>;
}
const paths = dataOf<Paths>("captured-v3.yaml", import.meta.url);
const LISTS = ["/extended/v3/transactions", "/extended/v3/principals/{user}/transactions"];
const urlOf = (path: string) => {
  const { accounts, mempool } = simulator.chain;
  return (
    simulator.url +
    filled(path, {
      call: () => mined(({ type }) => type === "contract_call"),
      print: () => mined(({ events }) => events.length > 1 && events.some(({ kind }) => kind === "print")),
      waiting: () => [...mempool.values()][0]?.id ?? "",
      logger: () => accounts.contracts.logger,
      user: () => accounts.users[0] ?? "",
      quietUser: () => user(false),
      waitingUser: () => user(true),
      unused: () => accounts.unused(1_000_000),
      noHash: () => `0x${"ab".repeat(32)}`,
      sender: () => sender,
      stuck: () => stuck,
    })
  );
};
// The captured lists do not contain every payload, and an address can have no confirmed nonce.
const BY_TRANSACTION =
  /\b(token_transfer|contract_call|smart_contract|coinbase|tenure_change|last_nonce|last_confirmed_nonce)\b|sponsor\.|_asset/;

test.each(Object.entries(paths.shapes))("%s: the same keys, types and headers", async (name, path) => {
  const real = captured(name);
  const response = await send(urlOf(path));

  expect(response.status).toBe(real.status);
  expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
  expect(response.headers.etag === undefined).toBe(real.headers.get("etag") === undefined);
  const [expected, actual] = [shapeOf(JSON.parse(real.body)), shapeOf(JSON.parse(response.body))];
  const differences = [...deviations(expected, actual), ...extras(expected, actual)];
  expect(differences.filter((line) => !BY_TRANSACTION.test(line))).toEqual([]);
});

test.each(Object.entries(paths.types))(
  "%s: rows of each type have the captured payload",
  async (name, { path, types }) => {
    interface Page {
      readonly cursor: { readonly next: string | null };
      readonly results: readonly { readonly type: string }[];
    }
    const rows: Page["results"][number][] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page: Page = JSON.parse((await send(`${urlOf(path)}?limit=50${next}`)).body);
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
  },
);

const bytes = [
  ...Object.entries(paths.bytes),
  ...LISTS.flatMap((list) => Object.entries(paths.lists).map(([name, query]) => [name, list + query] as const)),
];
test.each(bytes)("%s: the same response, byte for byte", async (name, path) => {
  const real = captured(name);
  const response = await send(urlOf(path));

  expect([response.status, response.body]).toEqual([real.status, real.body]);
  expect(response.headers["cache-control"]).toBe(real.headers.get("cache-control"));
});
