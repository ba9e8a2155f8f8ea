import { expect, test } from "@jest/globals";
import { namesIn } from "../../src/http/listeners.ts";

test.each([
  ["", []],
  ["DNS:one", ["one"]],
  ["DNS:one, DNS:two.example, email:a@b.example", ["one", "two.example", "a@b.example"]],
  ["IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1", ["127.0.0.1", "::1"]],
  ["URI:spiffe://cluster/prometheus", ["spiffe://cluster/prometheus"]],
  ['DNS:"a, DNS:b", DNS:c', ["a, DNS:b", "c"]],
  ['URI:"http://a.example/\\"b\\\\", DNS:c', ['http://a.example/"b\\', "c"]],
  ["othername:<unsupported>, DNS:c", ["c"]],
])("%j has the names %j", (text, names) => {
  expect(namesIn(text)).toEqual(names);
});
