import { parse } from "node:querystring";
import { expect, test } from "@jest/globals";
import { parseQuery } from "../../src/http/status.ts";

test.each([
  ["", { limit: 100 }],
  ["network=testnet&collector=fees&state=waiting", { network: "testnet", collector: "fees", state: "waiting" }],
  ["name=treasury+1&limit=100000", { name: "treasury 1", limit: 100_000 }],
])("%s is a selection", (query, selection) => {
  expect(parseQuery(parse(query))).toMatchObject(selection);
});

test.each([
  ["state=bad", "Invalid option"],
  ["state=active&state=paused", "Invalid option"],
  ["name=a&name=b", "expected string, received array"],
  ["limit=0", "expected number to be >=1"],
  ["limit=1.5", "expected int"],
  ["limit=%", "received NaN"],
  ["limit=100001", "expected number to be <=100000"],
  ["colector=fees", 'Unrecognized key: \\"colector\\"'],
  ["__proto__=1", "Unrecognized key"],
])("%s is an error", (query, message) => {
  expect(() => parseQuery(parse(query))).toThrow(message);
});
