// Responses compared with captured ones of the real server: status, headers, keys and types, error bodies.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { canonicalTransactions } from "../../../simulator/chain/expected-totals.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { dataOf } from "../../support/data.ts";
import { captured, deviations, extras, filled, shapeOf } from "../captured.ts";
import { send, stillSimulator } from "../support.ts";

let simulator: Simulator;
let empty: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator({ seed: "shapes", network: "testnet" });
  empty = await stillSimulator({ history: 0 });
});
afterEach(() => simulator.faults.clear());
afterAll(() => Promise.all([simulator.close(), empty.close()]));

// The path of the events of a transaction with an event of this kind, for one of its addresses.
function eventsPath(kind: string): string {
  for (const { tx } of canonicalTransactions(simulator.chain)) {
    const event = tx.events.find((event) => event.kind === kind);
    if (event === undefined || event.kind === "print") continue;
    const address = event.sender ?? event.recipient ?? "";
    return `/extended/v2/addresses/${address}/transactions/${tx.id}/events`;
  }
  throw new Error(`no transaction has ${kind}`);
}

type Kind = "shapes" | "bytes" | "retired" | "db-down" | "conditional";
const paths = dataOf<Readonly<Record<Kind, Readonly<Record<string, string>>>>>("respond.yaml", import.meta.url);
const urlOf = (path: string) =>
  simulator.url +
  filled(path, {
    user: () => simulator.chain.accounts.users[0] ?? "",
    logger: () => simulator.chain.accounts.contracts.logger,
    tip: () => simulator.chain.ledger.tip?.hash ?? "",
    unused: () => "ST000000000000000000002AMW42H",
    noHash: () => `0x${"ab".repeat(32)}`,
    stxEvents: () => eventsPath("stx"),
  });

const IGNORED = new Set(["date", "content-length", "connection", "keep-alive"]);
const COMPARED = ["cache-control", "content-type", "warning", "x-api-version", "access-control-allow-origin"];

async function compareHeaders(name: string, url: string, headers: Record<string, string> = {}) {
  const real = captured(name);
  const response = await send(url, { headers });
  const names = (keys: Iterable<string>) => [...keys].filter((key) => !IGNORED.has(key)).sort();
  expect(response.status).toBe(real.status);
  expect(names(Object.keys(response.headers))).toEqual(names(real.headers.keys()));
  for (const key of COMPARED) expect([key, response.headers[key]]).toEqual([key, real.headers.get(key)]);
  return { real, response };
}

// Fields that depend on the types of the listed transactions: the captured lists do not contain every type.
const BY_TRANSACTION =
  /\.(sponsor(_\w+)?|smart_contract|contract_call|poison_microblock|post_conditions\[\]|token_transfer|function_args\[\])(\.|$)|^results\[\]\.(\w+_transfers\[\]|data\.)/;

describe("the same keys and types as the real server", () => {
  test.each(Object.entries(paths.shapes))("%s", async (name, path) => {
    const { real, response } = await compareHeaders(name, urlOf(path));

    const expected = shapeOf(JSON.parse(real.body));
    const actual = shapeOf(JSON.parse(response.body));
    const missing = deviations(expected, actual).filter((line) => !/^results\[\]\.data\./.test(line));
    expect(missing).toEqual([]);
    const unknown = extras(expected, actual).filter((path) => !BY_TRANSACTION.test(path));
    expect(unknown).toEqual([]);
  });

  test("empty mempool: null in the statistics, four zeros as fees", async () => {
    const url = empty.url;
    empty.chain.mempool.clear(empty.chain.now);

    for (const [name, path] of [
      ["mempool-stats.empty-mempool", "/extended/v1/tx/mempool/stats"],
      ["mempool-fees.empty-mempool", "/extended/v2/mempool/fees"],
    ] as const) {
      const { real, response } = await compareHeaders(name, url + path);
      expect(JSON.parse(response.body)).toEqual(JSON.parse(real.body));
    }
  });
});

describe("the same response, byte for byte", () => {
  test.each(Object.entries(paths.bytes))("%s", async (name, path) => {
    const { real, response } = await compareHeaders(name, urlOf(path));

    expect(response.body).toBe(real.body);
  });

  const FAULTS = ["retired", "db-down"] as const;
  test.each(FAULTS.flatMap((kind) => Object.entries(paths[kind]).map(([name, path]) => [name, path, kind] as const)))(
    "%s",
    async (name, path, kind) => {
      simulator.faults.add({ kind });

      const { real, response } = await compareHeaders(name, urlOf(path));

      expect(response.body).toBe(real.body);
    },
  );

  test("an empty database has no chain tip", async () => {
    const { real, response } = await compareHeaders("extended.no-chain-tip", `${empty.url}/extended`);

    expect(response.body).toBe(real.body);
  });

  test.each(Object.entries(paths.conditional))("%s", async (name, path) => {
    const url = urlOf(path);
    const { headers } = await send(url);

    const { response } = await compareHeaders(name, url, { "if-none-match": String(headers.etag) });

    expect(response.body).toBe("");
  });
});
