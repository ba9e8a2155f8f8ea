// Responses compared with captured ones of the real server: status, headers, keys and types, error bodies.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { canonicalTransactions } from "../../../simulator/chain/expected-totals.ts";
import type { FaultRule } from "../../../simulator/faults/fault.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { captured, deviations, extras, shapeOf } from "../captured.ts";
import { send, stillSimulator } from "../support.ts";

let simulator: Simulator;
let empty: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator({ seed: "shapes", network: "testnet" });
  empty = await stillSimulator({ history: 0 });
});
afterEach(() => simulator.faults.clear());
afterAll(() => Promise.all([simulator.close(), empty.close()]));

const user = () => simulator.chain.accounts.users[0] ?? "";
const logger = () => simulator.chain.accounts.contracts.logger;
const tip = () => simulator.chain.ledger.tip?.hash ?? "";
const UNUSED = "ST000000000000000000002AMW42H";
const NO_HASH = `0x${"ab".repeat(32)}`;

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
  const cases: [string, () => string][] = [
    ["mempool-stats.ok", () => "/extended/v1/tx/mempool/stats"],
    ["mempool-fees.ok", () => "/extended/v2/mempool/fees"],
    ["address-tx-events.mixed", () => eventsPath("stx")],
    ["contract-events.ok-default", () => `/extended/v1/contract/${logger()}/events`],
    ["contract-events.quiet-contract-empty", () => `/extended/v1/contract/${UNUSED}.quiet/events`],
    [
      "transactions-with-transfers.ok-default",
      () => `/extended/v1/address/${user()}/transactions_with_transfers?limit=50`,
    ],
    ["transactions-with-transfers.unused-empty", () => `/extended/v1/address/${UNUSED}/transactions_with_transfers`],
    ["address-transactions.ok-default", () => `/extended/v2/addresses/${user()}/transactions?limit=50`],
    ["address-transactions.ok-limit3", () => `/extended/v2/addresses/${user()}/transactions?limit=50`],
    [
      "address-transactions.exclude-function-args",
      () => `/extended/v2/addresses/${user()}/transactions?limit=50&exclude_function_args=true`,
    ],
    ["address-transactions.unused-empty", () => `/extended/v2/addresses/${UNUSED}/transactions`],
    ["address-transactions.offset-beyond-empty", () => `/extended/v2/addresses/${user()}/transactions?offset=100000`],
    ["block-by-hash.ok-tip", () => `/extended/v1/block/${tip()}`],
    ["block-by-height.ok-1", () => "/extended/v1/block/by_height/1"],
    ["extended.ok", () => "/extended"],
    ["extended-v2-blocks.latest", () => "/extended/v2/blocks/latest"],
    ["extended-v2-smart-contract-logs.ok", () => `/extended/v2/smart-contracts/${logger()}/logs?limit=3`],
    [
      "v2-logs.at-height",
      () => `/extended/v2/smart-contracts/${logger()}/logs?limit=2&cursor=150:2147483647:32767:2147483647`,
    ],
    ["extended-v3-principal-transactions", () => `/extended/v3/principals/${user()}/transactions?limit=50`],
  ];
  test.each(cases)("%s", async (name, path) => {
    const { real, response } = await compareHeaders(name, simulator.url + path());

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
  const cases: [string, () => string, ...faults: FaultRule[]][] = [
    ["address-tx-events.unknown-tx-404", () => `/extended/v2/addresses/${user()}/transactions/${NO_HASH}/events`],
    ["contract-events.limit51-400", () => `/extended/v1/contract/${logger()}/events?limit=51`],
    ["address-transactions.limit51-400", () => `/extended/v2/addresses/${user()}/transactions?limit=51`],
    ["address-transactions.bad-address-400", () => "/extended/v2/addresses/nonsense/transactions"],
    [
      "transactions-with-transfers.bad-checksum-400",
      () => "/extended/v1/address/ST2E5WMBCRS4Q090366DX7EXEXNJFKCWAW8YVNM49/transactions_with_transfers",
    ],
    ["block-by-hash.unknown-404", () => `/extended/v1/block/${NO_HASH}`],
    ["block-by-height.beyond-404", () => "/extended/v1/block/by_height/999999"],
    ["block-by-height.text-400", () => "/extended/v1/block/by_height/abc"],
    ["unknown-route.404", () => "/extended/v9/none"],
    ["v2-logs.offset-1001-400", () => `/extended/v2/smart-contracts/${logger()}/logs?offset=1001`],
    ["v2-blocks.offset-301-400", () => "/extended/v2/blocks?offset=301"],
    ["gone410.address-transactions", () => `/extended/v2/addresses/${user()}/transactions`, { kind: "retired" }],
    ["gone410.contract-events", () => `/extended/v1/contract/${logger()}/events`, { kind: "retired" }],
    ["db-down.mempool-stats", () => "/extended/v1/tx/mempool/stats", { kind: "db-down" }],
    ["db-down.extended", () => "/extended", { kind: "db-down" }],
  ];
  test.each(cases)("%s", async (name, path, ...faults) => {
    for (const fault of faults) simulator.faults.add(fault);

    const { real, response } = await compareHeaders(name, simulator.url + path());

    expect(response.body).toBe(real.body);
  });

  test("an empty database has no chain tip", async () => {
    const { real, response } = await compareHeaders("extended.no-chain-tip", `${empty.url}/extended`);

    expect(response.body).toBe(real.body);
  });

  const conditional: [string, () => string][] = [
    ["mempool-stats.conditional-304", () => "/extended/v1/tx/mempool/stats"],
    ["mempool-fees.conditional-304", () => "/extended/v2/mempool/fees"],
    ["contract-events.conditional-304", () => `/extended/v1/contract/${logger()}/events`],
    ["address-transactions.conditional-304", () => `/extended/v2/addresses/${user()}/transactions`],
  ];
  test.each(conditional)("%s", async (name, path) => {
    const url = simulator.url + path();
    const { headers } = await send(url);

    const { response } = await compareHeaders(name, url, { "if-none-match": String(headers.etag) });

    expect(response.body).toBe("");
  });
});
