import { parse as parseText } from "node:querystring";
import { expect, test } from "@jest/globals";
import { parseNetwork, parseQuery, QueryError } from "../../src/http/status-query.ts";

const known = { networks: ["mainnet", "testnet"], collectors: ["fees", "addresses"] };
const parse = (query: string) => parseQuery(parseText(query), known);

test.each([
  ["", { page: 1, limit: 100 }],
  ["network=testnet&collector=fees&state=waiting", { network: "testnet", collector: "fees", state: "waiting" }],
  ["q=treasury+1&page=1000000&limit=1000", { q: "treasury 1", page: 1_000_000, limit: 1000 }],
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
  ["page=0", "page: Too small: expected number to be >=1"],
  ["page=1.5", "page: Invalid input: expected int, received number"],
  ["page=%", "page: Invalid input: expected number, received NaN"],
  ["limit=1001", "limit: Too big: expected number to be <=1000"],
  ["colector=fees", 'Unrecognized key: "colector"'],
  ["colector=", 'Unrecognized key: "colector"'],
  ["__proto__=1", 'Unrecognized key: "__proto__"'],
  [
    "state=active&state=paused",
    'state: Invalid option: expected one of "active"|"degraded"|"retired"|"paused"|"unsupported"|"waiting"',
  ],
  [`q=${"x".repeat(201)}`, "q: Too big: expected string to have <=200 characters"],
  ["page=0&limit=0", "page: Too small: expected number to be >=1; limit: Too small: expected number to be >=1"],
])("%s is an error", (query, message) => {
  expect(() => parse(query)).toThrow(new QueryError(message));
});

test.each([
  ["", "mainnet"],
  ["network=testnet", "testnet"],
])("%p is about one network", (query, network) => {
  expect(parseNetwork(parseText(query), known)).toBe(network);
});
