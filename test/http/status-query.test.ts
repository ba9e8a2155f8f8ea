import { parse } from "node:querystring";
import { expect, test } from "@jest/globals";
import { parseQuery } from "../../src/http/status.ts";
import { dataOf } from "../support/data.ts";

const { valid, invalid } = dataOf<{
  readonly valid: Readonly<Record<string, object>>;
  readonly invalid: Readonly<Record<string, string>>;
}>("status-query.yaml", import.meta.url);

test.each(Object.entries(valid))("%s is a selection", (query, selection) => {
  expect(parseQuery(parse(query))).toMatchObject(selection);
});

test.each(Object.entries(invalid))("%s is an error", (query, message) => {
  expect(() => parseQuery(parse(query))).toThrow(message);
});
