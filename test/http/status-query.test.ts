import { expect, test } from "@jest/globals";
import { parseNetwork, parseQuery, QueryError, queryOf } from "../../src/http/status-query.ts";

const known = { networks: ["mainnet", "testnet"], collectors: ["fees", "addresses"] };
const parse = (query: string) => parseQuery(new URLSearchParams(query), known);

test.each([
  ["", { page: 1, limit: 100 }],
  ["collector=&state=&q=+&network=&page=&limit=", { page: 1, limit: 100 }],
  ["network=testnet&collector=fees&state=waiting", { network: "testnet", collector: "fees", state: "waiting" }],
  ["q=+treasury+1&page=1000000&limit=1000", { text: "treasury 1", page: 1_000_000, limit: 1000 }],
])("%s is a selection", (query, selection) => {
  expect(parse(query)).toMatchObject(selection);
});

test.each([
  ["collector=fee", 'collector: Invalid option: expected one of "fees"|"addresses"'],
  ["network=x", 'network: Invalid option: expected one of "mainnet"|"testnet"'],
  [
    "state=bad",
    'state: Invalid option: expected one of "active"|"degraded"|"retired"|"paused"|"unsupported"|"waiting"',
  ],
  ["page=0", "page: expected a whole number from 1 to 1000000"],
  ["page=-1", "page: expected a whole number from 1 to 1000000"],
  ["page=1e3", "page: expected a whole number from 1 to 1000000"],
  ["page=%", "page: expected a whole number from 1 to 1000000"],
  ["limit=1001", "limit: expected a whole number from 1 to 1000"],
  ["limit=99999999999999999999", "limit: expected a whole number from 1 to 1000"],
  ["colector=fees", 'Unrecognized key: "colector"'],
  ["colector=", 'Unrecognized key: "colector"'],
  ["__proto__=1", 'Unrecognized key: "__proto__"'],
  ["state=active&state=paused", "state: expected once, found more than once"],
  [`q=${"x".repeat(201)}`, "q: Too big: expected string to have <=200 characters"],
  ["page=0&limit=0", "page: expected a whole number from 1 to 1000000; limit: expected a whole number from 1 to 1000"],
])("%s is an error", (query, message) => {
  expect(() => parse(query)).toThrow(new QueryError(message));
});

test.each(["", "network=testnet&collector=addresses&state=degraded&q=a%26b&page=3&limit=50"])(
  "the selection of %p has the same query",
  (query) => {
    expect(queryOf(parse(query))).toBe(query);
  },
);

test("a changed selection has the changed query", () => {
  expect(queryOf(parse("q=a&page=3&limit=50"), { page: 1 })).toBe("q=a&limit=50");
});

test.each([
  ["", "mainnet"],
  ["network=", "mainnet"],
  ["network=testnet", "testnet"],
])("%p is about one network", (query, network) => {
  expect(parseNetwork(new URLSearchParams(query), known)).toBe(network);
});
